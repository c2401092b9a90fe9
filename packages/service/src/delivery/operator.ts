import type { Clock } from "../clock.ts";
import { afterCommit, type Driver } from "../store/driver.ts";
import type { Work } from "./types.ts";
import { dueInstantOf, instantOf } from "../store/tables/clocks.ts";
import { findMerchant, listMerchantsWithFailed, type Merchant } from "../store/tables/merchants.ts";
import {
  findOwner,
  requeueDeliveries,
  setSubscriptionStatus,
  type Replayed,
} from "../store/tables/replays.ts";
import { lockSubscription } from "../store/tables/subscriptions.ts";

/** Deliveries of one transaction: bounds how long their rows are locked. */
const BATCH = 500;

interface Ports {
  readonly driver: Driver;
  readonly clock: Clock;
  /** Called after COMMIT if something may be due. Default: running processes find it some seconds later. */
  readonly onWork?: (work: Work) => void;
}

interface MerchantScope {
  /** Finds nothing of other merchants. Default: an operator asks, for all of them. */
  readonly merchantId?: string | undefined;
}

type Refused<Code extends string> = { readonly ok: false; readonly code: Code };
type SubscriptionRefusal = "SUBSCRIPTION_CLOSED" | "SUBSCRIPTION_NOT_FOUND";

export interface ReplayOrder extends MerchantScope {
  readonly what: Replayed;
}

export type ReplayOutcome =
  | { readonly ok: true; readonly replayed: number }
  | Refused<SubscriptionRefusal | "DELIVERY_NOT_FOUND" | "MERCHANT_NOT_FOUND">;

/**
 * Has deliveries attempted again. They are due now, and running processes send them within the limits that hold for all.
 * Those of closed subscriptions stay as they are, and so do those that wait already, but for a single one.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: earlier batches are stored; the same call goes on.
 */
export async function replayDeliveries(ports: Ports, order: ReplayOrder): Promise<ReplayOutcome> {
  const merchants = await ownersOf(ports.driver, order);
  if ("code" in merchants) return merchants;
  let replayed = 0;
  for (const merchant of merchants) replayed += await replayOf(ports, merchant, order);
  if (replayed > 0) ports.onWork?.("anything");
  return { ok: true, replayed };
}

async function ownersOf(
  driver: Driver,
  { what, merchantId }: ReplayOrder,
): Promise<readonly Merchant[] | Extract<ReplayOutcome, { ok: false }>> {
  if (what.kind === "failed") {
    if (merchantId === undefined) return listMerchantsWithFailed(driver, what);
    const merchant = await findMerchant(driver, merchantId);
    return merchant === undefined ? { ok: false, code: "MERCHANT_NOT_FOUND" } : [merchant];
  }
  const owner = await findOwner(driver, what);
  if (owner === undefined || owner.id !== (merchantId ?? owner.id))
    return {
      ok: false,
      code: what.kind === "delivery" ? "DELIVERY_NOT_FOUND" : "SUBSCRIPTION_NOT_FOUND",
    };
  return owner.status === "CLOSED" ? { ok: false, code: "SUBSCRIPTION_CLOSED" } : [owner];
}

async function replayOf(
  { driver, clock }: Ports,
  { id: merchantId, clockId }: Merchant,
  { what }: ReplayOrder,
): Promise<number> {
  let replayed = 0;
  let after = "";
  for (;;) {
    const ids = await driver.transaction(async (tx) => {
      const at = await dueInstantOf(tx, clock, clockId);
      return requeueDeliveries(tx, { merchantId, what, at, limit: BATCH, after });
    });
    replayed += ids.length;
    after = ids.at(-1) ?? after;
    if (ids.length < BATCH) return replayed;
  }
}

export interface PauseOrder extends MerchantScope {
  /** The subscription's. */
  readonly key: string;
  readonly isPaused: boolean;
}

/**
 * Pauses a subscription, whose deliveries then wait, or lets a paused one go on, whose failures are counted anew. One that
 * is so already stays as it is; a closed one never opens again.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function pauseSubscription(
  { driver, clock, onWork }: Ports,
  { key, isPaused, merchantId }: PauseOrder,
): Promise<{ readonly ok: true } | Refused<SubscriptionRefusal>> {
  const owner = await findOwner(driver, { kind: "subscription", id: key });
  if (owner === undefined || owner.id !== (merchantId ?? owner.id))
    return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
  return driver.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, { merchantId: owner.id, key });
    if (subscription?.status === "CLOSED") return { ok: false, code: "SUBSCRIPTION_CLOSED" };
    const status = isPaused ? "PAUSED" : "ACTIVE";
    if (subscription?.status === status) return { ok: true };
    const at = await instantOf(tx, clock, owner.clockId);
    await setSubscriptionStatus(tx, { key, status, at });
    if (!isPaused) afterCommit(tx, () => onWork?.("anything"));
    return { ok: true };
  });
}
