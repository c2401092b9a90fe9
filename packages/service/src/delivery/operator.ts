import { afterCommit } from "../store/driver.ts";
import { dueInstantOf, instantOf } from "../store/tables/clocks.ts";
import { findMerchant, listMerchantsWithFailed, type Merchant } from "../store/tables/merchants.ts";
import {
  findOwner,
  requeueDeliveries,
  setSubscriptionStatus,
  type Replayed,
} from "../store/tables/replays.ts";
import { lockSubscription } from "../store/tables/subscriptions.ts";
import type { Context, Refusal } from "../use-cases/context.ts";

/** Deliveries of one transaction: bounds how long their rows are locked. */
const BATCH = 500;

type Ports = Pick<Context, "driver" | "clock" | "onWork">;

interface MerchantScope {
  /** Finds nothing of other merchants. Default: an operator asks, for all of them. */
  readonly merchantId?: string | undefined;
}

type SubscriptionRefusal = Refusal<"SUBSCRIPTION_CLOSED" | "SUBSCRIPTION_NOT_FOUND">;

interface ReplayOrder extends MerchantScope {
  readonly what: Replayed;
}

type ReplayRefusal = SubscriptionRefusal | Refusal<"DELIVERY_NOT_FOUND" | "MERCHANT_NOT_FOUND">;

/**
 * Has deliveries attempted again. They are due now, and running processes send them within the limits that hold for all.
 * Those of closed subscriptions stay as they are, and so do those that wait already, but for a single one. If it throws,
 * earlier batches are stored, and the same call goes on.
 */
export async function replayDeliveries(
  { driver, clock, onWork }: Ports,
  order: ReplayOrder,
): Promise<{ readonly ok: true; readonly replayed: number } | ReplayRefusal> {
  const merchants = await ownersOf({ driver }, order);
  if ("code" in merchants) return merchants;
  const { what } = order;
  let replayed = 0;
  for (const { id: merchantId, clockId } of merchants) {
    let ids: string[] = [];
    do {
      const after = ids.at(-1) ?? "";
      ids = await driver.transaction(async (tx) => {
        const at = await dueInstantOf(tx, clock, clockId);
        return requeueDeliveries(tx, { merchantId, what, at, limit: BATCH, after });
      });
      replayed += ids.length;
    } while (ids.length === BATCH);
  }
  if (replayed > 0) onWork("anything");
  return { ok: true, replayed };
}

async function ownersOf(
  { driver }: Pick<Ports, "driver">,
  { what, merchantId }: ReplayOrder,
): Promise<readonly Merchant[] | ReplayRefusal> {
  if (what.kind === "failed") {
    if (merchantId === undefined) return listMerchantsWithFailed(driver, what);
    const merchant = await findMerchant(driver, merchantId);
    return merchant === undefined ? { ok: false, code: "MERCHANT_NOT_FOUND" } : [merchant];
  }
  const owner = await findOwner(driver, what);
  const unknown = what.kind === "delivery" ? "DELIVERY_NOT_FOUND" : "SUBSCRIPTION_NOT_FOUND";
  if (owner === undefined || owner.id !== (merchantId ?? owner.id))
    return { ok: false, code: unknown };
  return owner.status === "CLOSED" ? { ok: false, code: "SUBSCRIPTION_CLOSED" } : [owner];
}

interface PauseOrder extends MerchantScope {
  /** The subscription's. */
  readonly key: string;
  readonly isPaused: boolean;
}

/**
 * Pauses a subscription, whose deliveries then wait, or lets a paused one go on, whose failures are counted anew. One that
 * is so already stays as it is; a closed one never opens again.
 */
export async function pauseSubscription(
  { driver, clock, onWork }: Ports,
  { key, isPaused, merchantId }: PauseOrder,
): Promise<{ readonly ok: true } | SubscriptionRefusal> {
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
    if (!isPaused) afterCommit(tx, () => onWork("anything"));
    return { ok: true };
  });
}
