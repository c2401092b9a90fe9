import { createHash } from "node:crypto";
import type { SubscriptionDetails } from "@countersign/rules";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it, onTestFinished } from "vitest";
import { createService } from "../../src/create-service.ts";
import { Deliverer } from "../../src/delivery/deliver.ts";
import type { Random } from "../../src/random.ts";
import { moveClock } from "../../src/store/operations/clocks/move-clock.ts";
import { listCustomers } from "../../src/store/operations/customers/list-customers.ts";
import { listAttempts } from "../../src/store/operations/deliveries/list-attempts.ts";
import { listDeliveries } from "../../src/store/operations/deliveries/list-deliveries.ts";
import { listSubscriptionHealth } from "../../src/store/operations/deliveries/list-subscription-health.ts";
import { replayDelivery } from "../../src/store/operations/deliveries/replay-delivery.ts";
import { resumeSubscription } from "../../src/store/operations/deliveries/resume-subscription.ts";
import { listEvents } from "../../src/store/operations/events/list-events.ts";
import { listPayments } from "../../src/store/operations/payments/list-payments.ts";
import { nextDueAt } from "../../src/store/operations/payments/next-due-at.ts";
import { listSubscriptions } from "../../src/store/operations/subscriptions/list-subscriptions.ts";
import { deleteExpiredTokens } from "../../src/store/operations/tokens/delete-expired-tokens.ts";
import type { Driver } from "../../src/store/driver.ts";
import { migrate } from "../../src/store/migrate.ts";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { answered, fakeTransport, policy, queueOf, REAL_START } from "../delivery/queue.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { testVault } from "../test-vault.ts";
import type { OpenStore } from "./stores.ts";

const START = Date.parse("2026-03-02T09:00:00.000Z");
const WEEK = 7 * 86_400_000;
const TABLES = {
  clocks: "id",
  merchants: "id",
  clients: "id",
  tokens: "hash",
  customers: "id",
  accounts: "id",
  payments: "id",
  // Sealed in another way each time.
  subscriptions: "key",
  events: "id",
  deliveries: "id",
  attempts: "delivery_id, number",
};

/** The same bytes in the same order each time. */
function countingRandom(): Random {
  let count = 0;
  const next = (): Buffer =>
    createHash("sha512")
      .update(String((count += 1)))
      .digest();
  return { bytes: (length) => next().subarray(0, length) };
}

/** Everything that the service can do, once; what it answered, and what is stored in the end. */
async function story(driver: Driver): Promise<Record<string, unknown>> {
  await migrate(driver, { now: REAL_START });
  const random = countingRandom();
  const clock = { now: () => REAL_START };
  const options = { driver, clock, random, profile: profiles.standard, vault: testVault() };
  const { useCases } = createService(options);
  const told: unknown[] = [];
  const tell = <T>(value: T): T => {
    told.push(value);
    return value;
  };
  const scopes = ["payments", "core"];
  const made = tell(
    await useCases.createMerchant({ name: "M", clock: { instant: START }, scopes }),
  );
  if (!made.ok) throw new Error(made.code);
  const { merchant, clientId, clientSecret } = made;
  const merchantId = merchant.id;
  tell(
    await useCases.createMerchant({
      name: "N",
      clock: "live",
      scopes,
      client: { id: clientId, secret: "x" },
    }),
  );
  tell(await useCases.issueToken({ clientId, clientSecret, scopes: undefined }));
  tell(await useCases.issueToken({ clientId, clientSecret: "wrong", scopes: undefined }));
  tell(await driver.transaction((tx) => deleteExpiredTokens(tx, { now: REAL_START, limit: 5 })));

  const subscribe = async (
    url: string,
    subscriptionDetails: SubscriptionDetails,
  ): Promise<string> => {
    const outcome = await useCases.subscribe(merchant, {
      url,
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails,
    });
    if (!outcome.ok) throw new Error(outcome.code);
    return outcome.subscriptionKey;
  };
  const good = await subscribe("https://good.example/", { type: "ALL" });
  // So few that one claim takes them all: how many are attempted before the first answer ends it is else chance.
  await subscribe("https://gone.example/", { type: "CATEGORY", details: ["ACCOUNT"] });
  await subscribe("https://bad.example/", { type: "ALL" });

  const { id: customerId } = await useCases.createCustomer(merchant, {
    firstName: "Zoë",
    lastName: "O'Neil 😀",
    email: "zoe@example.com",
  });
  const account = { institution: "Bank", lastFour: "0042", type: "checking" } as const;
  tell(await useCases.linkAccount(merchant, { customerId, ...account }));
  tell(await useCases.linkAccount(merchant, { customerId, ...account, lastFour: "0043" }));
  for (const move of ["activate", "deactivate", "activate"] as const) {
    tell(await useCases.moveCustomer(merchant, { customerId, move }));
  }
  tell(await useCases.getCustomer(merchant, customerId));
  const pay = async (requestKey: string): Promise<string> => {
    const order = { customerId, amountCents: 10_000n, requestKey };
    const outcome = tell(await useCases.createPayment(merchant, order));
    return outcome.ok ? outcome.payment.id : "";
  };
  const [settled, failed, covered] = [await pay("p1"), await pay("p2"), await pay("p3")];
  await pay("p1");
  const refund = async (paymentId: string, requestKey: string, cents: bigint): Promise<void> => {
    const order = { paymentId, requestKey, amountCents: cents };
    const rest = { clientReferenceId: null, softDescriptor: "Thank you" };
    tell(await useCases.askRefund(merchant, { ...order, ...rest }));
  };
  await refund(settled, "r1", 6000n);
  await refund(failed, "r2", 100n);
  await refund(covered, "r3", 100n);
  await refund(settled, "r1", 6000n);
  await refund(settled, "r4", 4001n);
  await refund("pay_none", "r5", 1n);
  tell(await useCases.authorizePayment(merchant, { paymentId: settled }));
  tell(await useCases.settlePayment(merchant, { paymentId: settled }));
  tell(await useCases.failPayment(merchant, { paymentId: failed }));
  tell(await useCases.coverPayment(merchant, { paymentId: covered }));
  tell(await nextDueAt(driver, { clockId: merchant.clockId, except: new Set() }));
  const now = START + WEEK;
  tell(await driver.transaction((tx) => moveClock(tx, { id: merchant.clockId, instant: now })));
  tell(await useCases.moveDueRefunds({ now, clockId: merchant.clockId }));

  const transport = fakeTransport(({ url }) =>
    answered({ "good.example": 204, "gone.example": 410 }[url.hostname] ?? 503),
  );
  const queue = await queueOf(driver);
  const deliverer = new Deliverer({ ...queue.ports(transport), clock }, policy);
  await deliverer.drain(merchant.clockId);
  await deliverer.stop({ graceMs: 1000 });
  tell(
    await useCases.unsubscribe(merchant, {
      subscriptionId: good,
      subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT"] },
    }),
  );
  const page = { merchantId, limit: 1000 };
  const [first] = await listDeliveries(driver, page);
  tell(
    await driver.transaction(async (tx) => [
      await replayDelivery(tx, { merchantId, id: first?.id ?? "", at: now }),
      await resumeSubscription(tx, { merchantId, key: good, at: now }),
    ]),
  );
  const lists = [
    await listPayments(driver, page),
    await listCustomers(driver, page),
    await listEvents(driver, page),
    await listSubscriptions(driver, page),
    await listSubscriptionHealth(driver, page),
    await listDeliveries(driver, page),
    await listAttempts(driver, [first?.id ?? ""]),
  ];
  const tables: Record<string, unknown> = {};
  for (const [table, order] of Object.entries(TABLES)) {
    const rows = await driver.query(`SELECT * FROM ${table} ORDER BY ${order}`);
    tables[table] = rows.map(({ secret: _sealed, ...row }) => row);
  }
  return { told, lists, tables };
}

/** The service's answers and rows do not depend on its store. */
export function storySuite({ open }: OpenStore): void {
  it("answers and stores everything that the service does as on SQLite", async () => {
    const sqlite = sqliteDriver(temporaryDatabase());
    onTestFinished(() => sqlite.close());
    const expected = await story(sqlite);
    // The story reached every state that it is about.
    const { deliveries, payments } = expected["tables"] as Record<
      string,
      Record<string, unknown>[]
    >;
    const valuesOf = (rows: Record<string, unknown>[] = [], column: string): Set<unknown> =>
      new Set(rows.map((row) => row[column]));
    expect(valuesOf(deliveries, "state")).toEqual(new Set(["delivered", "dropped", "waiting"]));
    expect(valuesOf(payments, "status")).toEqual(
      new Set(["CREATED", "SUCCEEDED", "AUTHORIZED", "TERMINAL_FAILED"]),
    );
    expect(await story(await open())).toEqual(expected);
  });
}
