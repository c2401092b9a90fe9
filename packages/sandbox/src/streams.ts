import type { ServerResponse } from "node:http";
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import {
  listDeliveries,
  writtenTime,
  type EventRecord,
  type Completion,
  type Queryable,
} from "@countersign/service/internal";
import { NewsLog } from "./news-log.ts";
import { shownDelivery, shownEvent, timeOrNull } from "./shown.ts";

/** Events that are read at once, and deliveries of one of them. */
const AT_ONCE = 100;
/** Events that are sent at once; if there are more, readers get `gap`. */
const MAX_SENT = 1000;
/** Bytes that a reader may lag behind before its connection is closed. */
const MAX_LAG = 1024 * 1024;
/** Milliseconds between keep-alive messages, shorter than the idle timeout of proxies. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds for which messages are kept after the last reader left, since it may return. */
const LINGER_MS = 60_000;
/** Milliseconds after which a disconnected reader should reconnect, and a failed look is repeated. */
const RETRY_MS = 1000;

const GAP = "event: gap\ndata: {}\n\n";

interface Namespace {
  readonly readers: Set<ServerResponse>;
  /** Sequence number of the last event sent to the readers; 0 after a reset. */
  sent: number;
  readonly log: NewsLog;
  /** Forgets the namespace. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Sends the changes of namespaces to readers as server-sent events (HTML, "Server-sent events"):
 * `event`, `delivery` and `attempt`, each with the JSON that the list calls show. A reader that was disconnected
 * continues after its `Last-Event-ID`; one that missed more gets `gap`, and reads the lists.
 */
export class Streams {
  readonly #db: Queryable;
  readonly #namespaces = new Map<string, Namespace>();
  #looking = false;
  #lookAgain = false;
  readonly #runId: string;

  /** @param runId Identifies this process's messages: `[A-Za-z0-9_-]`. */
  constructor(db: Queryable, runId: string) {
    this.#db = db;
    this.#runId = runId;
  }

  /** Sends a namespace's messages over a response until either side ends it. */
  async open(merchantId: string, response: ServerResponse, after?: string): Promise<void> {
    const sent = await lastSeq(this.#db, merchantId);
    // Its "close" is over.
    if (response.destroyed) return;
    const namespace = this.#namespaces.get(merchantId) ?? {
      readers: new Set(),
      sent,
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

  /** Makes the readers of an emptied namespace read the lists again. */
  emptied(merchantId: string): void {
    const namespace = this.#namespaces.get(merchantId);
    if (namespace === undefined) return;
    namespace.sent = 0;
    this.send(merchantId, "gap", {});
  }

  /** Sends an attempt that has been recorded, and its delivery. */
  attempted({ attempt, state, nextAt }: Completion): void {
    const { answer, delivery, endpoint } = attempt;
    const named = { deliveryId: delivery.id, eventId: delivery.eventId };
    const isAnswered = answer.kind === "answered";
    this.send(endpoint.merchantId, "attempt", {
      ...named,
      number: attempt.number,
      startedAt: writtenTime(attempt.startedAt),
      durationMs: attempt.durationMs,
      status: isAnswered ? answer.status : null,
      error: isAnswered ? null : answer.code,
    });
    this.send(endpoint.merchantId, "delivery", {
      ...named,
      subscriptionKey: endpoint.key,
      state,
      nextAttemptAt: timeOrNull(nextAt),
    });
  }

  /** Looks for new events. Returns at once. */
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
    // Attempts that end later have no reader: a write after the end would end the process.
    this.#namespaces.clear();
  }

  /** Sends one message to the readers of a namespace. */
  send(merchantId: string, name: string, data: object): void {
    const namespace = this.#namespaces.get(merchantId);
    if (namespace === undefined) return;
    const text = namespace.log.add(name, data);
    for (const response of namespace.readers) {
      response.write(text);
      if (response.writableLength > MAX_LAG) response.destroy();
    }
  }

  async #look(): Promise<void> {
    this.#lookAgain = false;
    try {
      for (const [merchantId, namespace] of this.#namespaces) {
        await this.#sendEvents(merchantId, namespace);
      }
    } catch {
      // The store does not answer: its other users report that. No other hint may follow.
      await sleep(RETRY_MS, undefined, { ref: false });
      this.#lookAgain = true;
    }
    this.#looking = false;
    if (this.#lookAgain) this.onWork();
  }

  async #sendEvents(merchantId: string, namespace: Namespace): Promise<void> {
    for (let count = 0; count < MAX_SENT; count += AT_ONCE) {
      const { sent: after } = namespace;
      // oxlint-disable-next-line no-await-in-loop -- each goes on where the one before has ended
      const events = await eventsAfter(this.#db, merchantId, after);
      for (const { seq, ...event } of events) {
        // A reset in between has restarted the sequence.
        if (namespace.sent > seq || (namespace.sent === 0 && after !== 0)) return;
        namespace.sent = seq;
        this.send(merchantId, "event", shownEvent(event));
        const filter = { merchantId, eventId: event.id, limit: AT_ONCE };
        // oxlint-disable-next-line no-await-in-loop -- in the order of the events
        for (const delivery of await listDeliveries(this.#db, filter)) {
          this.send(merchantId, "delivery", shownDelivery(delivery));
        }
      }
      if (events.length < AT_ONCE) return;
    }
    namespace.sent = await lastSeq(this.#db, merchantId);
    this.send(merchantId, "gap", {});
  }
}

/** Returns a namespace's first events after a sequence number, oldest first. */
function eventsAfter(
  db: Queryable,
  merchantId: string,
  after: number,
): Promise<(EventRecord & { readonly seq: number })[]> {
  return db.query(
    `SELECT seq, id, type, category, payload, created_at AS "createdAt" FROM events
      WHERE merchant_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [merchantId, after, AT_ONCE],
  );
}

/** Returns the sequence number of a namespace's last event, 0 if it has none. */
async function lastSeq(db: Queryable, merchantId: string): Promise<number> {
  const [row] = await db.query<{ seq: number }>(
    "SELECT coalesce(max(seq), 0) AS seq FROM events WHERE merchant_id = $1",
    [merchantId],
  );
  return row?.seq ?? 0;
}
