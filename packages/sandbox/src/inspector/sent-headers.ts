import { SecretRefusedError, secretPlace, signerOf, type EventRecord } from "@countersign/service";
import type { InspectParts } from "./inspect-parts.ts";
import type { KeyedSubscription } from "./keyed-subscriptions.ts";

/** An attempt that has been made. */
export interface MadeAttempt {
  readonly subscription: KeyedSubscription;
  readonly event: Pick<EventRecord, "id" | "payload">;
  /** Real time, in milliseconds. */
  readonly startedAt: number;
}

/**
 * The headers that an attempt carried. They are not stored: the same secret over the same bytes and time
 * makes the same signature. `null` where the secret does not open or cannot sign.
 */
export function sentHeaders(
  parts: InspectParts,
  { subscription, event, startedAt }: MadeAttempt,
): Readonly<Record<string, string>> | null {
  const secret = openedSecret(parts, subscription);
  if (secret === undefined) return null;
  const signed = signerOf(parts.profile)(
    {
      id: event.id,
      timestamp: Math.floor(startedAt / 1000),
      body: Buffer.from(event.payload, "utf8"),
    },
    secret,
  );
  if (signed === undefined) return null;
  return { ...signed, "content-type": "application/json", "user-agent": parts.userAgent };
}

/** A subscription's secret in the clear, or `undefined` where it does not open. */
export function openedSecret(
  { vault }: Pick<InspectParts, "vault">,
  subscription: KeyedSubscription,
): string | undefined {
  try {
    return vault.open(subscription, secretPlace(subscription.key));
  } catch (error) {
    if (error instanceof SecretRefusedError) return undefined;
    throw error;
  }
}
