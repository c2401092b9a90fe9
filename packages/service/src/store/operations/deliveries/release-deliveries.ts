import type { Queryable } from "../../driver.ts";

/** Gives claims back, so that the deliveries need not wait for their leases to end. */
export async function releaseDeliveries(
  tx: Queryable,
  claims: readonly { readonly id: string; readonly attempt: number }[],
): Promise<void> {
  for (const { id, attempt } of claims) {
    await tx.query("UPDATE deliveries SET leased_until = 0 WHERE id = $1 AND attempts = $2", [
      id,
      attempt,
    ]);
  }
}
