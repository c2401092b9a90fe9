import type { Profile } from "@countersign/schemas";
import type { Reading, Session } from "../../harness/session.ts";
import { amountText, askRefund } from "./refunds.ts";

/** What the 409 of a known requestKey tells of the refund that has it. */
export interface Existing {
  readonly paymentId: unknown;
  readonly paymentStatus: unknown;
  readonly sameRequest: unknown;
}

/** Whether the profile's answer to a known requestKey tells of the refund: its flat form has no room. */
export function tellsExisting({ refund, statuses }: Profile): boolean {
  return refund.duplicate === "reject-with-existing" && statuses.errorBody === "problem";
}

export function existingOf({ body }: Reading): Existing | undefined {
  const { existing } = body;
  // The schema of the problem body has been checked; what is left is whether the member is there.
  return existing as Existing | undefined;
}

/**
 * Where a refund is now: the interface reads no refund, but a second call with its key is told.
 *
 * @returns `undefined` where the profile's duplicates tell nothing.
 */
export async function statusNow(
  session: Session,
  refund: { readonly paymentId: string; readonly cents: bigint; readonly requestKey: string },
): Promise<string | undefined> {
  if (!tellsExisting(session.target.profile)) return undefined;
  const { paymentId, requestKey } = refund;
  const answer = await askRefund(session, {
    paymentId,
    requestKey,
    amount: amountText(refund.cents),
  });
  const status = existingOf(answer)?.paymentStatus;
  return typeof status === "string" ? status : undefined;
}
