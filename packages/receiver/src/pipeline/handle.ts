import { hash } from "node:crypto";
import type {
  Claim,
  EventKey,
  EventResource,
  InboxTransaction,
  NextRequest,
  RecordedEvent,
  TakenEvent,
} from "../inbox/inbox.ts";
import type { Deadline } from "./admission.ts";
import { type Envelope, isSuperseded, resourceOf } from "./envelope.ts";
import { type EventIdentity, failed, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import type { Route } from "./router.ts";
import { type ClaimedEvent, type ClaimedRun, lost, runHandler } from "./run-handler.ts";

/**
 * Claims an event, runs its handler in a slot and completes it. From the claim on, the inbox decides who may
 * run the handler. The claim comes before the slot, so that a repeat of an event in progress is answered at once.
 */
export async function handleOnce(
  body: Uint8Array,
  envelope: Envelope,
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
): Promise<Outcome> {
  const { identity: event } = envelope;
  const { key, type } = event;
  const { inbox, leaseMs, anyBody, now, slots } = parts;
  const claimedAt = parts.elapsed();
  const late = (): Outcome => inboxLate(event);
  try {
    deadline.whenPassed = late;
    const wallTime = now();
    // Without the order guard, nothing keeps two events of a resource apart.
    const recorded = recordedEvent(body, envelope, parts, { byResource: parts.order !== "none" });
    const claim: Claim = await inbox.claim({ ...recorded, leaseMs, now: wallTime, anyBody });
    switch (claim.state) {
      case "handled":
        return { kind: "duplicate", key, type };
      case "conflict":
        return rejected("CS_EVENT_ID_REUSED", { event });
      case "busy": {
        const retryAfterSeconds = Math.max(1, Math.ceil((claim.until - wallTime) / 1000));
        return { kind: "in_progress", key, type, retryAfterSeconds };
      }
      case "claimed":
        break;
      default:
        return claim satisfies never;
    }
    const { token } = claim;
    const busy = (): Outcome => rejected("CS_RECEIVER_BUSY", { event });
    if (!slots.tryEnter() && !(await slots.wait(deadline, busy))) {
      await release({ key, token }, parts);
      return busy();
    }
    deadline.whenPassed = late;
    let inSlot = true;
    const leaveSlot = (): void => {
      if (inSlot) slots.leave();
      inSlot = false;
    };
    let run: ClaimedRun;
    try {
      run = await runClaimed({ envelope, token, claimedAt }, { deadline, leaveSlot }, parts);
    } finally {
      leaveSlot();
    }
    switch (run.kind) {
      case "done":
        return { kind: run.as, key, type };
      case "lost":
        return failed("CS_CLAIM_LOST", run.error, event);
      case "failed":
        await release({ key, token }, parts);
        return failed(run.code, run.error, event);
      default:
        return run satisfies never;
    }
  } catch (error) {
    return failed("CS_INBOX_UNAVAILABLE", error, event);
  }
}

/** Frees the claim for the sender's next attempt. If this fails, the lease expires. */
async function release(
  claim: { readonly key: EventKey; readonly token: number },
  { inbox, now }: ReceiverParts,
): Promise<void> {
  try {
    await inbox.release({ ...claim, now: now() });
  } catch {
    // As said above.
  }
}

/** Fails an attempt whose inbox did not answer within `limits.answerMs`. */
export const inboxLate = (event: EventIdentity): Outcome =>
  failed("CS_INBOX_UNAVAILABLE", new Error("the inbox did not answer in time"), event);

/** Returns an authentic event as an inbox records it. */
export function recordedEvent(
  body: Uint8Array,
  envelope: Envelope,
  { catalogue }: Pick<ReceiverParts, "catalogue">,
  { byResource }: { readonly byResource: boolean },
): RecordedEvent {
  const { key, type } = envelope.identity;
  const digest = hash("sha256", body, "base64url");
  const resource = byResource ? resourceOf(envelope, catalogue.get(type)) : undefined;
  return { key, type, digest, resource };
}

/**
 * Runs a claimed event's handler and completes it, in the handler's transaction if the inbox has one.
 * When `deadline` passes, the handler's signal aborts; the handler keeps its claim until it settles or
 * its lease ends. Rejects if the inbox is unavailable: the claim ends with its lease.
 *
 * @param leaveSlot Called before a completion that holds no connection, so that one statement completes
 *   many events.
 * @param askForNext A worker's request for the next event of the resource, made with the completion.
 */
export async function runClaimed(
  claimed: ClaimedEvent,
  {
    deadline,
    leaveSlot,
    askForNext,
  }: {
    readonly deadline: Deadline<Outcome>;
    readonly leaveSlot?: () => void;
    readonly askForNext?: () => NextRequest | undefined;
  },
  parts: ReceiverParts,
): Promise<ClaimedRun> {
  const { envelope, token } = claimed;
  const { identity: event } = envelope;
  const entry = parts.catalogue.get(event.type);
  const resource = parts.order === "per-resource" ? resourceOf(envelope, entry) : undefined;
  const skipped = resource && (await skipOlder(event, { token, resource }, parts));
  if (skipped !== undefined) return skipped;

  // An attempt that was answered meanwhile starts nothing; its sender tries again.
  if (deadline.isPassed)
    return { kind: "failed", code: "CS_HANDLER_TIMEOUT", error: new Error("no time was left") };
  const route = parts.router.find(event.type, entry?.category);
  const claim = { key: event.key, token, leaseMs: parts.leaseMs };
  const transaction = parts.begin?.(claim);

  const run = await runHandler(route, claimed, { transaction, deadline }, parts);
  deadline.whenPassed = () => inboxLate(event);
  if (run !== "done") {
    await transaction?.rollback();
    return run;
  }
  if (transaction?.holdsConnection !== true) leaveSlot?.();
  return transaction === undefined
    ? (await parts.inbox.complete({ key: event.key, token, now: parts.now() }))
      ? ran(route)
      : lost("another attempt has taken over the event")
    : commit(route, transaction, resource && askForNext?.(), parts);
}

/** The order guard: completes an event that is older than its resource's last handled one, without running anything. */
async function skipOlder(
  { key, type }: EventIdentity,
  { token, resource }: { readonly token: number; readonly resource: EventResource },
  { inbox, now }: ReceiverParts,
): Promise<ClaimedRun | undefined> {
  // The claim keeps other events of the resource away until this one is completed.
  const last = await inbox.lastHandled?.({ tenant: key.tenant, name: resource.name });
  if (!isSuperseded({ type, resource }, last)) return undefined;
  const done = await inbox.complete({ key, token, now: now(), superseded: true });
  return done
    ? { kind: "done", as: "superseded" }
    : lost("another attempt has taken over the event");
}

async function commit(
  route: Route,
  transaction: InboxTransaction<unknown>,
  next: NextRequest | undefined,
  { now }: ReceiverParts,
): Promise<ClaimedRun> {
  const result = await transaction.commit(now(), next);
  switch (result.state) {
    case "committed":
      return ran(route, result.next);
    case "lost":
      return lost("another attempt has taken over the event");
    case "failed":
      return { kind: "failed", code: "CS_HANDLER_FAILED", error: result.error };
    default:
      return result satisfies never;
  }
}

const ran = ({ fallback }: Route, next?: TakenEvent): ClaimedRun => ({
  kind: "done",
  as: fallback ? "unrouted" : "handled",
  next,
});
