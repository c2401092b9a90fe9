import { parseJson } from "../values.ts";
import { sleep } from "./clock.ts";
import type { Header } from "./message.ts";
import type { Sockets } from "./sockets.ts";

/** The effect of one event's handler. */
interface Effect {
  readonly type: string;
  /** Number of times that its handler has succeeded. */
  readonly count: number;
  /** The amount that it got, in cents, if the list has it. */
  readonly amountCents?: string;
}

/** Names an event's effects in a message: `2 of payment.succeeded`. */
export function describeEffect({ count, type }: Effect): string {
  return `${count} ${type === "" ? "without a type" : `of ${type}`}`;
}

/** The effects of handlers, by the ids of events. */
export interface Seen {
  readonly get: (id: string) => Effect | undefined;
  readonly count: (id: string) => number;
  /** Sentences about rows without an id that no check had seen before. */
  readonly nameless: readonly string[];
}

/** The reason if a target does not show its handlers' effects. */
export const NO_EFFECTS = "there is no --effects-url that shows what handlers do";

export const NO_FAILURES = 'its effects take no PUT {"failNext": n} that makes handlers fail';

const JSON_HEADERS: readonly Header[] = [["Accept", "application/json"]];

/** Attempts of one read, since a receiver may be busy or limit its rate. */
const READS = 4;
const POLL_MS = 20;
const PATIENT_MISSES = 3;
const IMPATIENT_MS = 300;

/**
 * The effects of a receiver's handlers, over HTTP: evidence apart from its responses. GET returns
 * `[{ eventId, type, count }]`; the optional PUT takes `{ "failNext": n, "hangNext": n }`.
 */
export class Effects {
  /** The reason if they cannot be read. */
  unreadable: string | undefined;
  /** A sentence for each row that is not `{ eventId, type, count }`. */
  odd: readonly string[] = [];
  readonly #sockets: Sockets;
  readonly #waitMs: number;
  /** Number of rows without an id so far. */
  #nameless = 0;
  /** Number of effects that did not appear in time. */
  #missed = 0;

  /** @param waitMs Milliseconds that an effect may take to show. */
  constructor(sockets: Sockets, waitMs: number) {
    this.#sockets = sockets;
    this.#waitMs = waitMs;
  }

  /**
   * Reads the list until all of `ids` have an effect, or the time for it is over.
   *
   * @returns `undefined` if it cannot be read: `unreadable` says why.
   */
  async seen(ids: readonly string[]): Promise<Seen | undefined> {
    const { clock } = this.#sockets;
    // After some effects never appeared, the wait for each further one is shorter.
    const isPatient = this.#missed < PATIENT_MISSES;
    const until = clock.now() + (isPatient ? this.#waitMs : Math.min(this.#waitMs, IMPATIENT_MS));
    while (this.unreadable === undefined) {
      const ledger = await this.#read();
      if (typeof ledger === "string") {
        this.unreadable = ledger;
        break;
      }
      const { effects, odd, nameless } = ledger;
      const isAll = ids.every((id) => effects.has(id));
      if (isAll || clock.now() >= until) {
        if (!isAll) this.#missed += 1;
        if (odd.length > this.odd.length) this.odd = odd;
        const news = nameless.slice(this.#nameless);
        this.#nameless = nameless.length;
        const get = (id: string): Effect | undefined => effects.get(id);
        return { get, count: (id) => get(id)?.count ?? 0, nameless: news };
      }
      await sleep(clock, POLL_MS);
    }
    return undefined;
  }

  /**
   * Makes the next handlers fail; 0 cancels what was ordered, so that no failure is left for other checks.
   *
   * @param reason The message of their error.
   * @returns False if the receiver has no such control.
   */
  failNext(count: number, reason?: string): Promise<boolean> {
    return this.#put({ failNext: count, reason });
  }

  /** Makes the next handlers hang forever; 0 cancels it. @returns False if the receiver has no such control. */
  hangNext(count: number): Promise<boolean> {
    return this.#put({ failNext: 0, hangNext: count });
  }

  async #read(): Promise<Ledger | string> {
    let said = "";
    for (let turn = 0; turn < READS; turn += 1) {
      const request = { method: "GET", headers: JSON_HEADERS, body: Buffer.alloc(0) };
      const received = await this.#sockets.send(request);
      if (received.kind === "answer" && received.answer.status === 200)
        return ledgerOf(Buffer.from(received.answer.body).toString());
      said = received.kind === "none" ? received.detail : `status ${received.answer.status}`;
      this.#sockets.slowDown(turn * 100);
    }
    return `the effects cannot be read: ${said}`;
  }

  async #put(asked: object): Promise<boolean> {
    const headers: readonly Header[] = [["Content-Type", "application/json"], ...JSON_HEADERS];
    const body = Buffer.from(JSON.stringify(asked));
    const received = await this.#sockets.send({ method: "PUT", headers, body });
    const status = received.kind === "answer" ? received.answer.status : 0;
    return status >= 200 && status < 300;
  }
}

interface Ledger {
  /** By the event's id. */
  readonly effects: ReadonlyMap<string, Effect>;
  readonly odd: readonly string[];
  /** Those of `odd` that have no id. */
  readonly nameless: readonly string[];
}

function ledgerOf(text: string): Ledger | string {
  const list = parseJson(text);
  if (list === undefined)
    return text.length > 1_000_000
      ? `the effects are cut off after ${text.length} characters: list each event once`
      : "the effects are not JSON";
  if (!Array.isArray(list)) return "the effects are not a list";
  const effects = new Map<string, Effect>();
  const odd: string[] = [];
  const nameless: string[] = [];
  list.forEach((one: unknown, index) => {
    // Each member is examined below.
    const { eventId, type, count, amountCents } = (one ?? {}) as Record<string, unknown>;
    const row = `row ${index + 1} of the effects`;
    if (typeof eventId !== "string" || eventId === "") {
      nameless.push(
        `${row} has eventId ${shown(eventId)}: a handler ran for an event without an id`,
      );
      return;
    }
    // Reads what is valid: errors of the list are reported once, not with every event.
    const times = Number.parseInt(String(count), 10) || 1;
    const isText = typeof count === "string" && /^\d{1,9}$/.test(count);
    if (typeof type !== "string" || (!Number.isInteger(count) && !isText)) {
      const what = typeof type === "string" ? `count ${shown(count)}` : `type ${shown(type)}`;
      odd.push(`${row}, of event ${eventId.slice(0, 64)}, has ${what}`);
    }
    const isAmount = typeof amountCents === "string" || typeof amountCents === "number";
    const before = effects.get(eventId)?.count ?? 0;
    const amount = isAmount ? { amountCents: String(amountCents) } : {};
    // One row per run is as good as one row with a count.
    effects.set(eventId, { type: String(type), count: before + times, ...amount });
  });
  return { effects, odd: [...nameless, ...odd], nameless };
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 60);
}
