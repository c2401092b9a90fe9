import type { Envelope } from "./envelope.ts";
import { type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./receiver-parts.ts";

/** A known type must fit its schema; an unknown one passes, since senders add types without notice. */
export function validate(envelope: Envelope, { catalogue }: ReceiverParts): Outcome | undefined {
  const entry = catalogue.get(envelope.identity.type);
  if (entry === undefined) return undefined;
  const { identity: event } = envelope;
  const validation = entry.validate(envelope.body);
  if (!validation.ok)
    return rejected("CS_EVENT_SCHEMA", {
      event,
      details: validation.errors.map(({ pointer, message }) => ({ pointer, message })),
    });
  if (envelope.inexact.size === 0) return undefined;
  // Judged on the source text: the parsed number of 0.1000000000000000055 is 0.1.
  const pointer = entry.amounts.find((amount) => envelope.inexact.has(amount));
  return pointer === undefined
    ? undefined
    : rejected("CS_EVENT_SCHEMA", {
        event,
        details: [{ pointer, message: "has more digits than an amount of cents" }],
      });
}
