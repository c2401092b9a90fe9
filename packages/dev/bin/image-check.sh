#!/usr/bin/env bash
# Builds the Dockerfile and runs the image without a container engine or an image registry: as root on Debian, with
# `apt-get install buildah debootstrap postgresql`. The base image is a Debian of debootstrap with this machine's
# Node.js and npm. The image then runs as its user on a read-only root: the sandbox, and `serve` on a new PostgreSQL.
# It does not run compose.yaml, capabilities or the health check's schedule.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=${1:-$(mktemp -d)}
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
store=(buildah --root "$work/store" --runroot "$work/run")
base=$work/base

if ! [ -e "$base/usr/local/bin/npx" ]; then
  debootstrap --variant=minbase --include=ca-certificates bookworm "$base" http://deb.debian.org/debian >/dev/null
  cp "$(node -p process.execPath)" "$base/usr/local/bin/node"
  npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
  mkdir -p "$base/usr/local/lib/node_modules"
  cp -r "$npm" "$base/usr/local/lib/node_modules/npm"
  for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$base/usr/local/bin/$name"; done
  chroot "$base" useradd --uid 1000 --create-home node
  # The certificates of a proxy that this machine may be behind.
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then cp -L "$NODE_EXTRA_CA_CERTS" "$base/etc/ssl/certs/ca-certificates.crt"; fi
fi
cat >"$work/base.Dockerfile" <<'END'
FROM scratch
COPY . /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
END
"${store[@]}" bud --quiet --format docker -t docker.io/library/node:24-bookworm-slim -f "$work/base.Dockerfile" "$base" >/dev/null
"${store[@]}" bud --pull-never --layers=false --format docker -t countersign . >"$work/build.log" 2>&1 ||
  { tail -30 "$work/build.log"; exit 1; }
echo "passed  the Dockerfile builds"

image=$("${store[@]}" mount "$("${store[@]}" from --pull-never countersign)")
# What the image's users see: its root read-only, /tmp and /data empty.
inside() {
  unshare --mount --pid --fork --kill-child sh -c '
    image=$1; shift
    mount --bind "$image" "$image"; mount -o remount,ro,bind "$image"
    mount -t tmpfs tmpfs "$image/tmp"; mount -t tmpfs -o uid=1000,gid=1000 tmpfs "$image/data"
    mount --bind /dev "$image/dev"; mount -t proc proc "$image/proc"
    exec chroot --userspec=1000:1000 "$image" env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production HOME=/home/node "$@"
  ' sh "$image" "$@"
}
# Starts a command of the image, waits until the health check passes, and ends it with SIGTERM.
healthy='cd /data
"$@" >out 2>&1 &
check="fetch(\"http://127.0.0.1:4987/readyz\").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
for _ in $(seq 60); do if node -e "$check"; then ready=yes; break; fi; sleep 1; done
kill %1; wait %1; status=$?
if [ "$status" = 0 ] && [ "${ready:-no}" = yes ] && [ "$(id -u)" = 1000 ] && ! touch /app/x 2>/dev/null; then exit 0; fi
cat out; exit 1'
inside bash -c "$healthy" bash countersign sandbox --listen 0.0.0.0 --allow-host localhost --port 4987
echo "passed  sandbox: not root, read-only root, healthy, ends with 0"

bin=$(echo /usr/lib/postgresql/*/bin)
chmod 755 "$work"
install --directory --owner=postgres "$work/postgres"
su postgres -c "$bin/initdb --auth=trust -D $work/postgres >/dev/null && $bin/pg_ctl -w -D $work/postgres -o '-p 54329 -k $work/postgres' -l $work/postgres/log start >/dev/null"
trap 'su postgres -c "$bin/pg_ctl -D $work/postgres -m fast stop >/dev/null"' EXIT
inside env COUNTERSIGN_DATABASE_URL=postgres://postgres@127.0.0.1:54329/postgres \
  bash -c 'countersign serve new-key >/data/keys; export COUNTERSIGN_ENCRYPTION_KEYS_FILE=/data/keys; '"$healthy" \
  bash countersign serve --listen 0.0.0.0 --port 4987
echo "passed  serve on PostgreSQL: not root, read-only root, healthy, ends with 0"
