import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";

const ROOT = "/usr/lib/postgresql";

/** The file of a run's folder that has the port and the folder of the server that its suites share, a line each. */
export const SHARED_POSTGRES = "shared-postgres";

/** The folder of the newest PostgreSQL that Debian's packages installed. */
export const postgresBinaries: string | undefined = existsSync(ROOT)
  ? readdirSync(ROOT)
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(ROOT, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb")))
  : undefined;

export interface TestServer {
  readonly port: number;
  stop(): void;
}

export interface TestPostgres extends TestServer {
  /** What `stopPostgres` is told. */
  readonly folder: string;
  /** Ends all connections without a word, as a crash does, and comes back. */
  restart(): void;
  /** The same, while this process goes on. */
  crash(): Promise<void>;
}

/**
 * A PostgreSQL of the test's own, on loopback, in a folder that is removed with it.
 *
 * @param settings Each a `name=value` of postgresql.conf.
 */
export async function startPostgres({
  settings = [],
}: { readonly settings?: readonly string[] } = {}): Promise<TestPostgres> {
  if (postgresBinaries === undefined) throw new Error(`no PostgreSQL under ${ROOT}`);
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  const user = postgresUser();
  const run = runIn(folder);
  const made = clusterOfRun(run);
  if (made === undefined) initialise(run, data);
  else execFileSync("cp", ["-R", made, data], { cwd: folder, ...user });
  const port = await freePort();
  const set = ["listen_addresses=127.0.0.1", ...settings].map((one) => `-c ${one}`).join(" ");
  const options = `-p ${String(port)} ${set} -k ${folder}`;
  const log = join(folder, "log");
  run("pg_ctl", ["-D", data, "-w", "-l", log, "-o", options, "start"]);
  const restart = ["-D", data, "-m", "immediate", "-w", "-l", log, "-o", options, "restart"];
  return {
    port,
    folder,
    restart: () => run("pg_ctl", restart),
    crash: async () => {
      const child = spawn(join(postgresBinaries, "pg_ctl"), restart, {
        stdio: "ignore",
        cwd: folder,
        ...user,
      });
      const [code] = (await once(child, "exit")) as [number | null];
      if (code !== 0) throw new Error("PostgreSQL did not come back");
    },
    stop: () => stopPostgres(folder),
  };
}

/** Ends a PostgreSQL that any process has started, and removes its folder. */
export function stopPostgres(folder: string): void {
  runIn(folder)("pg_ctl", ["-D", join(folder, "data"), "-m", "immediate", "-w", "stop"]);
  rmSync(folder, { recursive: true, force: true });
}

type Run = (binary: string, args: readonly string[]) => void;

const runIn =
  (cwd: string): Run =>
  (binary, args) => {
    const file = join(postgresBinaries ?? ROOT, binary);
    // A locale that is not installed fails initdb.
    const env = { ...process.env, LC_ALL: "C" };
    execFileSync(file, args, { stdio: "ignore", cwd, env, ...postgresUser() });
  };

/** PostgreSQL refuses to run as root: there it runs as the user that its package has made. */
function postgresUser(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? userOf("postgres") : {};
}

function initialise(run: Run, data: string): void {
  run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]);
}

/**
 * An empty cluster that the whole test run copies: making one takes ten times as long.
 *
 * @returns Nothing outside of a run, and while another process makes it.
 */
function clusterOfRun(run: Run): string | undefined {
  const shared = process.env["COUNTERSIGN_TEST_RUN"];
  if (shared === undefined) return undefined;
  const [data, ready] = [join(shared, "postgres"), join(shared, "postgres-ready")];
  if (existsSync(ready)) return data;
  try {
    mkdirSync(join(shared, "postgres-begun"));
  } catch {
    return undefined;
  }
  initialise(run, data);
  writeFileSync(ready, "");
  return data;
}

/** A user's numbers, from the table of users. */
export function userOf(name: string): { readonly uid: number; readonly gid: number } {
  const line = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(
    readFileSync("/etc/passwd", "utf8"),
  );
  if (line === null) throw new Error(`no user ${name}`);
  return { uid: Number(line[1]), gid: Number(line[2]) };
}
