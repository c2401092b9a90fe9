import type { Clock } from "../clock.ts";
import type { Driver } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import {
  requeueDeliveries,
  type Replayed,
} from "../store/operations/deliveries/requeue-deliveries.ts";
import type { Merchant } from "../store/tables/merchants.ts";

/** Deliveries of one transaction: bounds how long their rows are held. */
const BATCH = 500;

export interface ReplayRequest {
  readonly what: Replayed;
  /** For the audit trail: 1 to 64 characters. */
  readonly askedBy: string;
}

/**
 * Has deliveries of a merchant attempted again: one, all that failed since an instant, or all of a
 * subscription. They are due now and go out within the caps that hold for all; those of closed
 * subscriptions stay as they are. Asked for twice, those that wait already are left alone, but for a single one.
 *
 * @returns How many.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: earlier batches are stored; the same call goes on.
 */
export async function replayDeliveries(
  { driver, clock }: { readonly driver: Driver; readonly clock: Clock },
  merchant: Pick<Merchant, "id" | "clockId">,
  { what, askedBy }: ReplayRequest,
): Promise<number> {
  let replayed = 0;
  let after = "";
  for (;;) {
    const ids = await driver.transaction(async (tx) => {
      const at = await instantOf(tx, clock, merchant.clockId);
      const merchantId = merchant.id;
      return requeueDeliveries(tx, { merchantId, what, askedBy, at, limit: BATCH, after });
    });
    replayed += ids.length;
    after = ids.at(-1) ?? after;
    if (ids.length < BATCH) return replayed;
  }
}
