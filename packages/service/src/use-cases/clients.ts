import { newId } from "../ids.ts";
import type { Random } from "../random.ts";
import { sha256Hex } from "../sha256.ts";
import type { Queryable } from "../store/driver.ts";
import { recordAction } from "../store/tables/audit.ts";
import {
  findClient,
  findMerchant,
  insertClient,
  markClientRevoked,
  replaceClientSecret,
} from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";

/** A client's credentials. The secret is returned only once: only its SHA-256 is stored. */
export interface IssuedClient {
  readonly ok: true;
  readonly clientId: string;
  readonly clientSecret: string;
}

type Refused<Code extends string> = { readonly ok: false; readonly code: Code };
type Ports = Pick<Context, "driver" | "clock" | "random">;

/** 256 random bits. */
export function newClientSecret(random: Random): string {
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
