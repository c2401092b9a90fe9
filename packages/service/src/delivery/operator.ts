import type { Clock } from "../clock.ts";
import type { Driver } from "../store/driver.ts";
import { recordAction } from "../store/tables/admin-actions.ts";
import { dueInstantOf, instantOf } from "../store/tables/clocks.ts";
import { findMerchant, listMerchantsWithFailed, type Merchant } from "../store/tables/merchants.ts";
import {
  findOwner,
  requeueDeliveries,
  resumeSubscription,
  type Owner,
  type Replayed,
} from "../store/tables/replays.ts";
import { lockSubscription, updateSelection } from "../store/tables/subscriptions.ts";

/** Deliveries of one transaction: bounds how long their rows are locked. */
const BATCH = 500;

interface Ports {
  readonly driver: Driver;
  readonly clock: Clock;
}

/** What an operator has attempted again, whosever it is. */
export type OperatorReplay =
  /** One delivery, whatever became of it. */
  | { readonly kind: "delivery"; readonly id: string }
  /** All of a subscription that are not waiting. */
  | { readonly kind: "subscription"; readonly key: string }
  /**
   * Those that are exhausted, of events written at `since` (milliseconds since 1970) or later: of one
   * merchant, or of all.
   */
  | { readonly kind: "failed"; readonly since: number; readonly merchantId?: string };

export type OperatorRefusal =
  | "DELIVERY_NOT_FOUND"
  | "MERCHANT_NOT_FOUND"
  | "SUBSCRIPTION_CLOSED"
  | "SUBSCRIPTION_NOT_FOUND";

type Refused = { readonly ok: false; readonly code: OperatorRefusal };

/**
 * Has deliveries attempted again for an operator, as `replayDeliveries` does for a merchant. Running processes
 * find them at their next look, and send them within their caps.
 *
 * @param ask `askedBy` is for the audit trail, 1 to 64 characters.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: earlier batches are stored.
 */
export async function replayForOperator(
  ports: Ports,
  { what, askedBy }: { readonly what: OperatorReplay; readonly askedBy: string },
): Promise<{ readonly ok: true; readonly replayed: number } | Refused> {
  const merchants = await ownersOf(ports, what);
  if ("code" in merchants) return merchants;
  let replayed = 0;
  for (const merchant of merchants) {
    replayed += await replayDeliveries(ports, merchant, { what, askedBy });
  }
  return { ok: true, replayed };
}

/**
 * Lets a paused subscription go on for an operator, as `resumeSubscription` does for its merchant.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function resumeForOperator(
  { driver, clock }: Ports,
  { key, askedBy }: { readonly key: string; readonly askedBy: string },
): Promise<{ readonly ok: true } | Refused> {
  const owner = await findOwner(driver, { kind: "subscription", id: key });
  if (owner === undefined) return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
  return driver.transaction(async (tx) => {
    const at = await instantOf(tx, clock, owner.clockId);
    return resumeSubscription(tx, { merchantId: owner.id, key, at, askedBy });
  });
}

/**
 * Pauses a subscription for an operator: its deliveries wait until it is resumed. One that is paused stays as it is.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function pauseForOperator(
  { driver, clock }: Ports,
  { key, askedBy }: { readonly key: string; readonly askedBy: string },
): Promise<{ readonly ok: true } | Refused> {
  const owner = await findOwner(driver, { kind: "subscription", id: key });
  if (owner === undefined) return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
  const merchantId = owner.id;
  return driver.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, { merchantId, key });
    if (subscription?.status === "CLOSED") return { ok: false, code: "SUBSCRIPTION_CLOSED" };
    if (subscription?.status !== "ACTIVE") return { ok: true };
    const updatedAt = await instantOf(tx, clock, owner.clockId);
    await updateSelection(tx, merchantId, { ...subscription, status: "PAUSED", updatedAt });
    const action = { what: "subscription.pause", subject: key, merchantId, askedBy } as const;
    await recordAction(tx, { ...action, at: clock.now() });
    return { ok: true };
  });
}

async function ownersOf(
  { driver }: Ports,
  what: OperatorReplay,
): Promise<readonly Merchant[] | Refused> {
  switch (what.kind) {
    case "delivery": {
      const owner = await findOwner(driver, { kind: "delivery", id: what.id });
      return onlyOpen(owner, "DELIVERY_NOT_FOUND");
    }
    case "subscription": {
      const owner = await findOwner(driver, { kind: "subscription", id: what.key });
      return onlyOpen(owner, "SUBSCRIPTION_NOT_FOUND");
    }
    case "failed": {
      if (what.merchantId === undefined) return listMerchantsWithFailed(driver, what);
      const merchant = await findMerchant(driver, what.merchantId);
      return merchant === undefined ? { ok: false, code: "MERCHANT_NOT_FOUND" } : [merchant];
    }
    default:
      return what satisfies never;
  }
}

function onlyOpen(owner: Owner | undefined, code: OperatorRefusal): readonly Merchant[] | Refused {
  if (owner === undefined) return { ok: false, code };
  return owner.status === "CLOSED" ? { ok: false, code: "SUBSCRIPTION_CLOSED" } : [owner];
}

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
  { driver, clock }: Ports,
  merchant: Pick<Merchant, "id" | "clockId">,
  { what, askedBy }: ReplayRequest,
): Promise<number> {
  let replayed = 0;
  let after = "";
  for (;;) {
    const ids = await driver.transaction(async (tx) => {
      const at = await dueInstantOf(tx, clock, merchant.clockId);
      const merchantId = merchant.id;
      return requeueDeliveries(tx, { merchantId, what, askedBy, at, limit: BATCH, after });
    });
    replayed += ids.length;
    after = ids.at(-1) ?? after;
    if (ids.length < BATCH) return replayed;
  }
}
