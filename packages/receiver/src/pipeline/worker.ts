import { MistakeError } from "../mistake.ts";
import type { WorkerOptions } from "../options.ts";
import { Deadline } from "./admission.ts";
import { type IncomingEvent, validate } from "./event.ts";
import { storedEvent } from "./stored-event.ts";
import { runClaimed } from "./handle.ts";
import type { Inbox, InboxQueue, TakenEvent } from "../inbox/inbox.ts";
import { failed, type FailureCode, type Outcome, type Rejected } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { isError, warnProcess } from "../runtime.ts";

const YEAR_MS = 31_536_000_000;
const MAX_REASON = 500;

export interface WorkerHost {
  readonly parts: ReceiverParts;
  readonly queue: InboxQueue;
  readonly settings: Required<WorkerOptions>;
  /** Called before each take. */
  readonly onLook: () => void;
}

/** The started workers of each inbox, by their provider's name: they take events by it. */
const started = new WeakMap<InboxQueue, Map<string, Worker>>();

/** Handles stored events until it is stopped. */
export class Worker {
  readonly #host: WorkerHost;
  readonly #running = new Set<Promise<void>>();
  #state: "new" | "started" | "stopped" = "new";
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #warned = false;

  constructor(host: WorkerHost) {
    this.#host = host;
  }

  /** @throws {MistakeError} `CS_OPTION_CONFLICT` another worker would run other handlers for its events. */
  start(): void {
    const { parts, queue } = this.#host;
    const { name } = parts.provider;
    const byName = started.get(queue) ?? new Map<string, Worker>();
    if ((byName.get(name) ?? this) !== this)
      throw new MistakeError(
        `receiver.start(): another started receiver has this inbox and the provider name "${name}", so that each would handle ` +
          `the other's events: stop it first, or give this one a copy of the document with its own name: { ...document, name: "${name}-2" }`,
        "CS_OPTION_CONFLICT",
      );
    started.set(queue, byName.set(name, this));
    this.#state = "started";
    this.wake();
  }

  /** Takes nothing more and resolves when everything taken has ended. */
  async stop(): Promise<void> {
    if (this.#state === "started") {
      this.#state = "stopped";
      started.get(this.#host.queue)?.delete(this.#host.parts.provider.name);
    }
    clearTimeout(this.#timer);
    while (this.#looking !== undefined || this.#running.size > 0)
      await Promise.all([this.#looking, ...this.#running]);
  }

  /** Called when an attempt has stored an event. */
  onStored(): void {
    this.wake();
    if (this.#state !== "new" || this.#warned) return;
    this.#warned = true;
    warnProcess(
      "CS_WORKER_NOT_STARTED",
      "an event is stored and no worker of this process handles it: call receiver.start() " +
        "here, or in the process whose receiver shares this inbox",
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
    const { queue, settings, parts, onLook } = this.#host;
    const { provider, leaseMs, elapsed, now } = parts;
    const { maxAttempts } = settings;
    const takenAt = elapsed();
    onLook();
    try {
      const look = { provider: provider.name, limit, leaseMs, now: now(), maxAttempts };
      const taken = await queue.take(look);
      const isExclusive = taken.some(({ exclusive }) => exclusive);
      // They end before its lease does: theirs began earlier.
      if (isExclusive) await Promise.all(this.#running);
      for (const event of taken) {
        const run = this.#handle(event, takenAt).finally(() => {
          this.#running.delete(run);
          // A place is free, and so is the event's resource.
          this.wake();
        });
        this.#running.add(run);
      }
      if (isExclusive) await Promise.all(this.#running);
    } catch (error) {
      const outcome = failed("CS_INBOX_UNAVAILABLE", error, undefined, settings.pollMs);
      parts.report(outcome, { durationMs: elapsed() - takenAt });
    }
  }

  /** Handles an event and records what became of it. Never rejects. */
  async #handle(event: TakenEvent, takenAt: number): Promise<void> {
    const { parts } = this.#host;
    const { key, type, token, attempts } = event;
    const deadline = new Deadline<Outcome>(parts.limits.answerMs, () =>
      failed("CS_HANDLER_TIMEOUT", undefined),
    );
    let outcome: Outcome;
    let dead = false;
    try {
      const incoming = event.unreadable ?? decode(event, parts);
      // Its handler's signal aborts after `limits.answerMs`, as with an attempt, and the lease bounds it.
      const run =
        incoming instanceof Error
          ? ({ kind: "failed", code: "CS_RECEIVER_FAILED", error: incoming } as const)
          : await runClaimed({ event: incoming, token, claimedAt: takenAt }, deadline, parts);
      if (run.kind === "failed") {
        const waitMs = this.#waitAfter(attempts);
        dead = await this.#fail(event, run, waitMs);
        outcome = failed(run.code, run.error, { key, type }, waitMs);
      } else {
        const isListed = "facts" in incoming && incoming.facts.reconciled === true;
        outcome = { kind: run.kind, key, type, ...(isListed && { reconciled: true }) };
      }
    } catch (error) {
      // Neither settled nor given up: the lease ends, and the event is taken again.
      outcome = failed("CS_INBOX_UNAVAILABLE", error, { key, type }, parts.leaseMs);
    } finally {
      deadline.end();
    }
    parts.report(outcome, { durationMs: parts.elapsed() - takenAt, worker: { attempts, dead } });
  }

  /** @returns True if the event is given up. */
  async #fail(
    { key, token, attempts }: TakenEvent,
    { code, error }: { readonly code: FailureCode; readonly error: unknown },
    waitMs: number,
  ): Promise<boolean> {
    const { parts, queue, settings } = this.#host;
    const { maxAttempts } = settings;
    const now = parts.now();
    const message = isError(error) ? error.message : "";
    // For the merchant's own eyes.
    const reason = `${code}: ${message}`.replaceAll("\0", "\uFFFD").slice(0, MAX_REASON);
    // If its lease ended, nobody else may have claimed it yet: no process ended.
    const end = { key, token, attempts, now, maxAttempts, retryAt: now + waitMs, reason };
    return (await queue.fail(end)) === "dead";
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
