import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listening } from "./listening.ts";
import { freePort } from "../free-port.ts";
import { type TestServer, userOf } from "./postgres-server.ts";

/** The pooler that Debian's package installed. */
export const pgbouncerBinary: string | undefined = ["/usr/sbin/pgbouncer"].find((file) =>
  existsSync(file),
);

/**
 * A PgBouncer of the test's own before a PostgreSQL, on loopback: in transaction mode, where one
 * client's statements outside of a transaction reach any of `connections` servers.
 */
export async function startPgbouncer(
  postgres: TestServer,
  { connections }: { readonly connections: number },
): Promise<TestServer> {
  if (pgbouncerBinary === undefined) throw new Error("no pgbouncer");
  const folder = mkdtempSync(join(tmpdir(), "countersign-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    [
      "[databases]",
      `postgres = host=127.0.0.1 port=${String(postgres.port)} user=postgres`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${String(port)}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `default_pool_size = ${String(connections)}`,
    ].join("\n"),
  );
  // It refuses to run as root, as PostgreSQL does.
  const user = process.getuid?.() === 0 ? userOf("postgres") : {};
  const server = spawn(pgbouncerBinary, [file], { stdio: "ignore", cwd: folder, ...user });
  await listening(port);
  return {
    port,
    stop: () => {
      server.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
