import { AssertionError } from "node:assert";
import type { EventIdentity, Outcome } from "../pipeline/outcome.ts";
import type { Attempt } from "../pipeline/body.ts";

/**
 * Gives an attempt to a receiver and expects that a registered handler ran and succeeded.
 *
 * @returns The identity of the event that was handled.
 * @throws {AssertionError} any other outcome: the message says which, with its code and what is wrong
 *   with the body; `cause` is what a handler, the inbox or `secrets` threw. The fallback does not
 *   count: an event that nobody handles is what such a test is there to find.
 */
export async function expectHandled(
  receiver: { receive(attempt: Attempt): Promise<Outcome> },
  attempt: Attempt,
): Promise<EventIdentity> {
  const outcome = await receiver.receive(attempt);
  if (outcome.kind === "handled") return { key: outcome.key, type: outcome.type };
  const error = new AssertionError({
    message: `expected the attempt to be handled, but ${describe(outcome)}`,
    actual: outcome.kind,
    expected: "handled",
    operator: "expectHandled",
    stackStartFn: expectHandled,
  });
  if (outcome.kind === "failed") error.cause = outcome.error;
  throw error;
}

function describe(outcome: Outcome): string {
  switch (outcome.kind) {
    case "handled":
      return `${outcome.key.id} was handled`;
    case "unrouted":
      return `no handler is registered for ${JSON.stringify(outcome.type)} or its category: the fallback ran`;
    case "duplicate":
      return `${outcome.key.id} is a duplicate: it was handled before`;
    case "superseded":
      return `${outcome.key.id} is superseded: a newer event of its resource was handled before`;
    case "stored":
      return `${outcome.key.id} is stored: a worker handles it later`;
    case "in_progress":
      return `${outcome.key.id} is in progress in another attempt`;
    case "failed":
      return `it failed: ${outcome.code}`;
    case "rejected":
      return ["it was rejected: ", outcome.code, ...(outcome.details ?? []).map(detail)].join("");
    default:
      return outcome satisfies never;
  }
}

const detail = ({
  pointer,
  message,
}: {
  readonly pointer?: string;
  readonly message: string;
}): string => `; ${pointer === undefined ? "the body" : pointer} ${message}`;
