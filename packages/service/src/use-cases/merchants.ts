import { type Random, newId } from "../random.ts";
import { sha256Hex } from "../secrets/vault.ts";
import { Undo, orUndone } from "../store/driver.ts";
import { insertClock } from "../store/tables/clocks.ts";
import { type Merchant, insertClient, insertMerchant } from "../store/tables/merchants.ts";
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
        secretVersion: 1,
        scopes: order.scopes,
        createdAt,
      });
      if (!inserted) throw new Undo<CreateMerchantOutcome>({ ok: false, code: "CLIENT_ID_TAKEN" });
      return { ok: true, merchant, clientId: client.id, clientSecret: client.secret };
    }),
  );
}

/** 256 random bits. */
export function newClientSecret(random: Random): string {
  return `css_${Buffer.from(random.bytes(32)).toString("base64url")}`;
}
