import type { SealedSecret } from "../../../secrets/vault.ts";
import type { Queryable } from "../../driver.ts";

export interface DueSubscription {
  readonly key: string;
  readonly merchantId: string;
  readonly url: string;
  /** Host and port of the URL; empty where it is none. */
  readonly host: string;
  readonly secret: SealedSecret;
}

type Row = Omit<DueSubscription, "secret" | "host"> & SealedSecret;

/**
 * The active subscriptions of a clock with a delivery that is due and not leased.
 *
 * A loose index scan: it steps from subscription to subscription, so that its cost grows with their
 * number and not with the backlog of any one of them.
 *
 * @param at `now` in the time of the clock, `realNow` in real time; both milliseconds.
 */
export async function dueSubscriptions(
  db: Queryable,
  clockId: string,
  at: { readonly now: number; readonly realNow: number },
): Promise<DueSubscription[]> {
  const rows = await db.query<Row>(
    `WITH RECURSIVE waiting (key) AS (
       SELECT MIN(subscription_key) FROM deliveries WHERE clock_id = $1 AND next_at IS NOT NULL
       UNION ALL
       SELECT (SELECT MIN(subscription_key) FROM deliveries
               WHERE clock_id = $1 AND next_at IS NOT NULL AND subscription_key > waiting.key)
       FROM waiting WHERE waiting.key IS NOT NULL
     )
     SELECT subscriptions.key, subscriptions.merchant_id AS "merchantId", subscriptions.url,
       subscriptions.secret AS text,
       subscriptions.secret_key_id AS "keyId"
     FROM waiting JOIN subscriptions ON subscriptions.key = waiting.key
     WHERE subscriptions.status = 'ACTIVE' AND EXISTS (
       SELECT 1 FROM deliveries
       WHERE clock_id = $1 AND subscription_key = waiting.key
         AND next_at <= $2 AND leased_until <= $3)`,
    [clockId, at.now, at.realNow],
  );
  return rows.map(({ keyId, text, ...row }) => ({
    ...row,
    host: URL.canParse(row.url) ? new URL(row.url).host : "",
    secret: { keyId, text },
  }));
}
