import { createHash } from "node:crypto";
import { newId, systemRandom, type Random } from "../random.ts";
import { sha256Hex, type Vault } from "../secrets/vault.ts";
import { findMerchant, type Merchant } from "../store/tables/merchants.ts";
import { listSecretsOf } from "../store/tables/subscriptions.ts";
import { findToken } from "../store/tables/tokens.ts";
import type { Context } from "../use-cases/context.ts";
import { createMerchant, newClientSecret } from "../use-cases/merchants.ts";
import { subscribe, type SubscribeOutcome } from "../use-cases/subscriptions.ts";
import { createToken } from "../use-cases/tokens.ts";
import {
  makeCustomer,
  makePayment,
  type CustomerOrder,
  type PaymentOrder,
  type RecordStage,
} from "./records.ts";

export interface SeedOptions {
  /** In the form of RFC 6750, section 2.1. */
  readonly token: string;
  /** A whole number; equal seeds make equal ids. */
  readonly seed: number;
  /** Time of the namespace's clock, in milliseconds. Default: real time. */
  readonly now?: number;
}

/** The credentials of a seeded namespace, and the ids of its records by purpose. */
export interface Seeded {
  readonly clientId: string;
  /** Random, whatever the seed; returned only here. */
  readonly clientSecret: string;
  readonly customers: {
    /** ACTIVE, with a linked account. */
    readonly active: string;
    /** CREATED, without an account. */
    readonly created: string;
    /** INACTIVE, with a linked account. */
    readonly inactive: string;
  };
  /** Debits of the active customer. */
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
 * now on and never expires; the namespace is created if it does not exist, with customers and payments in every state that
 * a refund meets.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
 */
export async function openNamespace(
  context: Context,
  { token, seed, now = context.clock.now() }: SeedOptions,
): Promise<OpenedNamespace> {
  const { driver, policy } = context;
  const known = await findToken(driver, sha256Hex(token));
  if (known !== undefined) return { merchant: known.merchant, seeded: undefined };
  const scopes = Object.values(policy.token.scopes);
  // The first id that the source makes is the merchant's.
  const present = await findMerchant(driver, newId(seededRandom(seed), "mer"));
  const opened =
    present === undefined
      ? await sow({ ...context, random: seededRandom(seed) }, { seed, now, scopes })
      : { merchant: present, seeded: undefined };
  const { id: merchantId } = opened.merchant;
  await createToken(context, { merchantId, clientId: null, token, lifetimeSeconds: null, scopes });
  return opened;
}

async function sow(
  context: Context,
  { seed, now, scopes }: { seed: number; now: number; scopes: readonly string[] },
): Promise<OpenedNamespace> {
  const { merchant, clientId, clientSecret } = await createMerchant(context, {
    name: "Sandbox merchant",
    instant: now,
    scopes,
    client: { id: newId(seededRandom(-1 - seed), "cli"), secret: newClientSecret(systemRandom) },
  });
  const records = await sowRecords({ context, merchant });
  return { merchant, seeded: { clientId, clientSecret, ...records } };
}

/** Creates customers and payments in every state that a refund meets. */
export async function sowRecords(
  stage: RecordStage,
): Promise<Pick<Seeded, "customers" | "payments">> {
  const customer = (firstName: string, order: CustomerOrder): Promise<string> => {
    const email = `${firstName.toLowerCase()}.sample@example.test`;
    return makeCustomer(stage, { firstName, email, ...order });
  };
  const active = await customer("Ada", { status: "ACTIVE" });
  const created = await customer("Brook", { linked: false });
  const inactive = await customer("Cyd", { status: "INACTIVE", accountLastFourDigits: "4321" });
  const pay = async (status: PaymentOrder["status"], amount: string): Promise<string> =>
    (await makePayment(stage, { status, amount, customerId: active })).paymentId;
  const payments = {
    settled: await pay("settled", "100.00"),
    recent: await pay("held", "250.00"),
    processing: await pay("created", "75.50"),
    failed: await pay("failed", "20.00"),
  };
  return { customers: { active, created, inactive }, payments };
}

/** A source with a seed: for reproducible ids in tests, never for secrets. */
function seededRandom(seed: number): Random {
  let block = 0;
  const next = (): Buffer => {
    block += 1;
    return createHash("sha256").update(`countersign ${seed} ${block}`).digest();
  };
  return {
    bytes: (length) => Buffer.concat(Array.from({ length: Math.ceil(length / 32) }, next), length),
  };
}

/** An address that gets every event, and the secret that signs them. */
export interface Target {
  readonly url: string;
  readonly secret: string;
}

/**
 * Subscribes an address to ALL, unless it is subscribed with this secret: a sandbox that is started again with
 * the same address continues its waiting deliveries.
 *
 * @throws {SecretRefusedError} `CS_SECRET_REFUSED`: a secret in the database was changed.
 */
export async function subscribeAll(
  { context, vault }: { readonly context: Context; readonly vault: Vault },
  merchant: Merchant,
  { url, secret }: Target,
): Promise<SubscribeOutcome> {
  const href = URL.parse(url)?.href ?? url;
  const rows = await listSecretsOf(context.driver, { merchantId: merchant.id, url: href });
  const present = rows.find((row) => vault.open(row, row.key) === secret);
  if (present !== undefined) return { ok: true, subscriptionKey: present.key };
  const subscriptionDetails = { type: "ALL" } as const;
  return subscribe(context, merchant, { url, secretKey: secret, subscriptionDetails });
}
