import type { Envelope } from "./envelope.ts";
import { isSuperseded, resourceOf } from "./order.ts";
import type { ReceiverParts } from "./receiver-parts.ts";
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
export async function runClaimed(
  envelope: Envelope,
  token: number,
  parts: ReceiverParts,
): Promise<ClaimedRun> {
  const { key, type } = envelope.identity;
  const entry = parts.catalogue.get(type);
  if (parts.order === "per-resource") {
    const resource = resourceOf(envelope, entry);
    // The claim holds the resource too, so that no newer event is settled between here and there.
    const last =
      resource && (await parts.inbox.lastHandled?.({ tenant: key.tenant, name: resource.name }));
    if (resource !== undefined && isSuperseded({ type, resource }, last)) {
      const done = await parts.inbox.complete({ key, token, now: parts.now(), superseded: true });
      return done ? { kind: "done", as: "superseded" } : { kind: "lost" };
    }
  }

  const route = parts.router.find(type, entry?.category);
  const transaction = parts.begin?.({ key, token, handlerMs: parts.limits.handlerMs });
  const given = transaction && { transaction: transaction.transaction };
  const run = await runHandler(route, envelope, {
    handlerMs: parts.limits.handlerMs,
    context: given ?? {},
  });
  if (!run.ok) {
    await transaction?.rollback();
    return { kind: "failed", code: run.code, error: run.error };
  }
  const as = route.fallback ? "unrouted" : "handled";
  if (transaction === undefined)
    return (await parts.inbox.complete({ key, token, now: parts.now() }))
      ? { kind: "done", as }
      : { kind: "lost" };
  const commit = await transaction.commit(parts.now());
  switch (commit.state) {
    case "committed":
      return { kind: "done", as };
    case "lost":
      return { kind: "lost" };
    case "failed":
      return { kind: "failed", code: "CS_HANDLER_FAILED", error: commit.error };
    default:
      return commit satisfies never;
  }
}
