import { parseJson } from "../values.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Header } from "./message.ts";
import type { Wire } from "./wire.ts";

/** The effect of one event's handler. */
export interface Effect {
  readonly eventId: string;
  readonly type: string;
  /** Number of times that its handler has succeeded. */
  readonly count: number;
  /** The amount that it got, in cents, if the list has it. */
  readonly amountCents?: string;
}

/** Names an event's effects in a message: `2 of payment.succeeded`. */
export function effectsSaid({ count, type }: Effect): string {
  return `${count} ${type === "" ? "without a type" : `of ${type}`}`;
}

interface Ledger {
  /** By the event's id. */
  readonly effects: ReadonlyMap<string, Effect>;
  /** A sentence for each row that is not `{ eventId, type, count }`. */
  readonly odd: readonly string[];
  /** Those of them that have no id. */
  readonly nameless: readonly string[];
}

/** The effects of a receiver's handlers: evidence apart from its responses. */
export interface Effects {
  /** The list, or a sentence with the reason why it cannot be read. */
  readonly read: () => Promise<Ledger | string>;
  /**
   * Makes the next handlers fail.
   *
   * @param reason The message of their error.
   * @returns False if the receiver has no such control.
   */
  readonly failNext: (count: number, reason?: string) => Promise<boolean>;
  /** Cancels ordered failures of handlers, so that none is left for other checks. */
  readonly mend: () => Promise<void>;
  /** Makes the next handlers hang forever. @returns False if the receiver has no such control. */
  readonly hangNext: (count: number) => Promise<boolean>;
}

/** The effects of handlers, by the ids of events. */
export interface Seen {
  readonly get: (id: string) => Effect | undefined;
  readonly count: (id: string) => number;
  /** Sentences about rows without an id that no check had seen before. */
  readonly nameless: readonly string[];
}

/** Facts from reads of the effects for later reads in the run. */
export interface EffectsNotes {
  /** The reason if the effects cannot be read. */
  unreadable?: string;
  /** Sentences about invalid rows of the effects. */
  readonly odd: string[];
  /** Number of them without an id. */
  nameless: number;
  /** Number of effects that did not appear in time. */
  missed: number;
}

/** The reason if a target does not show its handlers' effects. */
export const NO_EFFECTS = "there is no --effects-url that shows what handlers do";

export const NO_FAILURES = 'its effects take no PUT {"failNext": n} that makes handlers fail';

const JSON_HEADERS: readonly Header[] = [["Accept", "application/json"]];

/** Attempts of one read, since a receiver may be busy or limit its rate. */
const READS = 4;

/** Effects over HTTP: GET returns `[{ eventId, type, count }]`; the optional PUT takes `{ "failNext": n }`. */
export function httpEffects(wire: Wire): Effects {
  return {
    read: async () => {
      const body = Buffer.alloc(0);
      let said = "";
      for (let turn = 0; turn < READS; turn += 1) {
        const received = await wire.send({ method: "GET", headers: JSON_HEADERS, body });
        if (received.kind === "answer" && received.answer.status === 200)
          return ledgerOf(Buffer.from(received.answer.body).toString());
        said = received.kind === "none" ? received.detail : `status ${received.answer.status}`;
        wire.slowDown(turn * 100);
      }
      return `the effects cannot be read: ${said}`;
    },
    failNext: (count, reason) => put(wire, { failNext: count, reason }),
    mend: async () => {
      await put(wire, { failNext: 0, hangNext: 0 });
    },
    hangNext: (count) => put(wire, { failNext: 0, hangNext: count }),
  };
}

async function put(wire: Wire, asked: object): Promise<boolean> {
  const body = Buffer.from(JSON.stringify(asked));
  const headers: readonly Header[] = [["Content-Type", "application/json"], ...JSON_HEADERS];
  const received = await wire.send({ method: "PUT", headers, body });
  return (
    received.kind === "answer" && received.answer.status >= 200 && received.answer.status < 300
  );
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
    if (typeof eventId !== "string" || eventId === "") {
      const sentence = `row ${index + 1} of the effects has eventId ${shown(eventId)}: a handler ran for an event without an id`;
      nameless.push(sentence);
      odd.push(sentence);
      return;
    }
    // Reads what is valid: errors of the list are reported once, not with every event.
    const times = Number.parseInt(String(count), 10) || 1;
    const isText = typeof count === "string" && /^\d{1,9}$/.test(count);
    if (typeof type !== "string" || (!Number.isInteger(count) && !isText)) {
      const what = typeof type === "string" ? `count ${shown(count)}` : `type ${shown(type)}`;
      odd.push(`row ${index + 1} of the effects, of event ${eventId.slice(0, 64)}, has ${what}`);
    }
    const isAmount = typeof amountCents === "string" || typeof amountCents === "number";
    const before = effects.get(eventId)?.count ?? 0;
    const amount = isAmount ? { amountCents: String(amountCents) } : {};
    // One row per run is as good as one row with a count.
    effects.set(eventId, { eventId, type: String(type), count: before + times, ...amount });
  });
  return { effects, odd, nameless };
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 60);
}

const POLL_MS = 20;
const PATIENT_MISSES = 3;
const IMPATIENT_MS = 300;

/** Returns a function that reads the effects until all of some ids have one, or the target's time for it is over. */
export function effectsReader(
  {
    effects,
    notebook,
    effectsWaitMs,
  }: {
    readonly effects?: Effects;
    readonly notebook: EffectsNotes;
    readonly effectsWaitMs: number;
  },
  clock: Clock,
): (ids: readonly string[]) => Promise<Seen | undefined> {
  return async (ids) => {
    if (effects === undefined || notebook.unreadable !== undefined) return undefined;
    // After some effects never appeared, the wait for each further one is shorter.
    const isPatient = notebook.missed < PATIENT_MISSES;
    const until = clock.now() + (isPatient ? effectsWaitMs : Math.min(effectsWaitMs, IMPATIENT_MS));
    for (;;) {
      const ledger = await effects.read();
      if (typeof ledger === "string") {
        notebook.unreadable = ledger;
        return undefined;
      }
      const isAll = ids.every((id) => ledger.effects.has(id));
      if (isAll || clock.now() >= until) {
        if (!isAll) notebook.missed += 1;
        notebook.odd.push(...ledger.odd.slice(notebook.odd.length));
        const nameless = ledger.nameless.slice(notebook.nameless);
        notebook.nameless = ledger.nameless.length;
        const get = (id: string): Effect | undefined => ledger.effects.get(id);
        return { get, count: (id) => get(id)?.count ?? 0, nameless };
      }
      await sleep(clock, POLL_MS);
    }
  };
}
