import { createHash } from "node:crypto";
import type { Profile } from "@countersign/schemas/profiles";
import {
  createCustomer,
  createMerchant,
  createPayment,
  createService,
  createToken,
  failPayment,
  findMerchant,
  findToken,
  linkAccount,
  moveClock,
  moveCustomer,
  newId,
  secretPlace,
  settlePayment,
  sha256Hex,
  subscribe,
  systemClock,
  systemRandom,
  type Clock,
  type Context,
  type Driver,
  type Merchant,
  type Random,
  type SealedSecret,
  type Service,
  type Vault,
} from "@countersign/service/internal";

export interface SeedOptions {
  /** A database with its tables. */
  readonly driver: Driver;
  readonly profile: Profile;
  /** A whole number; equal seeds make equal ids. */
  readonly seed: number;
  /** Final time of the namespace's clock, in milliseconds. Default: real time. */
  readonly now?: number;
  /** Real time. Default: this machine's. */
  readonly clock?: Clock;
}

/** A seeded namespace's merchant and the ids of its records, by purpose. */
export interface Seeded {
  readonly merchant: Merchant;
  readonly clientId: string;
  /** Random, whatever the seed; returned only here. */
  readonly clientSecret: string;
  /** Empty texts if the profile has no payments. */
  readonly customers: {
    /** ACTIVE, with a linked account. */
    readonly active: string;
    /** CREATED, without an account. */
    readonly created: string;
    /** INACTIVE, with a linked account. */
    readonly inactive: string;
  };
  /** Debits of the active customer; empty texts if the profile has no payments. */
  readonly payments: {
    /** 100.00, settled 14 days ago: a refund is AUTHORIZED at once. */
    readonly settled: string;
    /** 250.00, settled now: a refund is PENDING for 3 business days. */
    readonly recent: string;
    /** 75.50, still processing: a refund is PENDING until 3 business days after its settlement. */
    readonly processing: string;
    /** 20.00, failed: a refund is TERMINAL_FAILED. */
    readonly failed: string;
  };
}

export interface OpenedNamespace {
  readonly merchant: Merchant;
  /** `undefined` if the namespace existed already. */
  readonly seeded: Seeded | undefined;
}

/**
 * Returns the namespace of a token. A token that the database does not know opens the seed's namespace from
 * now on and never expires; the namespace is created if it does not exist.
 *
 * @param options `token`: in the form of RFC 6750, section 2.1.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
 */
export async function openNamespace(
  options: SeedOptions & { readonly token: string },
): Promise<OpenedNamespace> {
  const { driver, profile, clock = systemClock, token } = options;
  const known = await findToken(driver, sha256Hex(token));
  if (known !== undefined) return { merchant: known.merchant, seeded: undefined };
  // The first id that the source makes is the merchant's.
  const present = await findMerchant(driver, newId(seededRandom(options.seed), "mer"));
  const seeded = present === undefined ? await sow(options) : undefined;
  const merchant = present ?? seeded?.merchant;
  if (merchant === undefined) throw new Error("the seed has no merchant");
  await createToken(createService({ driver, profile, clock }).context, {
    merchantId: merchant.id,
    clientId: null,
    token,
    lifetimeSeconds: null,
    scopes: Object.values(profile.token.scopes),
  });
  return { merchant, seeded };
}

/** Milliseconds between the oldest sample record and the newest. */
export const TWO_WEEKS_MS: number = 14 * 86_400_000;

const noRecords: Pick<Seeded, "customers" | "payments"> = {
  customers: { active: "", created: "", inactive: "" },
  payments: { settled: "", recent: "", processing: "", failed: "" },
};

/** Creates a namespace; if the profile has payments, with customers and payments in every state that a refund meets. */
async function sow(options: SeedOptions): Promise<Seeded> {
  const { driver, profile, clock = systemClock } = options;
  const now = options.now ?? clock.now();
  const isSown = profile.payments === true;
  const random = seededRandom(options.seed);
  const { context } = createService({ driver, profile, clock, random });
  const made = await createMerchant(context, {
    name: "Sandbox merchant",
    clock: { instant: isSown ? now - TWO_WEEKS_MS : now },
    scopes: Object.values(profile.token.scopes),
    client: {
      id: newId(seededRandom(-1 - options.seed), "cli"),
      secret: `css_${Buffer.from(systemRandom.bytes(32)).toString("base64url")}`,
    },
  });
  if (!made.ok) throw new Error(made.code);
  const { merchant, clientId, clientSecret } = made;
  const records = isSown ? await sowRecords(context, merchant, now) : noRecords;
  return { merchant, clientId, clientSecret, ...records };
}

/**
 * Creates customers and payments in every state that a refund meets.
 *
 * @param now The final time of the namespace's clock, which starts `TWO_WEEKS_MS` earlier.
 */
export async function sowRecords(
  context: Context,
  merchant: Merchant,
  now: number,
): Promise<Pick<Seeded, "customers" | "payments">> {
  const customers = await seedCustomers(context, merchant);
  const pay = async (amountCents: bigint): Promise<string> => {
    const order = { customerId: customers.active, amountCents };
    const paid = await createPayment(context, merchant, order);
    if (!paid.ok) throw new Error(paid.code);
    return paid.payment.id;
  };
  const settled = await pay(10_000n);
  await settlePayment(context, merchant, { paymentId: settled });
  await context.driver.transaction((tx) => moveClock(tx, { id: merchant.clockId, instant: now }));
  const recent = await pay(25_000n);
  await settlePayment(context, merchant, { paymentId: recent });
  const processing = await pay(7550n);
  const failed = await pay(2000n);
  await failPayment(context, merchant, { paymentId: failed });
  const payments = { settled, recent, processing, failed };
  return { customers, payments };
}

async function seedCustomers(context: Context, merchant: Merchant): Promise<Seeded["customers"]> {
  const customer = async (firstName: string): Promise<string> => {
    const email = `${firstName.toLowerCase()}.sample@example.test`;
    return (await createCustomer(context, merchant, { firstName, lastName: "Sample", email })).id;
  };
  const activate = async (customerId: string, lastFour: string): Promise<void> => {
    const account = { lastFour, institution: "First Sample Bank", type: "checking" };
    await linkAccount(context, merchant, { customerId, ...account });
    await moveCustomer(context, merchant, { customerId, move: "activate" });
  };
  const active = await customer("Ada");
  await activate(active, "6789");
  const created = await customer("Brook");
  const inactive = await customer("Cyd");
  await activate(inactive, "4321");
  await moveCustomer(context, merchant, { customerId: inactive, move: "deactivate" });
  return { active, created, inactive };
}

/** A source with a seed: for reproducible ids in tests, never for secrets. */
function seededRandom(seed: number): Random {
  let block = 0;
  return {
    bytes: (length) => {
      const blocks: Buffer[] = [];
      for (let made = 0; made < length; made += 32) {
        block += 1;
        blocks.push(createHash("sha256").update(`countersign ${seed} ${block}`).digest());
      }
      return Buffer.concat(blocks).subarray(0, length);
    },
  };
}

export type SubscribeAllOutcome =
  | { readonly ok: true; readonly subscriptionKey: string }
  /** `code` is that of the call to subscribe: `INVALID_URL`, `WEAK_SECRET`, … */
  | { readonly ok: false; readonly code: string };

/**
 * Subscribes an address to ALL, unless it is subscribed with this secret: a sandbox that is started again with
 * the same address continues its waiting deliveries.
 *
 * @throws {SecretRefusedError} `CS_SECRET_REFUSED`: a secret in the database was changed.
 */
export async function subscribeAll(
  { service, vault }: { readonly service: Service; readonly vault: Vault },
  merchant: Merchant,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<SubscribeAllOutcome> {
  const href = URL.canParse(url) ? new URL(url).href : url;
  const rows = await service.driver.query<SealedSecret & { key: string }>(
    `SELECT key, secret AS text, secret_key_id AS "keyId" FROM subscriptions
     WHERE merchant_id = $1 AND url = $2 AND status <> 'CLOSED' ORDER BY seq`,
    [merchant.id, href],
  );
  const present = rows.find((row) => vault.open(row, secretPlace(row.key)) === secret);
  if (present !== undefined) return { ok: true, subscriptionKey: present.key };
  const subscriptionDetails = { type: "ALL" } as const;
  return subscribe(service.context, merchant, { url, secretKey: secret, subscriptionDetails });
}
