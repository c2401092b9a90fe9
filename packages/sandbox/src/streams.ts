import type { ServerResponse } from "node:http";
import { clearInterval, setImmediate, setInterval } from "node:timers";
import {
  listDeliveries,
  listEvents,
  writtenTime,
  type Queryable,
  type SettledAttempt,
} from "@countersign/service";
import { shownDelivery, shownEvent } from "./shown.ts";

/** Events that are looked back at when something has happened. */
const LOOK_BACK = 100;
/** Bytes that a reader may lag behind before it is hung up on. */
const MAX_LAG = 1024 * 1024;
/** Milliseconds between two signs of life, below what proxies take for silence. */
const HEARTBEAT_MS = 15_000;

interface Namespace {
  readonly readers: Set<ServerResponse>;
  /** Ids of events that the readers have been told, the oldest first. */
  readonly told: Set<string>;
}

/**
 * What happens in namespaces, told to readers as server-sent events (HTML, "Server-sent events"):
 * `event`, `delivery` and `attempt`, each with the JSON that the list calls show. A hint and no log: a
 * reader that comes later reads the lists.
 */
export class Streams {
  readonly #db: Queryable;
  readonly #namespaces = new Map<string, Namespace>();
  #looking = false;
  #lookAgain = false;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Tells a namespace's news over a response until either side ends it. */
  async open(merchantId: string, response: ServerResponse): Promise<void> {
    const known = await listEvents(this.#db, { merchantId, limit: LOOK_BACK });
    const namespace = this.#namespaces.get(merchantId) ?? {
      readers: new Set(),
      told: new Set(known.map(({ id }) => id).toReversed()),
    };
    this.#namespaces.set(merchantId, namespace);
    namespace.readers.add(response);
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.write(": open\n\n");
    const heartbeat = setInterval(() => response.write(": alive\n\n"), HEARTBEAT_MS);
    response.on("close", () => {
      clearInterval(heartbeat);
      namespace.readers.delete(response);
      if (namespace.readers.size === 0) this.#namespaces.delete(merchantId);
    });
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
    for (const { readers } of this.#namespaces.values()) {
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

  async #tellNews(merchantId: string, { told }: Namespace): Promise<void> {
    const events = await listEvents(this.#db, { merchantId, limit: LOOK_BACK });
    for (const event of events.toReversed()) {
      if (told.has(event.id)) continue;
      told.add(event.id);
      this.#tell(merchantId, "event", shownEvent(event));
      const eventId = event.id;
      const deliveries = await listDeliveries(this.#db, { merchantId, eventId, limit: LOOK_BACK });
      for (const delivery of deliveries) {
        this.#tell(merchantId, "delivery", shownDelivery(delivery, []));
      }
    }
    for (const oldest of told) {
      if (told.size <= 2 * LOOK_BACK) break;
      told.delete(oldest);
    }
  }

  #tell(merchantId: string, name: string, data: object): void {
    const text = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const response of this.#namespaces.get(merchantId)?.readers ?? []) {
      response.write(text);
      if (response.writableLength > MAX_LAG) response.destroy();
    }
  }
}
