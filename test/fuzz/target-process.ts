import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A process that serves mounts, each on a separate port. */
export interface TargetProcess {
  readonly portOf: (name: string) => number | undefined;
  readonly isRunning: () => boolean;
  /** Reports what has happened since the last report. Rejects if the process ends instead. */
  readonly report: () => Promise<Report>;
  readonly kill: () => Promise<void>;
}

export interface Report {
  /** Unhandled rejections and exceptions. */
  readonly faults: readonly string[];
  /** Ids of the events that reached a handler. */
  readonly handled: readonly string[];
  /** True if the process is the one that was started. */
  readonly alive: boolean;
}

/** Starts a process that serves the mounts with these names (`target.ts`). */
export async function startTargets(names: readonly string[]): Promise<TargetProcess> {
  const child = fork(fileURLToPath(new URL("target.ts", import.meta.url)), [...names], {
    execArgv: [
      "--conditions=@countersign/source",
      "--disable-warning=ExperimentalWarning",
      "--disable-warning=DEP0170",
    ],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exit = once(child, "exit");
  const ended = exit.then(([code, signal]): never => {
    throw new Error(`the process ended: ${String(code ?? signal)}`);
  });
  ended.catch(() => undefined);
  // `target.ts` sends these messages.
  const message = async <T>(): Promise<T> =>
    (await Promise.race([once(child, "message"), ended]))[0] as T;
  const { ports } = await message<{ readonly ports: Readonly<Record<string, number>> }>();
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    portOf: (name) => ports[name],
    isRunning,
    async report() {
      child.send("report");
      const { pid, ...report } = await message<Omit<Report, "alive"> & { readonly pid: number }>();
      return { ...report, alive: isRunning() && child.pid === pid };
    },
    async kill() {
      if (child.kill("SIGKILL")) await exit;
    },
  };
}
