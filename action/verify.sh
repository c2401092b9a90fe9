#!/usr/bin/env bash
# The step of action.yml: no library starts a target, verifies it with `countersign verify`, and writes the job's summary
# and outputs. Secrets are passed in the environment only.
set -uo pipefail

# Ends the step with an annotation.
fail() {
  stop
  echo "::error title=Countersign::$1"
  echo "result=unusable" >>"$GITHUB_OUTPUT"
  exit 2
}

# Stops the process group of the target, which has all processes of its command.
stop() {
  if [ -n "${target:-}" ] && kill -- "-$target" 2>/dev/null; then wait "$target"; fi
}

role=${INPUT_ROLE:-receiver} url=${INPUT_URL:-} start=${INPUT_START:-} secret=${INPUT_SECRET:-}
trigger=${INPUT_TRIGGER:-}
target_options=(--url "$url") variable=COUNTERSIGN_SECRET is_new=$start
case $role in
  receiver) ;;
  provider) variable=COUNTERSIGN_TOKEN is_new= ;;
  sender)
    [ -n "$trigger" ] || fail 'missing trigger: expected a command, or "POST URL"'
    target_options=(--listen 127.0.0.1 --trigger "$trigger") is_new=yes
    ;;
  *) fail "invalid role \"$role\": expected \"receiver\", \"sender\" or \"provider\"" ;;
esac
# A sender without "start" needs no address.
[[ $url =~ ^https?://. || $role$start == sender ]] || fail "invalid url \"$url\": expected a full URL"
if [ -z "$secret" ] && [ -n "$is_new" ]; then secret=whsec_$(openssl rand -base64 32); fi
if [ -n "$secret" ]; then
  echo "::add-mask::$secret"
  export "$variable=$secret"
fi

reports=${INPUT_REPORTS:-countersign-reports}
mkdir -p "$reports"
if [ -n "$start" ]; then
  set -m # a process group for each command
  bash -c "$start" >"$reports/target.log" 2>&1 </dev/null &
  target=$!
  set +m
  SECONDS=0
  # Any answer will do: a receiver has none for GET but 405.
  until curl --silent --max-time 10 "$url" >/dev/null; do
    how=ended
    if kill -0 "$target" 2>/dev/null; then
      how="did not answer at $url within 60 s"
      if [ "$SECONDS" -lt 60 ] && sleep 0.2; then continue; fi
    fi
    cat "$reports/target.log"
    fail "the command of \"start\" $how"
  done
fi

version=$(node -p 'require(process.argv[1]).version' "$(dirname "$0")/../packages/cli/package.json")
report="github=$reports/summary.md,json=$reports/report.json,html=$reports/report.html,junit=$reports/junit.xml"
read -rd '' -a options <<<"${INPUT_OPTIONS:-}"
if [ -n "${INPUT_BASELINE:-}" ]; then options+=(--baseline "$INPUT_BASELINE"); fi
npx --yes "countersign@$version" verify "$role" "${target_options[@]}" --report "$report" ${options[@]+"${options[@]}"}
status=$?
stop

if [ -e "$reports/summary.md" ]; then cat "$reports/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
case $status in 0) result=passed ;; 1) result=failed ;; *) result=unusable ;; esac
printf 'result=%s\nreports=%s\n' "$result" "$reports" >>"$GITHUB_OUTPUT"
exit "$status"
