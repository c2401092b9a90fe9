import {
  createService,
  findToken,
  newId,
  policyOf,
  sha256Hex,
  systemClock,
  type Merchant,
} from "@countersign/service";
import { seed, type Seeded, type SeedOptions } from "./seed.ts";
import { seededRandom } from "./seeded-random.ts";

export interface OpenedNamespace {
  readonly merchant: Merchant;
  /** What the seed has grown into, where this call sowed it. */
  readonly seeded: Seeded | undefined;
}

/**
 * The namespace of a token. With a token that the database does not know it is the seed's, sown where
 * it is not there yet; the token opens it from now on and never expires.
 *
 * @param options `token`: as RFC 6750, section 2.1 has it.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
 */
export async function openNamespace(
  options: SeedOptions & { readonly token: string },
): Promise<OpenedNamespace> {
  const { driver, profile, clock = systemClock, token } = options;
  const known = await findToken(driver, sha256Hex(token));
  if (known !== undefined) return { merchant: known.merchant, seeded: undefined };
  const seeded = await seed(options);
  const merchant = seeded?.merchant ?? (await sownMerchant(options));
  const { useCases } = createService({ driver, profile, clock });
  await useCases.createToken({
    merchantId: merchant.id,
    clientId: null,
    token,
    lifetimeSeconds: null,
    scopes: Object.values(policyOf(profile).token.scopes),
  });
  return { merchant, seeded };
}

async function sownMerchant({ driver, seed: number }: SeedOptions): Promise<Merchant> {
  const [merchant] = await driver.query<{ id: string; clockId: string }>(
    `SELECT id, clock_id AS "clockId" FROM merchants WHERE id = $1`,
    [newId(seededRandom(number), "mer")],
  );
  if (merchant === undefined) throw new Error("the seed has no merchant");
  return merchant;
}
