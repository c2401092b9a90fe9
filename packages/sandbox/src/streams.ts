import type { ServerResponse } from "node:http";
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from "node:timers";
import {
  listDeliveries,
  writtenTime,
  type Queryable,
  type SettledAttempt,
} from "@countersign/service";
import { NewsLog } from "./news-log.ts";
import { shownDelivery, shownEvent } from "./shown.ts";
import { lastSeq, writtenEvents } from "./written-events.ts";

/** Events that are read at once, and deliveries of one of them. */
const AT_ONCE = 100;
/** Events that are told of what has happened at once; of more it is said that there are some. */
const MAX_TOLD = 1000;
/** Bytes that a reader may lag behind before it is hung up on. */
const MAX_LAG = 1024 * 1024;
/** Milliseconds between two signs of life, below what proxies take for silence. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds that news are kept after the last reader has gone: it may come back. */
const LINGER_MS = 60_000;

/** Milliseconds after which a reader that was cut off is to come back. */
const RETRY_MS = 1000;

const GAP = "event: gap\ndata: {}\n\n";

interface Namespace {
  readonly readers: Set<ServerResponse>;
  /** Sequence number of the last event sent to the readers; 0 after a reset. */
  told: number;
  readonly log: NewsLog;
  /** Forgets the namespace. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * What happens in namespaces, told to readers as server-sent events (HTML, "Server-sent events"):
 * `event`, `delivery` and `attempt`, each with the JSON that the list calls show. A reader that was cut off
 * goes on after the `Last-Event-ID` that it names; one that has missed more is told `gap`, and reads the
 * lists.
 */
export class Streams {
  readonly #db: Queryable;
  readonly #namespaces = new Map<string, Namespace>();
  #looking = false;
  #lookAgain = false;
  readonly #runId: string;

  /** @param runId Of this process's news alone: `[A-Za-z0-9_-]`. */
  constructor(db: Queryable, runId: string) {
    this.#db = db;
    this.#runId = runId;
  }

  /** Tells a namespace's news over a response until either side ends it. */
  async open(merchantId: string, response: ServerResponse, after?: string): Promise<void> {
    const told = await lastSeq(this.#db, merchantId);
    const namespace = this.#namespaces.get(merchantId) ?? {
      readers: new Set(),
      told,
      log: new NewsLog(this.#runId),
      timer: undefined,
    };
    this.#namespaces.set(merchantId, namespace);
    clearTimeout(namespace.timer);
    namespace.readers.add(response);
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.write(`retry: ${String(RETRY_MS)}\n\n`);
    if (after !== undefined) response.write(namespace.log.after(after) ?? GAP);
    const heartbeat = setInterval(() => response.write(": alive\n\n"), HEARTBEAT_MS);
    response.on("close", () => {
      clearInterval(heartbeat);
      namespace.readers.delete(response);
      if (namespace.readers.size > 0) return;
      clearTimeout(namespace.timer);
      namespace.timer = setTimeout(() => this.#namespaces.delete(merchantId), LINGER_MS).unref();
    });
  }

  /** A namespace has been emptied: its readers read the lists again. */
  emptied(merchantId: string): void {
    const namespace = this.#namespaces.get(merchantId);
    if (namespace === undefined) return;
    namespace.told = 0;
    this.#tell(merchantId, "gap", {});
  }

  /** A receiver has told what it decided. */
  outcomeTold(merchantId: string, outcome: object): void {
    this.#tell(merchantId, "outcome", outcome);
  }

  /** A run of the checks has come a step further. */
  checked(merchantId: string, run: object): void {
    this.#tell(merchantId, "check", run);
  }

  /** An attempt has been recorded. */
  attempted({ attempt, settled }: SettledAttempt): void {
    const { claim, answer } = attempt;
    const named = { deliveryId: claim.id, eventId: claim.eventId };
    const isAnswered = answer.kind === "answered";
    this.#tell(claim.merchantId, "attempt", {
      ...named,
      number: claim.attempt,
      startedAt: writtenTime(attempt.startedAt),
      durationMs: attempt.durationMs,
      status: isAnswered ? answer.status : null,
      error: isAnswered ? null : answer.code,
    });
    const nextAttemptAt = settled.nextAt === null ? null : writtenTime(settled.nextAt);
    const { key: subscriptionKey } = claim.subscription;
    this.#tell(claim.merchantId, "delivery", {
      ...named,
      subscriptionKey,
      state: settled.state,
      nextAttemptAt,
    });
  }

  /** Events may have been written. Returns at once. */
  onWork(): void {
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    if (this.#namespaces.size === 0) return;
    this.#looking = true;
    setImmediate(() => void this.#look());
  }

  /** Ends all streams. */
  close(): void {
    for (const { readers, timer } of this.#namespaces.values()) {
      clearTimeout(timer);
      for (const response of readers) response.end();
    }
  }

  async #look(): Promise<void> {
    this.#lookAgain = false;
    try {
      for (const [merchantId, namespace] of this.#namespaces) {
        await this.#tellNews(merchantId, namespace);
      }
    } catch {
      // The store does not answer: whoever works with it hears of that, and the next hint looks again.
    }
    this.#looking = false;
    if (this.#lookAgain) this.onWork();
  }

  async #tellNews(merchantId: string, namespace: Namespace): Promise<void> {
    for (let count = 0; count < MAX_TOLD; count += AT_ONCE) {
      const { told: after } = namespace;
      // oxlint-disable-next-line no-await-in-loop -- each goes on where the one before has ended
      const events = await writtenEvents(this.#db, { merchantId, after, limit: AT_ONCE });
      for (const event of events) {
        // A reset in between has begun anew.
        if (namespace.told > event.seq || (namespace.told === 0 && after !== 0)) return;
        namespace.told = event.seq;
        this.#tell(merchantId, "event", shownEvent(event));
        const eventId = event.id;
        // oxlint-disable-next-line no-await-in-loop -- in the order of the events
        const deliveries = await listDeliveries(this.#db, { merchantId, eventId, limit: AT_ONCE });
        for (const delivery of deliveries) {
          this.#tell(merchantId, "delivery", shownDelivery(delivery, []));
        }
      }
      if (events.length < AT_ONCE) return;
    }
    namespace.told = await lastSeq(this.#db, merchantId);
    this.#tell(merchantId, "gap", {});
  }

  #tell(merchantId: string, name: string, data: object): void {
    const namespace = this.#namespaces.get(merchantId);
    if (namespace === undefined) return;
    const text = namespace.log.add(name, data);
    for (const response of namespace.readers) {
      response.write(text);
      if (response.writableLength > MAX_LAG) response.destroy();
    }
  }
}
