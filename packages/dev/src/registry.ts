import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { run } from "./packed.ts";

// Installed when a release is checked: its 246 packages are not dependencies of this repository.
const VERDACCIO = "@verdaccio/server@9.0.0-next-9.31";

const program = (upstream: string): string => `
import { setup } from "@verdaccio/logger";
import { startServer } from "@verdaccio/server";
// This preview sets headers late when a client hangs up: the others' requests go on.
process.on("uncaughtException", ({ code }) => console.log("registry: " + code));
await setup({ type: "stdout", format: "json", level: "error" });
const app = await startServer({
  self_path: process.cwd(),
  configPath: process.cwd() + "/config.yaml",
  storage: process.cwd() + "/storage",
  auth: { htpasswd: { file: process.cwd() + "/htpasswd" } },
  uplinks: { npm: { url: ${JSON.stringify(upstream)}, maxage: "60m" } },
  packages: {
    "{@countersign/*,countersign}": { access: "$all", publish: "$authenticated" },
    "**": { access: "$all", proxy: "npm" },
  },
  web: { enable: false },
});
const server = app.listen(0, "127.0.0.1", () => console.log("ready http://127.0.0.1:" + server.address().port + "/"));
`;

export interface Registry {
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
  /** An npm configuration file with the registry and the token of a user who may publish. */
  readonly npmrc: string;
  stop(): void;
}

/**
 * Starts a registry on loopback with an empty storage. It knows our packages only from its storage, and gets all
 * others from npm's registry.
 *
 * @param folder Where it is installed and keeps its storage.
 */
export async function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", VERDACCIO], folder);
  const upstream = run("npm", ["config", "get", "registry"], folder).trim();
  writeFileSync(join(folder, "registry.js"), program(upstream));
  const child = spawn(process.execPath, ["registry.js"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the registry ended with ${String(code)}`)));
    createInterface(child.stdout).on("line", (line) => {
      if (line.startsWith("ready ")) resolve(line.slice(6));
      else console.error(line);
    });
  });
  const answer = await fetch(`${url}-/user/org.couchdb.user:releaser`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "releaser", password: "only-for-this-run" }),
  });
  const { token } = (await answer.json()) as { readonly token: string };
  const npmrc = join(folder, "user.npmrc");
  writeFileSync(npmrc, `registry=${url}\n${url.slice(5)}:_authToken=${token}\n`, { mode: 0o600 });
  return { url, npmrc, stop: () => void child.kill() };
}
