import type { Queryable } from "../../driver.ts";

/** Sets what of an account can change. */
export async function updateAccount(
  tx: Queryable,
  account: { merchantId: string; id: string; status: string; preferred: boolean },
): Promise<void> {
  await tx.query(
    "UPDATE accounts SET status = $3, preferred = $4 WHERE merchant_id = $1 AND id = $2",
    [account.merchantId, account.id, account.status, account.preferred ? 1 : 0],
  );
}
