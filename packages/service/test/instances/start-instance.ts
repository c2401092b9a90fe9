import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const script = fileURLToPath(new URL("instance.ts", import.meta.url));

export interface Instance {
  readonly url: string;
  readonly isRunning: () => boolean;
  readonly stderr: () => string;
  /** Asks it to end. @returns What it has done, or `undefined` where it did not end well. */
  readonly end: () => Promise<{ attempts: number; moved: number; failures: number } | undefined>;
  readonly kill: () => Promise<void>;
}

// Where commands are, and what has been made of the sources; no other variable of this process.
const { PATH, NODE_COMPILE_CACHE } = process.env;
const kept = { PATH, NODE_COMPILE_CACHE };

/** The service as a process of its own over a database, until the running test ends. */
export async function startInstance(database: string): Promise<Instance> {
  const node = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
  const child = spawn(process.execPath, [...node, script, database], {
    env: kept,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      said.out += chunk.toString();
      const ready = /^ready (.*)$/m.exec(said.out)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    void exited.then((status) => reject(new Error(`ended with ${status}: ${said.err}`)));
  });
  return {
    url,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stderr: () => said.err,
    end: async () => {
      child.stdin.end();
      const status = await exited;
      const done = /^done (.*)$/m.exec(said.out)?.[1];
      // What the instance itself has written.
      return status === 0 && done !== undefined
        ? (JSON.parse(done) as { attempts: number; moved: number; failures: number })
        : undefined;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
