import { after, type Awaitable } from "./awaitable.ts";
import type { Envelope } from "./envelope.ts";
import type { BeginRequest, EventResource, InboxTransaction } from "./inbox/inbox.ts";
import { isSuperseded, resourceOf } from "./order.ts";
import type { EventIdentity } from "./outcome.ts";
import type { ReceiverParts } from "./receiver-parts.ts";
import type { Route } from "./router.ts";
import { runHandler } from "./run-handler.ts";

/**
 * - `done`: settled. `lost`: it ran, and the claim was lost meanwhile; with a transaction nothing is written.
 * - `failed`: nothing is settled yet.
 */
export type ClaimedRun =
  | { readonly kind: "done"; readonly as: "handled" | "unrouted" | "superseded" }
  | { readonly kind: "lost" }
  | {
      readonly kind: "failed";
      readonly code: "CS_HANDLER_FAILED" | "CS_HANDLER_TIMEOUT";
      readonly error: unknown;
    };

/**
 * A claimed event: order guard → router → handler → settlement, in the handler's transaction where
 * the inbox has one. It rejects where the inbox is away: the claim ends with its lease.
 */
export function runClaimed(
  envelope: Envelope,
  token: number,
  parts: ReceiverParts,
): Awaitable<ClaimedRun> {
  const entry = parts.catalogue.get(envelope.identity.type);
  const resource = parts.order === "per-resource" ? resourceOf(envelope, entry) : undefined;
  const guarded = resource && passOver(envelope.identity, { token, resource }, parts);
  return after(guarded, (passedOver) => {
    if (passedOver !== undefined) return passedOver;
    const route = parts.router.find(envelope.identity.type, entry?.category);
    const claim = { key: envelope.identity.key, token, handlerMs: parts.limits.handlerMs };
    return parts.begin === undefined
      ? runAndComplete(route, { envelope, claim }, parts)
      : runInTransaction(route, { envelope, claim }, parts.begin(claim), parts.now);
  });
}

/** The order guard: what is older than its resource's last handled event is settled, and nothing runs. */
async function passOver(
  { key, type }: EventIdentity,
  { token, resource }: { readonly token: number; readonly resource: EventResource },
  { inbox, now }: ReceiverParts,
): Promise<ClaimedRun | undefined> {
  // The claim holds the resource too, so that no newer event is settled between here and there.
  const last = await inbox.lastHandled?.({ tenant: key.tenant, name: resource.name });
  if (!isSuperseded({ type, resource }, last)) return undefined;
  const done = await inbox.complete({ key, token, now: now(), superseded: true });
  return done ? { kind: "done", as: "superseded" } : LOST;
}

interface Claimed {
  readonly envelope: Envelope;
  readonly claim: BeginRequest;
}

function runAndComplete(
  route: Route,
  { envelope, claim }: Claimed,
  { inbox, now }: ReceiverParts,
): Awaitable<ClaimedRun> {
  const { key, token, handlerMs } = claim;
  return after(runHandler(route, envelope, { handlerMs }), (run): Awaitable<ClaimedRun> => {
    if (!run.ok) return { kind: "failed", code: run.code, error: run.error };
    return after(inbox.complete({ key, token, now: now() }), (done) => (done ? ran(route) : LOST));
  });
}

async function runInTransaction(
  route: Route,
  { envelope, claim: { handlerMs } }: Claimed,
  transaction: InboxTransaction<unknown>,
  now: () => number,
): Promise<ClaimedRun> {
  const given = { handlerMs, transaction: transaction.transaction };
  const run = await runHandler(route, envelope, given);
  if (!run.ok) {
    await transaction.rollback();
    return { kind: "failed", code: run.code, error: run.error };
  }
  const commit = await transaction.commit(now());
  switch (commit.state) {
    case "committed":
      return ran(route);
    case "lost":
      return LOST;
    case "failed":
      return { kind: "failed", code: "CS_HANDLER_FAILED", error: commit.error };
    default:
      return commit satisfies never;
  }
}

const LOST: ClaimedRun = { kind: "lost" };
const HANDLED: ClaimedRun = { kind: "done", as: "handled" };
const UNROUTED: ClaimedRun = { kind: "done", as: "unrouted" };

const ran = ({ fallback }: Route): ClaimedRun => (fallback ? UNROUTED : HANDLED);
