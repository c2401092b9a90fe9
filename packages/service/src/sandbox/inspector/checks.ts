import type { Routes } from "../../http/app.ts";
import { refuse } from "../refusals.ts";
import { get, post } from "../routes/call.ts";
import type { Streams } from "../streams.ts";

/** Runs the checks of a receiver against the address of the command line. */
export interface CheckRunner {
  /** Returns every requirement that the checks test, in the order in which they run. */
  readonly planned: () => Promise<readonly object[]>;
  /**
   * Runs all checks.
   *
   * @returns The report, as the kit writes it; nothing in it is secret.
   * @throws {Error} The target cannot be opened.
   */
  readonly run: (watch: CheckWatch) => Promise<object>;
}

export interface CheckWatch {
  /** Ends the run; requirements without a finding are skipped. */
  readonly signal: AbortSignal;
  /** Called with the check that runs, its place from 1, and the number of all. */
  readonly onCheck: (at: { check: string; title: string; place: number; total: number }) => void;
  /** Called with each finding, as the report's entry. */
  readonly onEntry: (entry: object) => void;
}

/** A run of the checks so far. */
interface CheckRun {
  /** Different in each run. */
  readonly number: number;
  readonly isRunning: boolean;
  readonly progress: object | null;
  /** Findings in their order. */
  readonly entries: readonly object[];
  /** The whole report, once it exists. */
  readonly report: object | null;
  /** Reason for a run without a report. */
  readonly problem: string | null;
}

/** The runs of the checks: one at a time, since one run would see the attempts of the other. Keeps the latest in memory. */
export class CheckRuns {
  readonly runner: CheckRunner;
  readonly #streams: Streams;
  #run: CheckRun | undefined;
  #merchantId = "";
  #controller = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(runner: CheckRunner, streams: Streams) {
    this.runner = runner;
    this.#streams = streams;
  }

  /** Returns the latest run if it is the namespace's. */
  latest(merchantId: string): CheckRun | undefined {
    return this.#merchantId === merchantId ? this.#run : undefined;
  }

  /** Starts a run. @returns `undefined` while another one runs, in any namespace. */
  start(merchantId: string): CheckRun | undefined {
    if (this.#run?.isRunning === true) return undefined;
    const number = (this.#run?.number ?? 0) + 1;
    const state = { isRunning: true, progress: null, entries: [], report: null, problem: null };
    this.#run = { number, ...state };
    this.#merchantId = merchantId;
    this.#controller = new AbortController();
    this.#ended = this.#play(this.#run);
    return this.#run;
  }

  /** Ends the namespace's run. Its findings so far stay. */
  stop(merchantId: string): void {
    if (this.#merchantId === merchantId) this.#controller.abort();
  }

  /** Stops the running checks, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
  }

  async #play(started: CheckRun): Promise<void> {
    let run = started;
    const change = (news: Partial<CheckRun>): void => {
      this.#run = run = { ...run, ...news };
      this.#streams.news(this.#merchantId);
    };
    try {
      const report = await this.runner.run({
        signal: this.#controller.signal,
        onCheck: (progress) => change({ progress }),
        onEntry: (entry) => change({ entries: [...run.entries, entry] }),
      });
      change({ report, isRunning: false });
    } catch (error) {
      const problem = error instanceof Error ? error.message : "the checks broke";
      change({ problem, isRunning: false });
    }
  }
}

/** @param checks `undefined` without a target, or with nothing to run. */
export function checkRoutes(checks: CheckRuns | undefined): Routes {
  const required = (): CheckRuns => {
    if (checks !== undefined) return checks;
    throw refuse("NO_TARGET");
  };
  return {
    "/sandbox/inspect/checks": [
      get(async ({ merchant }) => ({
        planned: (await checks?.runner.planned()) ?? [],
        run: checks?.latest(merchant.id) ?? null,
      })),
      post(202, {}, async ({ merchant }) => {
        const run = required().start(merchant.id);
        if (run === undefined) throw refuse("CHECKS_RUNNING");
        return run;
      }),
    ],
    "/sandbox/inspect/checks/stop": [
      post(202, {}, async ({ merchant }) => {
        required().stop(merchant.id);
        return {};
      }),
    ],
  };
}
