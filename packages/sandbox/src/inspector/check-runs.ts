import type { Streams } from "../streams.ts";
import type { CheckProgress, CheckRunner } from "./check-runner.ts";
import type { InspectorOptions } from "./options.ts";

/** A run of the checks, as far as it has come. */
export interface CheckRun {
  /** Other in each run. */
  readonly number: number;
  readonly isRunning: boolean;
  readonly progress: CheckProgress | null;
  /** Findings so far, in their order. */
  readonly entries: readonly object[];
  /** The whole report, once it is there. */
  readonly report: object | null;
  /** Why there is none, where the run broke. */
  readonly problem: string | null;
}

/** Runs the checks against the target of the command line; `undefined` where one of them is missing. */
export function checkRuns(
  options: Pick<InspectorOptions, "target" | "checks"> | undefined,
  streams: Pick<Streams, "checked">,
): CheckRuns | undefined {
  const { target, checks } = options ?? {};
  if (target === undefined || checks === undefined) return undefined;
  return new CheckRuns(checks, (merchantId, { number, isRunning, entries }) =>
    streams.checked(merchantId, { number, isRunning, findings: entries.length }),
  );
}

interface Running {
  run: CheckRun;
  readonly controller: AbortController;
}

/**
 * The runs of the checks: one at a time, since what one sends the other's checks would see, and the latest of
 * each namespace, in memory.
 */
export class CheckRuns {
  readonly #runner: CheckRunner;
  readonly #onChange: (merchantId: string, run: CheckRun) => void;
  readonly #ofMerchants = new Map<string, Running>();
  #count = 0;
  #ended: Promise<void> = Promise.resolve();

  /** @param onChange Hears of each step of a run. */
  constructor(runner: CheckRunner, onChange: (merchantId: string, run: CheckRun) => void) {
    this.#runner = runner;
    this.#onChange = onChange;
  }

  owed(): Promise<readonly object[]> {
    return this.#runner.owed();
  }

  /** A namespace's latest run. */
  latest(merchantId: string): CheckRun | undefined {
    return this.#ofMerchants.get(merchantId)?.run;
  }

  /** Starts a run. @returns `undefined` while another one runs, whosever it is. */
  start(merchantId: string): CheckRun | undefined {
    if ([...this.#ofMerchants.values()].some(({ run }) => run.isRunning)) return undefined;
    this.#count += 1;
    const running: Running = {
      controller: new AbortController(),
      run: {
        number: this.#count,
        isRunning: true,
        progress: null,
        entries: [],
        report: null,
        problem: null,
      },
    };
    this.#ofMerchants.set(merchantId, running);
    this.#ended = this.#play(merchantId, running);
    return running.run;
  }

  /** Ends a namespace's run, if it has one. Its findings so far stay. */
  stop(merchantId: string): void {
    this.#ofMerchants.get(merchantId)?.controller.abort();
  }

  /** Ends what runs, and resolves when it has ended. */
  async close(): Promise<void> {
    for (const { controller } of this.#ofMerchants.values()) controller.abort();
    await this.#ended;
  }

  async #play(merchantId: string, running: Running): Promise<void> {
    const change = (news: Partial<CheckRun>): void => {
      running.run = { ...running.run, ...news };
      this.#onChange(merchantId, running.run);
    };
    try {
      const report = await this.#runner.run({
        signal: running.controller.signal,
        onCheck: (progress) => change({ progress }),
        onEntry: (entry) => change({ entries: [...running.run.entries, entry] }),
      });
      change({ report, isRunning: false });
    } catch (error) {
      const problem = error instanceof Error ? error.message : "the checks broke";
      change({ problem, isRunning: false });
    }
  }
}
