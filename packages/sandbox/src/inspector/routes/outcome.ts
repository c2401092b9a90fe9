import { writtenTime, type Route } from "@countersign/service";
import { integer, optional, readMembers, required, text } from "../../members.ts";
import type { InspectParts } from "../inspect-parts.ts";

/** `POST /sandbox/outcomes`: a receiver tells what it decided about an attempt; shown beside the attempt. */
export const postOutcome = ({ outcomes, streams }: InspectParts): Route => ({
  method: "POST",
  scope: undefined,
  answer: async ({ context, merchant, body }) => {
    const order = readMembers(body, {
      outcome: required(text({ max: 32, pattern: [/^[a-z_]+$/, "characters of [a-z_]"] })),
      eventId: optional(text({ max: 255 })),
      code: optional(text({ max: 64 })),
      durationMs: optional(integer({ min: 0, max: 86_400_000 })),
    });
    const told = {
      outcome: order.outcome,
      eventId: order.eventId ?? null,
      code: order.code ?? null,
      durationMs: order.durationMs ?? null,
      at: context.clock.now(),
    };
    outcomes.add(merchant.id, told);
    const shown = { ...told, at: writtenTime(told.at) };
    streams.outcomeTold(merchant.id, shown);
    return { status: 201, body: shown };
  },
});

/** `GET /sandbox/outcomes`: what receivers have told, the newest first. */
export const getOutcomes = ({ outcomes }: InspectParts): Route => ({
  method: "GET",
  scope: undefined,
  answer: async ({ merchant }) => ({
    status: 200,
    body: {
      outcomes: outcomes
        .list(merchant.id)
        .map((told) => ({ ...told, at: writtenTime(told.at) }))
        .toReversed(),
    },
  }),
});
