import { type Random, newId } from "../random.ts";
import { sha256Hex } from "../secrets/vault.ts";
import { insertClock } from "../store/tables/clocks.ts";
import { type Merchant, insertClient, putMerchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";

export interface NewMerchant {
  readonly name: string;
  /** The time of a separate clock, in milliseconds. Default: real time. */
  readonly instant?: number;
  /** Scopes of the merchant's client. */
  readonly scopes: readonly string[];
  /** The OAuth client's credentials. Default: new ones, the secret of 256 random bits. */
  readonly client?: { readonly id: string; readonly secret: string };
}

export interface CreatedMerchant {
  readonly merchant: Merchant;
  readonly clientId: string;
  /** Returned only here: only its SHA-256 is stored. */
  readonly clientSecret: string;
}

/** Creates a merchant with an OAuth client. @throws {Error} Another client has the given id; nothing is stored. */
export async function createMerchant(
  { driver, clock, random }: Pick<Context, "driver" | "clock" | "random">,
  order: NewMerchant,
): Promise<CreatedMerchant> {
  const { name, instant, scopes } = order;
  const clockId = instant === undefined ? "live" : newId(random, "clk");
  const merchant = { id: newId(random, "mer"), clockId };
  const client = order.client ?? { id: newId(random, "cli"), secret: newClientSecret(random) };
  const createdAt = clock.now();
  await driver.transaction(async (tx) => {
    if (instant !== undefined) await insertClock(tx, { id: clockId, instant });
    await putMerchant(tx, { ...merchant, name, createdAt });
    const { id, secret } = client;
    const stored = { secretHash: sha256Hex(secret), secretVersion: 1, scopes, createdAt };
    const inserted = await insertClient(tx, { ...stored, id, merchantId: merchant.id });
    if (!inserted) throw new Error(`the client ${client.id} exists already`);
  });
  return { merchant, clientId: client.id, clientSecret: client.secret };
}

/** 256 random bits. */
export function newClientSecret(random: Random): string {
  return `css_${Buffer.from(random.bytes(32)).toString("base64url")}`;
}
