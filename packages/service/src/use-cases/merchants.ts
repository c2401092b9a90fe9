import { type Random, newId } from "../random.ts";
import { sha256Hex } from "../secrets/vault.ts";
import { type Queryable, Undo, orUndone } from "../store/driver.ts";
import { recordAction } from "../store/tables/audit.ts";
import { insertClock } from "../store/tables/clocks.ts";
import {
  type Merchant,
  findClient,
  findMerchant,
  insertClient,
  insertMerchant,
  markClientRevoked,
  replaceClientSecret,
  setMerchantName,
} from "../store/tables/merchants.ts";
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

/** A client's credentials. The secret is returned only once: only its SHA-256 is stored. */
export interface IssuedClient {
  readonly ok: true;
  readonly clientId: string;
  readonly clientSecret: string;
}

type Refused<Code extends string> = { readonly ok: false; readonly code: Code };
type Ports = Pick<Context, "driver" | "clock" | "random">;

/** 256 random bits. */
function newClientSecret(random: Random): string {
  return `css_${Buffer.from(random.bytes(32)).toString("base64url")}`;
}

/**
 * Creates a further OAuth client of a merchant.
 *
 * @param order `scopes`: one or more. `askedBy` is for the audit log, 1 to 64 characters.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function createClient(
  { driver, clock, random }: Ports,
  order: {
    readonly merchantId: string;
    readonly scopes: readonly string[];
    readonly askedBy: string;
  },
): Promise<IssuedClient | Refused<"MERCHANT_NOT_FOUND">> {
  const { merchantId, scopes, askedBy } = order;
  const [clientId, clientSecret] = [newId(random, "cli"), newClientSecret(random)];
  const at = clock.now();
  return driver.transaction(async (tx) => {
    const merchant = await findMerchant(tx, merchantId);
    if (merchant === undefined) return { ok: false, code: "MERCHANT_NOT_FOUND" };
    const secretHash = sha256Hex(clientSecret);
    await insertClient(tx, { id: clientId, merchantId, secretHash, scopes, createdAt: at });
    await recordAction(tx, { what: "client.create", subject: clientId, merchantId, askedBy, at });
    return { ok: true, clientId, clientSecret };
  });
}

/**
 * Gives a client a new secret. The present one is valid for `overlapMs` more; one from an earlier rotation ends now,
 * so that at most two are valid.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function rotateClientSecret(
  { driver, clock, random }: Ports,
  order: { readonly clientId: string; readonly overlapMs: number; readonly askedBy: string },
): Promise<
  | (IssuedClient & { readonly previousUntil: number })
  | Refused<"CLIENT_NOT_FOUND" | "CLIENT_REVOKED">
> {
  const { clientId, overlapMs, askedBy } = order;
  const clientSecret = newClientSecret(random);
  const at = clock.now();
  const previousUntil = at + overlapMs;
  return driver.transaction(async (tx) => {
    const secretHash = sha256Hex(clientSecret);
    const merchantId = await replaceClientSecret(tx, { id: clientId, secretHash, previousUntil });
    if (merchantId === undefined) {
      return {
        ok: false,
        code: (await exists(tx, clientId)) ? "CLIENT_REVOKED" : "CLIENT_NOT_FOUND",
      };
    }
    await recordAction(tx, { what: "client.rotate", subject: clientId, merchantId, askedBy, at });
    return { ok: true, clientId, clientSecret, previousUntil };
  });
}

/**
 * Revokes a client for good: its secrets and tokens are refused from now on. Does nothing if it is revoked already.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function revokeClient(
  { driver, clock }: Pick<Context, "driver" | "clock">,
  { clientId, askedBy }: { readonly clientId: string; readonly askedBy: string },
): Promise<{ readonly ok: true } | Refused<"CLIENT_NOT_FOUND">> {
  const at = clock.now();
  return driver.transaction(async (tx) => {
    const merchantId = await markClientRevoked(tx, { id: clientId, at });
    if (merchantId !== undefined) {
      await recordAction(tx, { what: "client.revoke", subject: clientId, merchantId, askedBy, at });
    } else if (!(await exists(tx, clientId))) {
      return { ok: false, code: "CLIENT_NOT_FOUND" };
    }
    return { ok: true };
  });
}

const exists = async (tx: Queryable, clientId: string): Promise<boolean> =>
  (await findClient(tx, clientId)) !== undefined;
