import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Pool } from "pg";
import { freePort } from "../../../../test/free-port.ts";

// Servers of the tests' own on loopback: PostgreSQL, PgBouncer and Redis, as Debian's packages install them.

const ROOT = "/usr/lib/postgresql";
const START_MS = 60_000;

/** The file of a run's folder that has the port and the folder of the server that its suites share, a line each. */
export const SHARED_POSTGRES = "shared-postgres";

/** The folder of the newest PostgreSQL that is installed. */
export const postgresBinaries: string | undefined = existsSync(ROOT)
  ? readdirSync(ROOT)
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(ROOT, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb")))
  : undefined;
const installed = (file: string): string | undefined => (existsSync(file) ? file : undefined);
export const redisBinary: string | undefined = installed("/usr/bin/redis-server");
export const natsBinary: string | undefined = installed("/usr/sbin/nats-server");
export const pgbouncerBinary: string | undefined = installed("/usr/sbin/pgbouncer");

export interface TestServer {
  readonly port: number;
  readonly stop: () => void;
  /** Ends all connections without a word, as a crash does, and starts again. */
  crash(): Promise<void>;
}

export interface TestPostgres extends TestServer {
  /** The argument of `stopPostgres`. */
  readonly folder: string;
}

/** A PostgreSQL that all suites of a run share, each with separate databases. */
export interface SharedPostgres {
  readonly port: number;
  /** `postgres://…` of a database's name. */
  urlOf(name: string): string;
  /** A new, empty database. @returns Its name. */
  create(): Promise<string>;
  /** Drops what was created here. The server runs to the end of the run; outside of one it ends. */
  stop(): Promise<void>;
}

/** Clients of these servers, for what is outside of the package; each is loaded when it is wanted. */
export const clients = {
  async postgres(port: number, database: string): Promise<Pool> {
    const pg = await import("pg");
    const pool = new pg.Pool({ host: "127.0.0.1", port, database, user: "postgres", max: 17 });
    // A connection that is lost while it is idle reports it here, and would end the process otherwise.
    pool.on("error", () => undefined);
    return pool;
  },
  async redis(port: number): Promise<Redis> {
    const ioredis = await import("ioredis");
    const client = new ioredis.Redis(port, "127.0.0.1");
    // It connects again; without a listener it prints each lost connection.
    client.on("error", () => undefined);
    return client;
  },
};

/**
 * Returns a free loopback port, below the ephemeral range. Two concurrent calls almost always get different
 * ports.
 */
export const testPort = (): Promise<number> => freePort(randomInt(15_000, 31_900));

/** A new PostgreSQL in a folder that is removed with it. @param settings Each a `name=value` of postgresql.conf. */
export async function startPostgres({
  settings = [],
}: { readonly settings?: readonly string[] } = {}): Promise<TestPostgres> {
  if (postgresBinaries === undefined) throw new Error(`no PostgreSQL under ${ROOT}`);
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  run(folder, "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync");
  const port = await testPort();
  const set = ["listen_addresses=127.0.0.1", ...settings].map((one) => `-c ${one}`).join(" ");
  const options = `-p ${String(port)} ${set} -k ${folder}`;
  const control = ["-D", data, "-w", "-l", join(folder, "log"), "-o", options];
  run(folder, "pg_ctl", ...control, "start");
  return {
    port,
    folder,
    crash: async () => {
      const restart = [...control, "-m", "immediate", "restart"];
      const spawned = { stdio: "ignore", cwd: folder, ...postgresUser() } as const;
      const child = spawn(join(postgresBinaries, "pg_ctl"), restart, spawned);
      const [code] = (await once(child, "exit")) as [number | null];
      if (code !== 0) throw new Error("PostgreSQL did not restart");
    },
    stop: () => stopPostgres(folder),
  };
}

/** Ends a PostgreSQL that any process has started, and removes its folder. */
export function stopPostgres(folder: string): void {
  run(folder, "pg_ctl", "-D", join(folder, "data"), "-m", "immediate", "-w", "stop");
  rmSync(folder, { recursive: true, force: true });
}

function run(cwd: string, binary: string, ...args: readonly string[]): void {
  // A locale that is not installed fails initdb.
  const env = { ...process.env, LC_ALL: "C" };
  const options = { stdio: "ignore", cwd, env, ...postgresUser() } as const;
  execFileSync(join(postgresBinaries ?? ROOT, binary), args, options);
}

/** PostgreSQL and PgBouncer refuse to run as root: there they run as the user that their packages have made. */
function postgresUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  if (line === null) throw new Error("no user postgres");
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

// The data is discarded and the server is not killed: flushes would only take time. Tables are too
// short-lived for autovacuum, which would change plans at unpredictable moments.
const SETTINGS = ["fsync=off", "full_page_writes=off", "autovacuum=off", "max_connections=300"];

/** The server of the run. Tests that kill or change a server start one of their own with `startPostgres`. */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const { port, end } = await serverOfRun();
  const pg = await import("pg");
  const admin = new pg.Pool({ host: "127.0.0.1", port, user: "postgres", max: 1 });
  const made: string[] = [];
  return {
    port,
    urlOf: (name) => `postgres://postgres@127.0.0.1:${String(port)}/${name}`,
    create: async () => {
      const name = `test_${randomUUID().replaceAll("-", "")}`;
      await admin.query(`CREATE DATABASE ${name}`);
      made.push(name);
      return name;
    },
    stop: async () => {
      if (end === undefined) await drop(admin, made);
      await admin.end();
      end?.();
    },
  };
}

/**
 * Drops databases. PostgreSQL waits for a connection that has just ended; by force it would report an error
 * to a client that nobody listens to. A database stays if a failed test has left a connection.
 */
async function drop(admin: Pool, names: readonly string[]): Promise<void> {
  const OBJECT_IN_USE = "55006";
  try {
    for (const name of names) await admin.query(`DROP DATABASE ${name}`);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== OBJECT_IN_USE) throw error;
  }
}

/** Started by the first caller; the others wait for its port. `test/run-folder.ts` ends it. */
async function serverOfRun(): Promise<{ readonly port: number; readonly end?: () => void }> {
  const folderOfRun = process.env["COUNTERSIGN_TEST_RUN"];
  if (folderOfRun === undefined) {
    const server = await startPostgres({ settings: SETTINGS });
    return { port: server.port, end: () => server.stop() };
  }
  const ready = join(folderOfRun, SHARED_POSTGRES);
  try {
    // Succeeds for the first of all processes only.
    mkdirSync(`${ready}-begun`);
  } catch {
    for (let waited = 0; !existsSync(ready); waited += 20) {
      if (waited > START_MS) throw new Error("the PostgreSQL of this run was not started");
      await setTimeout(20);
    }
    return { port: Number(readFileSync(ready, "utf8").split("\n")[0]) };
  }
  const { port, folder } = await startPostgres({ settings: SETTINGS });
  // Atomic: no reader sees half of it.
  writeFileSync(`${ready}-new`, `${String(port)}\n${folder}\n`);
  renameSync(`${ready}-new`, ready);
  return { port };
}

/** A Redis that forgets everything when it ends, or writes each change to its file before it answers. */
export const startRedis = ({ isDurable = false } = {}): Promise<TestServer> =>
  startServer(redisBinary, (port, folder) => {
    const file = isDurable ? ["yes", "--appendfsync", "always"] : ["no"];
    const options = ["--bind", "127.0.0.1", "--save", "", "--dir", folder, "--appendonly", ...file];
    return ["--port", String(port), ...options];
  });

/** A NATS server with JetStream. */
export const startNats = (): Promise<TestServer> =>
  startServer(natsBinary, (port, folder) => [
    "-a",
    "127.0.0.1",
    "-p",
    String(port),
    "-js",
    "-sd",
    folder,
  ]);

/**
 * A PgBouncer before a PostgreSQL in transaction mode, where one client's statements outside of a
 * transaction reach any of `connections` servers.
 */
export const startPgbouncer = (
  postgres: { readonly port: number },
  { connections }: { readonly connections: number },
): Promise<TestServer> =>
  startServer(pgbouncerBinary, (port, folder) => {
    const file = join(folder, "pgbouncer.ini");
    const settings = [
      "[databases]",
      `* = host=127.0.0.1 port=${String(postgres.port)} user=postgres`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${String(port)}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `default_pool_size = ${String(connections)}`,
    ];
    writeFileSync(file, settings.join("\n"));
    return [file];
  });

/** Starts a server in a temporary folder, with arguments for its port; resolves when it listens. */
async function startServer(
  binary: string | undefined,
  argumentsFor: (port: number, folder: string) => readonly string[],
): Promise<TestServer> {
  if (binary === undefined) throw new Error("the server is not installed");
  const folder = mkdtempSync(join(tmpdir(), "countersign-server-"));
  chmodSync(folder, 0o755);
  const port = await testPort();
  const user = binary === pgbouncerBinary ? postgresUser() : {};
  const options = { stdio: "ignore", cwd: folder, ...user } as const;
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawn(binary, argumentsFor(port, folder), options);
    while (!(await isListening(port))) await setTimeout(20);
  };
  await start();
  return {
    port,
    crash: async () => {
      server.kill("SIGKILL");
      await once(server, "exit");
      await start();
    },
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
