import { after, type Awaitable, settled } from "./awaitable.ts";
import type { Envelope } from "./envelope.ts";
import type { EventKey } from "./inbox/inbox.ts";
import { type EventIdentity, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./receiver-parts.ts";
import { recordedEvent } from "./recorded-event.ts";
import { type ClaimedRun, runClaimed } from "./run-claimed.ts";

/** `acknowledge: 'after-handler'`: claims, runs and settles. From here on the inbox decides who may run the handler. */
export function handleOnce(
  body: Uint8Array,
  envelope: Envelope,
  parts: ReceiverParts,
): Awaitable<Outcome> {
  const { identity: event } = envelope;
  const leave = parts.slots.enter();
  if (leave === undefined) return rejected("CS_RECEIVER_BUSY", { event });
  return settled(() => claimAndRun(body, envelope, parts), {
    failed: (error) => failed("CS_INBOX_UNAVAILABLE", event, error),
    end: leave,
  });
}

function claimAndRun(
  body: Uint8Array,
  envelope: Envelope,
  parts: ReceiverParts,
): Awaitable<Outcome> {
  // Without the order guard nothing keeps two events of a resource apart.
  const byResource = parts.order === "per-resource";
  const { key, type, digest, resource } = recordedEvent(body, { envelope, byResource }, parts);
  const { leaseMs, anyBody } = parts;
  const now = parts.now();
  const request = { key, type, digest, resource, leaseMs, now, anyBody };
  return after(parts.inbox.claim(request), (claim): Awaitable<Outcome> => {
    switch (claim.state) {
      case "handled":
        return { kind: "duplicate", key, type };
      case "conflict":
        return rejected("CS_EVENT_ID_REUSED", { event: envelope.identity });
      case "busy": {
        const retryAfterSeconds = Math.max(1, Math.ceil((claim.until - now) / 1000));
        return { kind: "in_progress", key, type, retryAfterSeconds };
      }
      case "claimed":
        return after(runClaimed(envelope, claim.token, parts), (run) =>
          outcomeOf(run, envelope, claim.token, parts),
        );
      default:
        return claim satisfies never;
    }
  });
}

function outcomeOf(
  run: ClaimedRun,
  { identity: event }: Envelope,
  token: number,
  parts: ReceiverParts,
): Awaitable<Outcome> {
  const { key, type } = event;
  switch (run.kind) {
    case "done":
      return { kind: run.as, key, type };
    case "lost":
      return failed("CS_CLAIM_LOST", event, new Error("the handler outlived its lease"));
    case "failed":
      return release({ key, token }, parts).then(() => failed(run.code, event, run.error));
    default:
      return run satisfies never;
  }
}

/** A release that fails is no second failure: the lease ends by itself. */
async function release(
  { key, token }: { readonly key: EventKey; readonly token: number },
  { inbox, now }: ReceiverParts,
): Promise<void> {
  try {
    await inbox.release({ key, token, now: now() });
  } catch {
    // As said above.
  }
}

function failed(
  code: Extract<Outcome, { kind: "failed" }>["code"],
  event: EventIdentity,
  error: unknown,
): Outcome {
  return { kind: "failed", code, retryAfterSeconds: 5, event, error };
}
