import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as after } from "node:timers/promises";

/** An event as any receiver passes it to a handler. */
interface Handled {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
}

interface Asked {
  readonly failNext: number;
  readonly hangNext?: number;
  readonly reason?: string;
}

interface Options {
  /** Duration of the handler: attempts meanwhile meet an event in progress. */
  readonly handlerMs: number;
  /** Default: exact for whole cents. */
  readonly centsOf?: (dollars: number) => number;
}

/** A ledger of what handlers have done, as an effects URL lists it. */
export function makeEffects({
  handlerMs,
  centsOf = (dollars) => Math.round(dollars * 100),
}: Options) {
  const effects = new Map<string, { readonly eventId: string; count: number }>();
  let [failing, hanging, reason] = [0, 0, ""];
  return {
    /** @throws {Error} The next runs must fail. */
    async handle({ id, type, data }: Handled): Promise<void> {
      if (hanging > 0) {
        hanging -= 1;
        await new Promise<never>(() => {});
      }
      const fails = failing > 0;
      if (fails) failing -= 1;
      await after(handlerMs);
      if (fails) throw new Error(reason);
      const effect = effects.get(id) ?? { eventId: id, type, ...booked(data, centsOf), count: 0 };
      effect.count += 1;
      effects.set(id, effect);
    },
    /** GET: what has run. PUT `{"failNext": n, "reason": "…", "hangNext": n}`: the next `n` runs fail, or never end. */
    async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (request.method === "PUT") {
        const asked = (await json(request)) as Asked;
        failing = asked.failNext;
        hanging = asked.hangNext ?? 0;
        reason = asked.reason ?? "the ledger cannot be reached";
        response.writeHead(204).end();
        return;
      }
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify([...effects.values()]));
    },
  };
}

/** The amount that the handler would book, if the event has one: in whole cents, which every amount of the schema is. */
function booked(data: unknown, centsOf: (dollars: number) => number) {
  const { amount } = (data ?? {}) as { readonly amount?: { readonly value?: unknown } };
  const value = amount?.value;
  return typeof value === "number" ? { amountCents: String(centsOf(value)) } : {};
}
