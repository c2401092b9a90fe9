import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { receiverTarget, type ReceiverTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { secrets } from "../receivers/conduct.ts";
import type { Good } from "../matrix.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const schemas = pathOf("../../../schemas/documents");

/** Starts a receiver in another language, and waits for its line `ready URL`. */
const program =
  (command: () => string, parameters: () => readonly string[]): Good<ReceiverTarget>["open"] =>
  async () => {
    const child = spawn(command(), parameters(), {
      env: { PATH: process.env["PATH"], COUNTERSIGN_SECRET: secrets.join(" ") },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const origin = await readyAt(child.stdout);
    if (origin === undefined) throw new Error(`${command()} ended before it was ready`);
    return {
      target: receiverTarget({
        url: `${origin}/webhooks`,
        effectsUrl: `${origin}/effects`,
        secrets,
        profile: profiles.standard,
      }),
      async close() {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      },
    };
  };

async function readyAt(output: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const origin = /^ready (http:\S+)$/.exec(line)?.[1];
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/** The reason why a command does not run here. */
function missing(command: string, parameter: string): Pick<Good<ReceiverTarget>, "missing"> {
  const { status } = spawnSync(command, [parameter], { stdio: "ignore" });
  return status === 0 ? {} : { missing: `${command} does not run here` };
}

/** Compiles once into a new folder, which goes with the process. */
function compiled(
  command: string,
  parametersFor: (folder: string) => readonly string[],
): () => string {
  let made: string | undefined;
  return () => {
    if (made !== undefined) return made;
    const folder = mkdtempSync(join(tmpdir(), `countersign-${command}-`));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    execFileSync(command, parametersFor(folder), { stdio: "ignore" });
    made = folder;
    return folder;
  };
}

const classes = compiled("javac", (folder) => [
  "-d",
  folder,
  ...["Json", "Schema", "Receiver"].map((name) => pathOf(`java/${name}.java`)),
]);

const binary = compiled("rustc", (folder) => [
  "--edition=2021",
  "-Copt-level=1",
  "--out-dir",
  folder,
  pathOf("rust/receiver.rs"),
]);

export const otherLanguages: readonly Good<ReceiverTarget>[] = [
  {
    name: "Python 3, standard library",
    ...missing("python3", "--version"),
    open: program(
      () => "python3",
      () => [pathOf("python/receiver.py"), schemas],
    ),
  },
  {
    name: "Java, com.sun.net.httpserver",
    ...missing("javac", "--version"),
    open: program(
      () => "java",
      // Without it the JDK's server waits for a body for ever.
      () => ["-Dsun.net.httpserver.maxReqTime=10", "-cp", classes(), "Receiver", schemas],
    ),
  },
  {
    name: "Rust, standard library",
    ...missing("rustc", "--version"),
    open: program(
      () => join(binary(), "receiver"),
      () => [schemas],
    ),
  },
];
