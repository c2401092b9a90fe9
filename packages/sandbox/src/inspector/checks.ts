import type { Routes } from "@countersign/service/internal";
import { refuse } from "../refusals.ts";
import { get, post, queryOf, refuseMember } from "../routes/call.ts";
import type { Streams } from "../streams.ts";

/** Runs the checks of a receiver against the address of the command line. */
export interface CheckRunner {
  /** Returns every requirement that the checks test, in the order in which they run. */
  readonly owed: () => Promise<readonly object[]>;
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
  readonly onCheck: (at: CheckProgress) => void;
  /** Called with each finding, as the report's entry. */
  readonly onEntry: (entry: object) => void;
}

/** The check that runs. */
export interface CheckProgress {
  readonly check: string;
  readonly title: string;
  /** Counts from 1. */
  readonly place: number;
  readonly total: number;
}

/** A run of the checks so far. */
interface CheckRun {
  /** Different in each run. */
  readonly number: number;
  readonly isRunning: boolean;
  readonly progress: CheckProgress | null;
  /** Findings in their order. */
  readonly entries: readonly object[];
  /** The whole report, once it exists. */
  readonly report: object | null;
  /** Reason for a run without a report. */
  readonly problem: string | null;
}

/**
 * The runs of the checks: one at a time, since one run would see the attempts of the other. Keeps each
 * namespace's latest run in memory.
 */
export class CheckRuns {
  readonly runner: CheckRunner;
  readonly #streams: Streams;
  readonly #latest = new Map<string, { run: CheckRun; readonly controller: AbortController }>();
  #count = 0;
  #ended: Promise<void> = Promise.resolve();

  constructor(runner: CheckRunner, streams: Streams) {
    this.runner = runner;
    this.#streams = streams;
  }

  /** Returns a namespace's latest run. */
  latest(merchantId: string): CheckRun | undefined {
    return this.#latest.get(merchantId)?.run;
  }

  /** Starts a run. @returns `undefined` while another one runs, in any namespace. */
  start(merchantId: string): CheckRun | undefined {
    if ([...this.#latest.values()].some(({ run }) => run.isRunning)) return undefined;
    this.#count += 1;
    const state = { isRunning: true, progress: null, entries: [], report: null, problem: null };
    const run: CheckRun = { number: this.#count, ...state };
    const controller = new AbortController();
    this.#latest.set(merchantId, { run, controller });
    this.#ended = this.#play(merchantId, run, controller.signal);
    return run;
  }

  /** Ends a namespace's run, if it has one. Its findings so far stay. */
  stop(merchantId: string): void {
    this.#latest.get(merchantId)?.controller.abort();
  }

  /** Stops the running checks, and resolves when they have ended. */
  async close(): Promise<void> {
    for (const { controller } of this.#latest.values()) controller.abort();
    await this.#ended;
  }

  async #play(merchantId: string, started: CheckRun, signal: AbortSignal): Promise<void> {
    let run = started;
    const change = (news: Partial<CheckRun>): void => {
      run = { ...run, ...news };
      const running = this.#latest.get(merchantId);
      if (running !== undefined) running.run = run;
      const { number, isRunning, entries } = run;
      this.#streams.send(merchantId, "check", { number, isRunning, findings: entries.length });
    };
    try {
      const report = await this.runner.run({
        signal,
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
export function checkRoutes(checks: CheckRuns | undefined, hasTarget: boolean): Routes {
  const required = (): CheckRuns => {
    if (checks !== undefined) return checks;
    throw refuse(hasTarget ? "CHECKS_UNAVAILABLE" : "NO_TARGET");
  };
  return {
    "/sandbox/inspect/checks": [
      // Given the number of a run and of known findings, answers only later findings.
      get(async (call) => {
        const run = checks?.latest(call.merchant.id);
        const query = queryOf(call);
        const known = query.get("run") === String(run?.number) ? countIn(query.get("after")) : 0;
        return {
          isAvailable: checks !== undefined,
          owed: query.has("run") ? [] : ((await checks?.runner.owed()) ?? []),
          run: run === undefined ? null : shown(run, known),
        };
      }),
      post(202, {}, async ({ merchant }) => {
        const run = required().start(merchant.id);
        if (run === undefined) throw refuse("CHECKS_RUNNING");
        return shown(run, 0);
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

function shown({ entries, ...run }: CheckRun, known: number): object {
  return { ...run, known, entries: entries.slice(known) };
}

function countIn(text: string | null): number {
  if (text === null) return 0;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw refuseMember("/after", "the query's after must be a count of findings");
}
