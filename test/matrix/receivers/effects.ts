import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as after } from "node:timers/promises";
import type { Happening } from "./read-event.ts";

/** The merchant's handler, and what it tells of itself. */
export interface Effects {
  /** @throws {Error} It was told to fail. */
  readonly handle: (event: Pick<Happening, "id" | "type">) => Promise<void>;
  /** GET: what has run. PUT `{"failNext": n}`: the next `n` runs fail. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

interface Effect {
  readonly eventId: string;
  readonly type: string;
  count: number;
}

/** @param handlerMs How long the handler takes: what comes meanwhile meets an event in progress. */
export function makeEffects({ handlerMs }: { readonly handlerMs: number }): Effects {
  const effects = new Map<string, Effect>();
  let failing = 0;
  return {
    async handle({ id, type }) {
      const fails = failing > 0;
      if (fails) failing -= 1;
      await after(handlerMs);
      if (fails) throw new Error("the ledger cannot be reached");
      const effect = effects.get(id) ?? { eventId: id, type, count: 0 };
      effect.count += 1;
      effects.set(id, effect);
    },
    async answer(request, response) {
      if (request.method === "PUT") {
        const { failNext } = (await json(request)) as { readonly failNext: number };
        failing = failNext;
        response.writeHead(204).end();
        return;
      }
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify([...effects.values()]));
    },
  };
}
