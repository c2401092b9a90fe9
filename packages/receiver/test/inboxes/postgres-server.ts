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
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = "/usr/lib/postgresql";

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
  /** Ends all connections without a word, as a crash does, and comes back. */
  restart(): void;
  /** The same, while this process goes on. */
  crash(): Promise<void>;
}

/** A PostgreSQL of the test's own, on loopback, in a folder that is removed with it. */
export async function startPostgres(): Promise<TestPostgres> {
  if (postgresBinaries === undefined) throw new Error(`no PostgreSQL under ${ROOT}`);
  const folder = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  // PostgreSQL refuses to run as root: there it runs as the user that its package has made.
  const user = process.getuid?.() === 0 ? userOf("postgres") : {};
  const run = (binary: string, args: readonly string[]): void => {
    execFileSync(join(postgresBinaries, binary), args, { stdio: "ignore", cwd: folder, ...user });
  };
  const made = clusterOfRun(run);
  if (made === undefined) initialise(run, data);
  else execFileSync("cp", ["-R", made, data], { cwd: folder, ...user });
  const port = await freePort();
  const options = `-p ${String(port)} -c listen_addresses=127.0.0.1 -k ${folder}`;
  const log = join(folder, "log");
  run("pg_ctl", ["-D", data, "-w", "-l", log, "-o", options, "start"]);
  const restart = ["-D", data, "-m", "immediate", "-w", "-l", log, "-o", options, "restart"];
  return {
    port,
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
    stop: () => {
      run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Run = (binary: string, args: readonly string[]) => void;

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

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}
