import type { Header } from "./request.ts";
import type { Wire } from "./wire.ts";

/** What the handler of one event has done. */
export interface Effect {
  readonly eventId: string;
  readonly type: string;
  /** How many times its handler has succeeded. */
  readonly count: number;
  /** The amount that it was given, in cents, where its list has it. */
  readonly amountCents?: string;
}

/** What a receiver's handlers have done: evidence apart from what it answers. */
export interface Effects {
  readonly read: () => Promise<readonly Effect[]>;
  /**
   * Makes the next handlers fail.
   *
   * @param reason What they say of it, where they can be told.
   * @returns Whether the receiver can be asked so.
   */
  readonly failNext: (count: number, reason?: string) => Promise<boolean>;
  /** Takes back what handlers were told, so that nothing of it is left for other checks. */
  readonly mend: () => Promise<void>;
  /** Makes the next handlers hang for ever. @returns Whether the receiver can be asked so. */
  readonly hangNext: (count: number) => Promise<boolean>;
}

const JSON_HEADERS: readonly Header[] = [["Accept", "application/json"]];

/** Effects over HTTP: GET gives `[{ eventId, type, count }]`, PUT takes `{ "failNext": n }`, or is not there. */
export function httpEffects(wire: Wire): Effects {
  return {
    read: async () => {
      const body = Buffer.alloc(0);
      const received = await wire.send({ method: "GET", headers: JSON_HEADERS, body });
      if (received.kind === "none")
        throw new Error(`the effects cannot be read: ${received.why} (${received.detail})`);
      const { status, body: bytes } = received.answer;
      if (status !== 200) throw new Error(`the effects cannot be read: status ${status}`);
      return effectsOf(Buffer.from(bytes).toString());
    },
    failNext: (count, reason) => put(wire, { failNext: count, reason }),
    mend: async () => {
      await put(wire, { failNext: 0, hangNext: 0 });
    },
    hangNext: (count) => put(wire, { failNext: 0, hangNext: count }),
  };
}

/** @returns Whether the receiver can be asked so. */
async function put(wire: Wire, asked: object): Promise<boolean> {
  const body = Buffer.from(JSON.stringify(asked));
  const headers: readonly Header[] = [["Content-Type", "application/json"], ...JSON_HEADERS];
  const received = await wire.send({ method: "PUT", headers, body });
  if (received.kind === "none")
    throw new Error(`the effects do not answer: ${received.why} (${received.detail})`);
  const { status } = received.answer;
  if (status >= 200 && status < 300) return true;
  if ([400, 404, 405, 422, 501].includes(status)) return false;
  throw new Error(`the effects answer ${status} to ${body.toString()}`);
}

function effectsOf(text: string): readonly Effect[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new Error("the effects are not JSON");
  }
  if (!Array.isArray(list)) throw new Error("the effects are not a list");
  return list.map((one: unknown): Effect => {
    // Each member is looked at below.
    const { eventId, type, count, amountCents } = (one ?? {}) as Record<string, unknown>;
    const isOne =
      typeof eventId === "string" && typeof type === "string" && Number.isInteger(count);
    if (!isOne) throw new Error("an effect is not { eventId, type, count }");
    const isAmount = typeof amountCents === "string" || typeof amountCents === "number";
    const amount = isAmount ? { amountCents: String(amountCents) } : {};
    return { eventId, type, count: Number(count), ...amount };
  });
}

/** Why a target does not show what its handlers do. */
export const NO_EFFECTS = "there is no --effects-url that shows what handlers do";

export const NO_FAILURES = 'its effects take no PUT {"failNext": n} that makes handlers fail';
