import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { type TestServer, userOf } from "./postgres-server.ts";

const installed = (file: string): string | undefined => (existsSync(file) ? file : undefined);

/** Binaries that Debian's packages installed. */
export const redisBinary: string | undefined = installed("/usr/bin/redis-server");
export const pgbouncerBinary: string | undefined = installed("/usr/sbin/pgbouncer");

/** A Redis of the test's own, on loopback, that forgets everything when it ends. */
export const startRedis = (): Promise<TestServer> =>
  startServer(redisBinary, (port, folder) => {
    const options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
    return ["--port", String(port), ...options];
  });

/**
 * A PgBouncer of the test's own before a PostgreSQL, on loopback: in transaction mode, where one
 * client's statements outside of a transaction reach any of `connections` servers.
 */
export function startPgbouncer(
  postgres: TestServer,
  { connections }: { readonly connections: number },
): Promise<TestServer> {
  const settings = (port: number): readonly string[] => [
    "[databases]",
    `postgres = host=127.0.0.1 port=${String(postgres.port)} user=postgres`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${String(port)}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    `default_pool_size = ${String(connections)}`,
  ];
  // It refuses to run as root, as PostgreSQL does.
  const user = process.getuid?.() === 0 ? userOf("postgres") : {};
  return startServer(
    pgbouncerBinary,
    (port, folder) => {
      const file = join(folder, "pgbouncer.ini");
      writeFileSync(file, settings(port).join("\n"));
      return [file];
    },
    user,
  );
}

/** Starts a server in a temporary folder, with arguments for its port; resolves when it listens. */
async function startServer(
  binary: string | undefined,
  argumentsFor: (port: number, folder: string) => readonly string[],
  user: { readonly uid?: number; readonly gid?: number } = {},
): Promise<TestServer> {
  if (binary === undefined) throw new Error("the server is not installed");
  const folder = mkdtempSync(join(tmpdir(), "countersign-server-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const options = { stdio: "ignore", cwd: folder, ...user } as const;
  const server = spawn(binary, argumentsFor(port, folder), options);
  while (!(await isListening(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    port,
    stop: () => {
      server.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
