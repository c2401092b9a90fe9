import type { Backoff } from "./backoff.ts";
import { type Envelope, readEnvelope } from "../envelope.ts";
import type { InboxQueue, TakenEvent } from "./inbox.ts";
import type { FailureCode, Outcome } from "../outcome.ts";
import type { ReceiverParts } from "../receiver-parts.ts";
import { runClaimed } from "../run-claimed.ts";
import { validate } from "../validate.ts";
import { isError } from "../is-error.ts";

export interface WorkerSettings {
  /** Events that are handled at once. */
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** How often the inbox is asked for what became due, in milliseconds. */
  readonly pollMs: number;
}

/** What a worker tells of a stored event, beside the outcome. */
export interface WorkerFacts {
  /** This attempt's number, from 1. */
  readonly attempts: number;
  /** True: the event is given up, and stands in `receiver.dead()`. */
  readonly dead: boolean;
}

export interface WorkerHost {
  readonly parts: ReceiverParts;
  readonly queue: InboxQueue;
  readonly settings: WorkerSettings;
  readonly report: (
    outcome: Outcome,
    facts: { readonly durationMs: number; readonly worker?: WorkerFacts },
  ) => void;
}

/** Handles stored events until it is stopped. */
export class Worker {
  readonly #host: WorkerHost;
  readonly #running = new Set<Promise<void>>();
  #state: "new" | "started" | "stopped" = "new";
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;
  #again = false;

  constructor(host: WorkerHost) {
    this.#host = host;
  }

  /** Whether it was ever started. */
  get wasStarted(): boolean {
    return this.#state !== "new";
  }

  start(): void {
    this.#state = "started";
    this.wake();
  }

  /** Takes nothing more and resolves when what was taken has settled. */
  async stop(): Promise<void> {
    if (this.#state === "started") this.#state = "stopped";
    clearTimeout(this.#timer);
    while (this.#taking !== undefined || this.#running.size > 0)
      await Promise.all([this.#taking, ...this.#running]);
  }

  /** Looks for due events now. */
  wake(): void {
    if (this.#state !== "started") return;
    // What is asked for during a look may have come too late for it.
    if (this.#taking !== undefined) this.#again = true;
    else
      this.#taking = this.#look().finally(() => {
        this.#taking = undefined;
        const again = this.#again;
        this.#again = false;
        if (again) this.wake();
      });
  }

  /** Takes as many events as may run and starts them. Never rejects. */
  async #look(): Promise<void> {
    const { queue, settings, parts, report } = this.#host;
    const limit = settings.concurrency - this.#running.size;
    // The next event that settles looks again.
    if (limit <= 0) return;
    clearTimeout(this.#timer);
    const startedAt = performance.now();
    try {
      const { maxAttempts } = settings;
      const now = parts.now();
      const taken = await queue.take({ limit, leaseMs: parts.leaseMs, now, maxAttempts });
      for (const event of taken) {
        const run = this.#handle(event).finally(() => {
          this.#running.delete(run);
          // Its resource's next event may be due.
          this.wake();
        });
        this.#running.add(run);
      }
      // A take may come back with less than is due, where it met another process.
      if (taken.length > 0) this.#again = true;
    } catch (error) {
      report(failed("CS_INBOX_UNAVAILABLE", error, settings.pollMs), {
        durationMs: performance.now() - startedAt,
      });
    }
    // `stop` may have come meanwhile.
    clearTimeout(this.#timer);
    if (this.#state === "started") this.#timer = setTimeout(() => this.wake(), settings.pollMs);
  }

  /** Handles one event and settles it. Never rejects. */
  async #handle(event: TakenEvent): Promise<void> {
    const { parts, report } = this.#host;
    const startedAt = performance.now();
    const { outcome, dead } = await this.#attempt(event).catch((error: unknown) => ({
      // Neither settled nor given up: the lease ends, and the event is taken again.
      outcome: failed("CS_INBOX_UNAVAILABLE", error, parts.leaseMs, event),
      dead: false,
    }));
    const durationMs = performance.now() - startedAt;
    report(outcome, { durationMs, worker: { attempts: event.attempts, dead } });
  }

  async #attempt(
    event: TakenEvent,
  ): Promise<{ readonly outcome: Outcome; readonly dead: boolean }> {
    const { parts, queue, settings } = this.#host;
    const { key, token, attempts, type } = event;
    const envelope = decode(event, parts);
    const run =
      "kind" in envelope
        ? ({ kind: "failed", code: "CS_RECEIVER_FAILED", error: unreadable(envelope) } as const)
        : await runClaimed(envelope, token, parts);
    switch (run.kind) {
      case "done":
        return { outcome: { kind: run.as, key, type }, dead: false };
      case "lost": {
        const error = new Error("the handler outlived its lease");
        return { outcome: failed("CS_CLAIM_LOST", error, parts.leaseMs, event), dead: false };
      }
      case "failed": {
        const { code, error } = run;
        const now = parts.now();
        const waitMs = settings.backoff(attempts);
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
}

/** A stored body, judged again: this version may know its type better than the one that stored it. */
function decode(event: TakenEvent, parts: ReceiverParts): Envelope | Outcome {
  const bytes = new TextEncoder().encode(event.body);
  const envelope = readEnvelope(bytes, event.key, parts);
  return "kind" in envelope ? envelope : (validate(envelope, parts) ?? envelope);
}

const unreadable = (outcome: Outcome): Error =>
  new Error(`the stored event is refused: ${"code" in outcome ? outcome.code : outcome.kind}`);

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
