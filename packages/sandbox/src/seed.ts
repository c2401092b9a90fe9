import type { Profile } from "@countersign/schemas/profiles";
import {
  createService,
  moveClock,
  newId,
  policyOf,
  systemClock,
  systemRandom,
  type Clock,
  type Driver,
  type Merchant,
  type UseCases,
} from "@countersign/service";
import { seededRandom } from "./seeded-random.ts";

export interface SeedOptions {
  /** A database with its tables. */
  readonly driver: Driver;
  readonly profile: Profile;
  /** A whole number; equal ones make equal ids. */
  readonly seed: number;
  /** What the namespace's clock shows in the end, in milliseconds. Default: real time. */
  readonly now?: number;
  /** Real time. Default: this machine's. */
  readonly clock?: Clock;
}

/** What a seed has grown into, by what it is good for. */
export interface Seeded {
  readonly merchant: Merchant;
  readonly clientId: string;
  /** Random, whatever the seed; seen here once. */
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

const TWO_WEEKS_MS = 14 * 86_400_000;

/**
 * Makes a namespace with customers and payments in every state that a refund meets. Its ids are the
 * same for the same seed.
 *
 * @returns `undefined` where this database has the seed's namespace already.
 */
export async function seed(options: SeedOptions): Promise<Seeded | undefined> {
  const { driver, profile, clock = systemClock } = options;
  const now = options.now ?? clock.now();
  const random = seededRandom(options.seed);
  // The first id that the source makes is the merchant's.
  const [present] = await driver.query("SELECT id FROM merchants WHERE id = $1", [
    newId(seededRandom(options.seed), "mer"),
  ]);
  if (present !== undefined) return undefined;

  const { useCases } = createService({ driver, profile, clock, random });
  const made = await useCases.createMerchant({
    name: "Sandbox merchant",
    clock: { instant: now - TWO_WEEKS_MS },
    scopes: Object.values(policyOf(profile).token.scopes),
    client: {
      id: newId(seededRandom(-1 - options.seed), "cli"),
      secret: `css_${Buffer.from(systemRandom.bytes(32)).toString("base64url")}`,
    },
  });
  if (!made.ok) throw new Error(made.code);
  const { merchant, clientId, clientSecret } = made;
  const customers = await seedCustomers(useCases, merchant);
  const pay = (amountCents: bigint): Promise<string> =>
    payment(useCases, merchant, { customerId: customers.active, amountCents });

  const settled = await pay(10_000n);
  await useCases.settlePayment(merchant, { paymentId: settled });
  await driver.transaction((tx) => moveClock(tx, { id: merchant.clockId, instant: now }));
  const recent = await pay(25_000n);
  await useCases.settlePayment(merchant, { paymentId: recent });
  const processing = await pay(7550n);
  const failed = await pay(2000n);
  await useCases.failPayment(merchant, { paymentId: failed });
  const payments = { settled, recent, processing, failed };
  return { merchant, clientId, clientSecret, customers, payments };
}

async function seedCustomers(useCases: UseCases, merchant: Merchant): Promise<Seeded["customers"]> {
  const customer = async (firstName: string): Promise<string> => {
    const email = `${firstName.toLowerCase()}.sample@example.test`;
    return (await useCases.createCustomer(merchant, { firstName, lastName: "Sample", email })).id;
  };
  const link = (customerId: string, lastFour: string) =>
    useCases.linkAccount(merchant, {
      customerId,
      lastFour,
      institution: "First Sample Bank",
      type: "checking",
    });
  const active = await customer("Ada");
  await link(active, "6789");
  await useCases.moveCustomer(merchant, { customerId: active, move: "activate" });
  const created = await customer("Brook");
  const inactive = await customer("Cyd");
  await link(inactive, "4321");
  await useCases.moveCustomer(merchant, { customerId: inactive, move: "activate" });
  await useCases.moveCustomer(merchant, { customerId: inactive, move: "deactivate" });
  return { active, created, inactive };
}

async function payment(
  useCases: UseCases,
  merchant: Merchant,
  order: { customerId: string; amountCents: bigint },
): Promise<string> {
  const made = await useCases.createPayment(merchant, order);
  if (!made.ok) throw new Error(made.code);
  return made.payment.id;
}
