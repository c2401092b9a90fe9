import { newId } from "../ids.ts";
import { sha256Hex } from "../sha256.ts";
import { orUndone, Undo } from "../store/driver.ts";
import { recordAction } from "../store/tables/audit.ts";
import { insertClock } from "../store/tables/clocks.ts";
import {
  insertClient,
  insertMerchant,
  setMerchantName,
  type Merchant,
} from "../store/tables/merchants.ts";
import { newClientSecret } from "./clients.ts";
import type { Context } from "./context.ts";

export interface NewMerchant {
  readonly name: string;
  /** `"live"` is real time; an instant in milliseconds creates a separate clock. */
  readonly clock: "live" | { readonly instant: number };
  /** Scopes of the merchant's client. */
  readonly scopes: readonly string[];
  /** The OAuth client's credentials. Default: new ones, the secret of 256 random bits. */
  readonly client?: { readonly id: string; readonly secret: string };
}

export type CreateMerchantOutcome =
  | {
      readonly ok: true;
      readonly merchant: Merchant;
      readonly clientId: string;
      /** Returned only here: only its SHA-256 is stored. */
      readonly clientSecret: string;
    }
  | { readonly ok: false; readonly code: "CLIENT_ID_TAKEN" };

/**
 * Creates a merchant with an OAuth client, and its clock if it has a separate one.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function createMerchant(
  { driver, clock, random }: Pick<Context, "driver" | "clock" | "random">,
  order: NewMerchant,
): Promise<CreateMerchantOutcome> {
  const own = order.clock === "live" ? undefined : order.clock;
  const merchant = {
    id: newId(random, "mer"),
    clockId: own === undefined ? "live" : newId(random, "clk"),
  };
  const client = order.client ?? { id: newId(random, "cli"), secret: newClientSecret(random) };
  const createdAt = clock.now();
  return orUndone(
    driver.transaction<CreateMerchantOutcome>(async (tx) => {
      if (own !== undefined) await insertClock(tx, { id: merchant.clockId, instant: own.instant });
      await insertMerchant(tx, { ...merchant, name: order.name, createdAt });
      const inserted = await insertClient(tx, {
        id: client.id,
        merchantId: merchant.id,
        secretHash: sha256Hex(client.secret),
        scopes: order.scopes,
        createdAt,
      });
      if (!inserted) throw new Undo<CreateMerchantOutcome>({ ok: false, code: "CLIENT_ID_TAKEN" });
      return { ok: true, merchant, clientId: client.id, clientSecret: client.secret };
    }),
  );
}

/**
 * Creates a merchant in real time, without a client.
 *
 * @param order `askedBy` is for the audit log, 1 to 64 characters.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function addMerchant(
  { driver, clock, random }: Pick<Context, "driver" | "clock" | "random">,
  { name, askedBy }: { readonly name: string; readonly askedBy: string },
): Promise<Merchant> {
  const merchant = { id: newId(random, "mer"), clockId: "live" };
  const at = clock.now();
  await driver.transaction(async (tx) => {
    await insertMerchant(tx, { ...merchant, name, createdAt: at });
    const subject = merchant.id;
    await recordAction(tx, { what: "merchant.create", subject, merchantId: subject, askedBy, at });
  });
  return merchant;
}

/** @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored. */
export async function renameMerchant(
  { driver, clock }: Pick<Context, "driver" | "clock">,
  { id, name, askedBy }: { readonly id: string; readonly name: string; readonly askedBy: string },
): Promise<{ readonly ok: true } | { readonly ok: false; readonly code: "MERCHANT_NOT_FOUND" }> {
  return driver.transaction(async (tx) => {
    if (!(await setMerchantName(tx, { id, name })))
      return { ok: false, code: "MERCHANT_NOT_FOUND" };
    const at = clock.now();
    await recordAction(tx, { what: "merchant.rename", subject: id, merchantId: id, askedBy, at });
    return { ok: true };
  });
}
