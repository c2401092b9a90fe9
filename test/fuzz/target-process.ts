import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A process that serves mounts, each on a port of its own. */
export interface TargetProcess {
  portOf(name: string): number;
  /** Whether the process goes on. */
  runs(): boolean;
  /** What has happened since the last report. Rejects where the process ends instead. */
  report(): Promise<Report>;
  /** Ends the process, and resolves when it has ended. */
  kill(): Promise<void>;
}

export interface Report {
  /** Rejections and exceptions that nobody handled. */
  readonly faults: readonly string[];
  /** Ids of the events that reached a handler. */
  readonly handled: readonly string[];
  /** Whether the process is the one that was started. */
  readonly alive: boolean;
}

/** Starts a process that serves the mounts of these names (`target.ts`). */
export async function startTargets(names: readonly string[]): Promise<TargetProcess> {
  const child = fork(fileURLToPath(new URL("target.ts", import.meta.url)), [...names], {
    execArgv: ["--conditions=@countersign/source", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const { pid } = child;
  const runs = (): boolean => child.exitCode === null && child.signalCode === null;
  const { ports } = await reply<{ readonly ports: Readonly<Record<string, number>> }>(child);
  return {
    portOf(name) {
      const port = ports[name];
      if (port === undefined) throw new Error(`${JSON.stringify(name)} is not served`);
      return port;
    },
    runs,
    async report() {
      const message = reply<Omit<Report, "alive"> & { readonly pid: number }>(child);
      child.send("report");
      const { pid: reported, ...report } = await message;
      return { ...report, alive: runs() && reported === pid };
    },
    async kill() {
      const ended = once(child, "exit");
      if (child.kill("SIGKILL")) await ended;
    },
  };
}

/** The child's next message; rejects where it ends instead. */
async function reply<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, "exit").then(([code, signal]): never => {
    throw new Error(`the process ended: ${String(code ?? signal)}`);
  });
  ended.catch(() => undefined);
  // The child sends what this file says.
  return Promise.race([once(child, "message").then(([message]) => message as T), ended]);
}
