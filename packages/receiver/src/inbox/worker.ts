import { MistakeError } from "../mistake.ts";
import type { WorkerOptions } from "../options.ts";
import { Deadline } from "../pipeline/admission.ts";
import { type IncomingEvent, validate } from "../pipeline/event.ts";
import { storedEvent } from "../pipeline/stored-event.ts";
import { type ClaimedEvent, type ClaimedRun, runClaimed } from "../pipeline/handle.ts";
import type { OutcomeFacts } from "../pipeline/observe.ts";
import type { Inbox, InboxQueue, NextRequest, TakenEvent } from "./inbox.ts";
import { type FailureCode, isError, type Outcome, type Rejected } from "../pipeline/outcome.ts";
import type { ReceiverParts } from "../pipeline/parts.ts";

export interface WorkerHost {
  readonly parts: ReceiverParts;
  readonly queue: InboxQueue;
  readonly settings: Required<WorkerOptions>;
  readonly report: (outcome: Outcome, facts: OutcomeFacts) => void;
  /** Called before each take. */
  readonly onLook: () => void;
}

/** A worker's attempt of an event, and the event that was taken with its completion. */
interface Attempted {
  readonly outcome: Outcome;
  readonly dead: boolean;
  readonly next?: { readonly event: TakenEvent; readonly takenAt: number } | undefined;
}

/** Handles stored events until it is stopped. */
export class Worker {
  readonly #host: WorkerHost;
  readonly #running = new Set<Promise<void>>();
  #state: "new" | "started" | "stopped" = "new";
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  /** True while an event runs alone, or waits for the others to end. */
  #alone = false;
  #warned = false;

  constructor(host: WorkerHost) {
    this.#host = host;
  }

  start(): void {
    this.#state = "started";
    this.wake();
  }

  /** Takes nothing more and resolves when everything taken has ended. */
  async stop(): Promise<void> {
    if (this.#state === "started") this.#state = "stopped";
    clearTimeout(this.#timer);
    while (this.#looking !== undefined || this.#running.size > 0)
      await Promise.all([this.#looking, ...this.#running]);
  }

  /** Called when an attempt has stored an event. */
  onStored(): void {
    this.wake();
    if (this.#state !== "new" || this.#warned) return;
    this.#warned = true;
    process.emitWarning(
      "an event is stored and no worker of this process handles it: call receiver.start() " +
        "here, or in the process whose receiver shares this inbox",
      { code: "CS_WORKER_NOT_STARTED" },
    );
  }

  /** Looks for events that can be taken, once everything that happened in this turn is counted. */
  wake(): void {
    if (this.#state !== "started") return;
    // A request during a look may have come too late for it.
    if (this.#looking !== undefined) this.#again = true;
    else this.#looking = this.#look();
  }

  /** Takes as many events as may run and starts them. Never rejects. */
  async #look(): Promise<void> {
    // Events that ended together free their places together: one take for all of them.
    await new Promise((resolve) => setImmediate(resolve));
    this.#again = false;
    clearTimeout(this.#timer);
    const { settings } = this.#host;
    const limit = settings.concurrency - this.#running.size;
    // Otherwise the next event that ends looks again.
    if (limit > 0 && this.#state === "started") await this.#take(limit);
    this.#looking = undefined;
    if (this.#state !== "started") return;
    if (this.#again) this.wake();
    else this.#timer = setTimeout(() => this.wake(), settings.pollMs);
  }

  async #take(limit: number): Promise<void> {
    const { queue, settings, parts, report, onLook } = this.#host;
    const takenAt = parts.elapsed();
    try {
      const { maxAttempts } = settings;
      const now = parts.now();
      onLook();
      const taken = await queue.take({
        provider: parts.provider.name,
        limit,
        leaseMs: parts.leaseMs,
        now,
        maxAttempts,
      });
      this.#alone = taken.some(({ alone }) => alone);
      // They end before its lease does: theirs began earlier.
      if (this.#alone) await Promise.all(this.#running);
      for (const event of taken) {
        const run = this.#handle(event, takenAt).finally(() => {
          this.#running.delete(run);
          // A place is free, and so is the event's resource.
          this.wake();
        });
        this.#running.add(run);
      }
      if (this.#alone) await Promise.all(this.#running);
      this.#alone = false;
    } catch (error) {
      report(failed("CS_INBOX_UNAVAILABLE", error, settings.pollMs), {
        durationMs: parts.elapsed() - takenAt,
      });
    }
  }

  /** Handles an event, and those of its resource that come with its completion. Never rejects. */
  async #handle(first: TakenEvent, firstTakenAt: number): Promise<void> {
    const { parts, report } = this.#host;
    let [event, takenAt]: [TakenEvent | undefined, number] = [first, firstTakenAt];
    while (event !== undefined) {
      const taken: TakenEvent = event;
      // oxlint-disable-next-line no-await-in-loop -- one event of a resource after the other
      const { outcome, dead, next } = await this.#attempt(taken, takenAt).catch(
        (error: unknown): Attempted => ({
          // Neither settled nor given up: the lease ends, and the event is taken again.
          outcome: failed("CS_INBOX_UNAVAILABLE", error, parts.leaseMs, taken),
          dead: false,
        }),
      );
      const durationMs = parts.elapsed() - takenAt;
      report(outcome, { durationMs, worker: { attempts: taken.attempts, dead } });
      [event, takenAt] = [next?.event, next?.takenAt ?? 0];
    }
  }

  async #attempt(event: TakenEvent, claimedAt: number): Promise<Attempted> {
    const { parts, queue, settings } = this.#host;
    const { key, token, attempts, type, unreadable } = event;
    const incoming = unreadable ?? decode(event, parts);
    let takenAt = 0;
    const askForNext = (): NextRequest | undefined => {
      takenAt = parts.elapsed();
      // With all places in use, the events of other resources have their turn first.
      if (this.#state !== "started" || this.#alone) return undefined;
      if (this.#running.size >= settings.concurrency) return undefined;
      return { leaseMs: parts.leaseMs, maxAttempts: settings.maxAttempts };
    };
    const run =
      incoming instanceof Error
        ? ({ kind: "failed", code: "CS_RECEIVER_FAILED", error: incoming } as const)
        : await this.#run({ event: incoming, token, claimedAt }, askForNext);
    switch (run.kind) {
      case "done": {
        const next = run.next && { event: run.next, takenAt };
        return { outcome: { kind: run.as, key, type }, dead: false, next };
      }
      // Nobody else may have claimed it yet: its lease ended, but no process did.
      case "lost":
      case "failed": {
        const code = run.kind === "lost" ? "CS_CLAIM_LOST" : run.code;
        const { error } = run;
        const now = parts.now();
        const waitMs = this.#waitAfter(attempts);
        const then = await queue.fail({
          key,
          token,
          attempts,
          now,
          maxAttempts: settings.maxAttempts,
          retryAt: now + waitMs,
          reason: reasonOf(code, error),
        });
        return { outcome: failed(code, error, waitMs, event), dead: then === "dead" };
      }
      default:
        return run satisfies never;
    }
  }

  /** Returns whole milliseconds, whatever the app's function does. */
  #waitAfter(attempts: number): number {
    const { parts, settings } = this.#host;
    const ms: unknown = parts.failures.guard("workers.backoff threw", () =>
      settings.backoff(attempts),
    );
    if (typeof ms === "number" && ms >= 0) return Math.ceil(Math.min(ms, YEAR_MS));
    if (ms !== undefined)
      parts.failures.warn(
        "workers.backoff must return milliseconds, at least 0: the event waits a minute",
      );
    return 60_000;
  }

  /** Runs one event. Its handler's signal aborts after `limits.answerMs`, as with an attempt, and the lease bounds it. */
  async #run(
    claimed: ClaimedEvent,
    askForNext: () => NextRequest | undefined,
  ): Promise<ClaimedRun> {
    const { parts } = this.#host;
    const deadline = new Deadline<Outcome>(parts.limits.answerMs, () =>
      failed("CS_HANDLER_TIMEOUT", undefined, 0),
    );
    try {
      return await runClaimed(claimed, { deadline, askForNext }, parts);
    } finally {
      deadline.end();
    }
  }
}

/** @throws {MistakeError} `CS_OPTION_CONFLICT` the inbox keeps no events for workers. */
export function requireQueue({ queue }: Inbox, method: string): InboxQueue {
  if (queue === undefined)
    throw new MistakeError(
      `receiver.${method}(): the inbox keeps no events for workers`,
      "CS_OPTION_CONFLICT",
    );
  return queue;
}

/** A stored event, judged again: this version may know its type better than the one that stored it. */
function decode(event: TakenEvent, parts: ReceiverParts): IncomingEvent | Error {
  const incoming = storedEvent(event, parts.limits);
  if ("kind" in incoming) return refused(incoming);
  const faults = validate(incoming, parts);
  return faults !== undefined && "kind" in faults ? refused(faults) : incoming;
}

const refused = ({ code }: Rejected): Error => new Error(`the stored event is refused: ${code}`);

const YEAR_MS = 31_536_000_000;
const MAX_REASON = 500;

/** A code and the message, for the merchant's own eyes. */
function reasonOf(code: FailureCode, error: unknown): string {
  const message = isError(error) ? error.message : "";
  return `${code}: ${message}`.replaceAll("\0", "\uFFFD").slice(0, MAX_REASON);
}

function failed(
  code: FailureCode,
  error: unknown,
  waitMs: number,
  event?: TakenEvent,
): Extract<Outcome, { kind: "failed" }> {
  return {
    kind: "failed",
    code,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    ...(event === undefined ? {} : { event: { key: event.key, type: event.type } }),
    error,
  };
}
