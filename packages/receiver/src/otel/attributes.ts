import type { Attributes } from "@opentelemetry/api";
import type { EventIdentity, Outcome } from "../pipeline/outcome.ts";

/** Attributes of every span and measurement (OpenTelemetry, semantic conventions for messaging). */
export function operationAttributes(destination: string): Attributes {
  return {
    "messaging.system": "webhook",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": destination,
  };
}

/** What was decided, and why: a closed set of values. */
export function outcomeAttributes(outcome: Outcome): Attributes {
  return {
    "countersign.outcome": outcome.kind,
    ...("code" in outcome ? { "error.type": outcome.code } : {}),
  };
}

/** The type of a verified event, for metrics: one that is not in `types` is `_OTHER`. */
export function typeAttributes(outcome: Outcome, types: ReadonlySet<string>): Attributes {
  const event = eventOf(outcome);
  if (event === undefined) return {};
  // A type is the sender's choice: one that no list bounds would make series without end.
  return { "countersign.event.type": types.has(event.type) ? event.type : "_OTHER" };
}

/** What tells one verified event from another: for spans alone. Never a body, a header or an error. */
export function eventAttributes(outcome: Outcome): Attributes {
  const event = eventOf(outcome);
  if (event === undefined) return {};
  return {
    "messaging.message.id": event.key.id,
    "countersign.event.type": event.type,
    ...(event.key.tenant === "" ? {} : { "countersign.tenant": event.key.tenant }),
  };
}

const eventOf = (outcome: Outcome): EventIdentity | undefined =>
  "key" in outcome ? outcome : outcome.event;
