import { messageOf, parseJson } from "../values.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Header } from "./message.ts";
import type { TestEvent } from "./provider-events.ts";
import type { Sockets } from "./sockets.ts";

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

/** An event and other ids under which its effect could appear. */
interface Traced {
  readonly ids: readonly string[];
}

export interface Seen {
  readonly of: (event: Traced) => Effect | undefined;
  readonly count: (event: Traced) => number;
  /** Sentences about rows without an id that no check had seen before. */
  readonly nameless: readonly string[];
}

/** The reason if a target does not show its handlers' effects. */
export const NO_EFFECTS = "there is no --effects-url or --effects that shows what handlers do";

/** The reason if a target shows effects, and none of an event that was sent. */
export const NONE_SEEN = "no handler's effect was seen for any acknowledged event";

export const NO_FAILURES = 'its effects take no PUT {"failNext": n} that makes handlers fail';

/** A list of the effects of handlers, and controls of them. */
export interface EffectsSource {
  /**
   * Returns the list `[{ eventId, type, count }]`, or the reason why it cannot be read.
   *
   * @throws {Error} It cannot be read.
   */
  readonly read: () => Promise<unknown>;
  /** Orders the next handlers to fail or hang. Resolves to false if the target takes no such order. */
  readonly order?: (asked: object) => Promise<boolean>;
}

const JSON_HEADERS: readonly Header[] = [["Accept", "application/json"]];

/** Attempts of one read, since a receiver may be busy or limit its rate. */
const READS = 4;
const POLL_MS = 20;
const PATIENT_MISSES = 3;
const IMPATIENT_MS = 300;
/** Effects of one check that never appeared, after which it hardly waits for others. */
const MISSES_A_CHECK = 5;
const LEAST_MS = 50;

/** Effects over HTTP: GET returns the list; the optional PUT takes `{ "failNext": n, "hangNext": n }`. */
export function httpEffects(sockets: Sockets): EffectsSource {
  return {
    read: async () => {
      let problem = "";
      for (let turn = 0; turn < READS; turn += 1) {
        const request = { method: "GET", headers: JSON_HEADERS, body: Buffer.alloc(0) };
        const { failure, detail, status, body } = await sockets.send(request);
        if (status === 200) {
          const list = parseJson(body);
          if (list !== undefined) return list;
          if (body.length <= 1_000_000) throw new Error("they are not JSON");
          throw new Error(`they are cut off after ${body.length} bytes: list each event once`);
        }
        problem = failure === undefined ? `status ${status}` : detail;
        sockets.slowDown(turn * 100);
      }
      throw new Error(problem);
    },
    order: async (asked) => {
      const headers: readonly Header[] = [["Content-Type", "application/json"], ...JSON_HEADERS];
      const body = Buffer.from(JSON.stringify(asked));
      const { status = 0 } = await sockets.send({ method: "PUT", headers, body });
      return status >= 200 && status < 300;
    },
  };
}

/** The effects of a receiver's handlers: evidence apart from its answers. */
export class Effects {
  /** The reason if they cannot be read. */
  unreadable: string | undefined;
  /** True if an event that was sent has had an effect. */
  hasShown = false;
  /** A sentence for each row that is not `{ eventId, type, count }`. */
  odd: readonly string[] = [];
  readonly #source: EffectsSource;
  readonly #clock: Clock;
  readonly #waitMs: number;
  /** Number of rows without an id so far. */
  #nameless = 0;
  /** Number of effects that did not appear in time. */
  #missed = 0;
  /** Those of the present check. */
  #missedNow = 0;

  /** @param waitMs Milliseconds that an effect may take to show. */
  constructor(
    source: EffectsSource,
    { clock, waitMs }: { readonly clock: Clock; readonly waitMs: number },
  ) {
    this.#source = source;
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Waits for effects again: another check begins. */
  beginCheck(): void {
    this.#missedNow = 0;
  }

  /**
   * Reads the list until all of `events` have an effect, or the time for it is over.
   *
   * @returns `undefined` if it cannot be read: `unreadable` says why.
   */
  async seen(events: readonly TestEvent[]): Promise<Seen | undefined> {
    // After some effects never appeared, the wait for each further one is shorter.
    const isPatient = this.#missed < PATIENT_MISSES;
    const shortMs = isPatient ? this.#waitMs : Math.min(this.#waitMs, IMPATIENT_MS);
    const waitMs = this.#missedNow < MISSES_A_CHECK ? shortMs : Math.min(shortMs, LEAST_MS);
    const until = this.#clock.elapsed() + waitMs;
    while (this.unreadable === undefined) {
      let list: Listed;
      try {
        list = listedFrom(await this.#source.read());
      } catch (error) {
        this.unreadable = `the effects cannot be read: ${messageOf(error)}`;
        break;
      }
      const { effects, odd, nameless } = list;
      const of = ({ ids }: Traced): Effect | undefined => {
        const found = [...new Set(ids)].flatMap((id) => effects.get(id) ?? []);
        this.hasShown ||= found.length > 0;
        const count = found.reduce((sum, one) => sum + one.count, 0);
        return found[0] && { ...found[0], count };
      };
      const isAll = events.every((event) => of(event) !== undefined);
      if (isAll || this.#clock.elapsed() >= until) {
        if (!isAll) {
          this.#missed += 1;
          this.#missedNow += 1;
        }
        if (odd.length > this.odd.length) this.odd = odd;
        const news = nameless.slice(this.#nameless);
        this.#nameless = nameless.length;
        return { of, count: (event) => of(event)?.count ?? 0, nameless: news };
      }
      await sleep(this.#clock, POLL_MS);
    }
    return undefined;
  }

  /**
   * Makes the next handlers fail; 0 cancels what was ordered, so that no failure is left for other checks.
   *
   * @param reason The message of their error.
   * @returns False if the receiver has no such control.
   */
  async failNext(count: number, reason?: string): Promise<boolean> {
    return (await this.#source.order?.({ failNext: count, reason })) ?? false;
  }

  /** Makes the next handlers hang forever; 0 cancels it. @returns False if the receiver has no such control. */
  async hangNext(count: number): Promise<boolean> {
    return (await this.#source.order?.({ failNext: 0, hangNext: count })) ?? false;
  }
}

interface Listed {
  readonly effects: ReadonlyMap<string, Effect>;
  readonly odd: readonly string[];
  /** Those of `odd` that have no id. */
  readonly nameless: readonly string[];
}

/** @throws {TypeError} It is not a list. */
function listedFrom(list: unknown): Listed {
  if (!Array.isArray(list)) throw new TypeError("they are not a list");
  const effects = new Map<string, Effect>();
  const odd: string[] = [];
  const nameless: string[] = [];
  list.forEach((one: unknown, index) => {
    // Each member is examined below.
    const { eventId, type, count, amountCents } = (one ?? {}) as Record<string, unknown>;
    const row = `row ${index + 1} of the effects`;
    const id = typeof eventId === "number" ? String(eventId) : eventId;
    if (typeof id !== "string" || id === "") {
      nameless.push(
        `${row} has eventId ${shown(eventId)}: a handler ran for an event without an id`,
      );
      return;
    }
    // Reads what is valid: errors of the list are reported once, not with every event.
    const times = Number.parseInt(String(count), 10) || 1;
    const isText = typeof count === "string" && /^\d{1,9}$/.test(count);
    // The kit sends an event whose type is a number, too.
    const isType = typeof type === "string" || typeof type === "number";
    if (!isType || (!Number.isInteger(count) && !isText)) {
      const what = isType ? `count ${shown(count)}` : `type ${shown(type)}`;
      odd.push(`${row}, of event ${id.slice(0, 64)}, has ${what}`);
    }
    const isAmount = typeof amountCents === "string" || typeof amountCents === "number";
    const before = effects.get(id)?.count ?? 0;
    const amount = isAmount ? { amountCents: String(amountCents) } : {};
    // One row per run is as good as one row with a count.
    effects.set(id, { type: String(type), count: before + times, ...amount });
  });
  return { effects, odd: [...nameless, ...odd], nameless };
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 60);
}
