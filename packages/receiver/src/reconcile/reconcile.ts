import { setTimeout } from "node:timers/promises";
import { MistakeError } from "../mistake.ts";
import { Deadline } from "../pipeline/admission.ts";
import type { IncomingEvent } from "../pipeline/event.ts";
import { failed, type Outcome } from "../pipeline/outcome.ts";
import type { ReceiverParts } from "../pipeline/parts.ts";
import { recordOnce } from "../pipeline/record.ts";
import { compareInbox, type CompareOptions, type Reconciliation } from "./compare.ts";
import type { ReadList } from "./event-list.ts";
import { ListError } from "./list-error.ts";

export interface ReconcileOptions extends CompareOptions {
  /** True: handles what is missing. Default false: nothing is written. */
  readonly feed?: boolean;
  /** The most events that are fed in a second. Default 20. */
  readonly rate?: number;
  /** Waits between two events that are fed, in milliseconds. Default: a timer. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** `receiver.reconcile`. */
export async function reconcile(
  list: ReadList,
  { feed = false, rate = 20, wait = setTimeout, ...options }: ReconcileOptions,
  { parts, retentionMs }: { readonly parts: ReceiverParts; readonly retentionMs: number },
): Promise<Reconciliation> {
  const now = parts.now();
  if (options.since < now - retentionMs)
    throw new MistakeError(
      'reconcile: "since" is before "retention": the inbox has forgotten what it handled then',
      "CS_OPTION_CONFLICT",
    );
  if (!(rate > 0)) throw new MistakeError('reconcile: "rate" must be a positive number');
  const { provider } = parts;
  if (feed && provider.list?.bodies === false)
    throw new ListError(
      "CS_LIST_UNSUPPORTED",
      `the list of ${provider.title} has no bodies: have the events delivered again, with countersign inbox reconcile --redeliver`,
    );
  const pace = 1000 / rate;
  const feedOne = async (event: IncomingEvent): Promise<Outcome> => {
    const startedAt = parts.elapsed();
    const outcome = await handleListed(event, parts);
    parts.report(outcome, { durationMs: parts.elapsed() - startedAt });
    await wait(pace);
    return outcome;
  };
  const { inbox, repeatsId, catalogue } = parts;
  const compared = { provider, inbox, now, events: { repeatsId, catalogue } };
  return compareInbox(list, options, { ...compared, ...(feed && { feed: feedOne }) });
}

/** Handles or stores a listed event like one that arrived. Never rejects. */
async function handleListed(event: IncomingEvent, parts: ReceiverParts): Promise<Outcome> {
  const { identity } = event;
  const signed = { id: false, type: false, time: false };
  const unsigned = { ...event, facts: { ...event.facts, signed, reconciled: true as const } };
  // Nobody waits for an answer: a handler that takes longer keeps its claim, and its own outcome counts.
  const deadline = new Deadline<Outcome>(parts.limits.answerMs, () =>
    failed("CS_HANDLER_TIMEOUT", undefined, identity),
  );
  try {
    return await recordOnce(unsigned, deadline, { ...parts, onIdReuse: "duplicate" });
  } finally {
    deadline.end();
  }
}
