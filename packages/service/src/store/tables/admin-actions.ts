import type { Queryable } from "../driver.ts";

/** A line of the audit log of administration. */
export interface AdminAction {
  readonly what:
    | "merchant.create"
    | "merchant.rename"
    | "client.create"
    | "client.rotate"
    | "client.revoke"
    | "customer.create"
    | "payment.create"
    | "payment.settle"
    | "payment.fail"
    | "subscription.pause";
  /** The id of what was changed. */
  readonly subject: string;
  readonly merchantId: string;
  /** 1 to 64 characters. */
  readonly askedBy: string;
  /** Real time, in milliseconds. */
  readonly at: number;
}

/** Writes the audit log, in the transaction of the change. */
export async function recordAction(
  tx: Queryable,
  { what, subject, merchantId, askedBy, at }: AdminAction,
): Promise<void> {
  await tx.query(
    `INSERT INTO admin_actions (what, subject, merchant_id, asked_by, at)
      VALUES ($1, $2, $3, $4, $5)`,
    [what, subject, merchantId, askedBy, at],
  );
}
