import { createHash } from "node:crypto";
import type { SubscriptionDetails } from "@countersign/rules";
import { expect, it, onTestFinished } from "vitest";
import { DueClock } from "../../src/clock.ts";
import { moveClock } from "../../src/store/tables/clocks.ts";
import { listCustomers } from "../../src/store/tables/customers.ts";
import { listAttempts, listDeliveries, listEvents } from "../../src/store/tables/deliveries.ts";
import { requeueDeliveries, setSubscriptionStatus } from "../../src/store/tables/replays.ts";
import { listPayments } from "../../src/store/tables/payments.ts";
import { nextDueAt } from "../../src/store/tables/refunds.ts";
import { listSubscriptionHealth } from "../../src/store/tables/subscriptions.ts";
import { deleteExpiredTokens } from "../../src/store/tables/tokens.ts";
import type { Driver } from "../../src/store/driver.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { answered, fakeTransport, Queue, SECRET } from "../delivery/queue.ts";
import { everything } from "../everything.ts";
import { openService } from "../open-service.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { driverSuite } from "./driver-suite.ts";
import { onStores, postgres, sqlite } from "./stores.ts";
import { askRefund } from "../../src/use-cases/ask-refund.ts";
import { createMerchant } from "../../src/use-cases/merchants.ts";
import { settlePayment } from "../../src/use-cases/payments.ts";
import { subscribe, unsubscribe } from "../../src/use-cases/subscriptions.ts";
import { authenticateClient } from "../../src/use-cases/tokens.ts";

/** A secret is encrypted differently each time, PostgreSQL skips numbers of a sequence, and attempts take their time. */
const VARYING = ["secret", "seq", "duration_ms", "last_duration_ms"];
const TABLES = {
  clocks: "id",
  merchants: "seq",
  clients: "id",
  tokens: "hash",
  customers: "seq",
  accounts: "seq",
  payments: "seq",
  subscriptions: "seq",
  events: "seq",
  deliveries: "seq",
  attempts: "delivery_id, number",
};

/** Everything that the service can do, once; what it answered, and what is stored in the end. */
async function story(driver: Driver) {
  let count = 0;
  // The same bytes in the same order each time.
  const bytes = (length: number): Buffer =>
    createHash("sha512")
      .update(String((count += 1)))
      .digest()
      .subarray(0, length);
  const opened = await openService({ driver, random: { bytes } });
  const { context, merchant, clock } = opened;
  const { id: merchantId, clientId, clientSecret } = merchant;
  const subscribeHost = async (host: string, subscriptionDetails: SubscriptionDetails) => {
    const endpoint = { url: `https://${host}.example/`, secretKey: SECRET };
    const made = await subscribe(context, merchant, { ...endpoint, subscriptionDetails });
    return made.ok ? made.subscriptionKey : made.code;
  };
  const good = await subscribeHost("good", { type: "ALL" });
  // So few that one claim takes them all: how many are attempted before the first answer ends it is else chance.
  await subscribeHost("gone", { type: "EVENT", details: ["account.deactivated"] });
  const bad = await subscribeHost("bad", { type: "EVENT", details: ["payment.canceled"] });
  const told: unknown[] = await everything(opened);

  const paymentId = await opened.pay({ requestKey: "p1" });
  const refund = (id: string, requestKey: string, amountCents: bigint) => {
    const rest = { clientReferenceId: "Zoë O'Neil 😀", softDescriptor: "Thank you" };
    return askRefund(context, merchant, { paymentId: id, requestKey, amountCents, ...rest });
  };
  const client = { id: clientId, secret: "x" };
  const [now, scopes] = [clock.now(), ["core"]];
  told.push(
    await createMerchant(context, { name: "N", scopes, client }).catch(String),
    await createMerchant(context, { name: "O", instant: now, scopes }),
    await authenticateClient(context, { clientId, clientSecret }),
    await authenticateClient(context, { clientId, clientSecret: "wrong" }),
    await driver.transaction((tx) => deleteExpiredTokens(tx, now)),
    await refund(paymentId, "r1", 6000n),
    await refund(paymentId, "r1", 6000n),
    await refund(paymentId, "r2", 4001n),
    await refund("pay_none", "r3", 1n),
    await settlePayment(context, merchant, { paymentId }),
    await nextDueAt(driver, { clockId: "live", now }),
  );
  const transport = fakeTransport(({ url: { hostname } }) =>
    answered({ "good.example": 204, "gone.example": 410 }[hostname] ?? 503),
  );
  // A frozen due clock, after all due times, gives the same times each time.
  const at = clock.now() + 60_000;
  const standing = { now: () => at, elapsed: () => 0, sleep: (ms: number) => clock.sleep(ms) };
  const engine = new Queue(driver).engine(transport, { clock, dueClock: new DueClock(standing) });
  const unattempted = `SELECT id FROM deliveries WHERE state = 'waiting' AND attempts = 0`;
  await expect.poll(() => driver.query(unattempted)).toEqual([]);
  await engine.stop({ graceMs: 1000 });
  const page = { merchantId, limit: 1000 };
  const [first] = await listDeliveries(driver, page);
  const what = { kind: "delivery", id: first?.id ?? "" } as const;
  const [{ clockId = "" } = {}] = await driver.query<{ clockId?: string }>(
    `SELECT id AS "clockId" FROM clocks WHERE id <> 'live'`,
  );
  told.push(
    await unsubscribe(context, merchant, {
      subscriptionId: good,
      subscriptionDetails: { type: "CATEGORY", details: ["PAYMENT"] },
    }),
    await driver.transaction(async (tx) => [
      await moveClock(tx, { id: clockId, instant: now + 1 }),
      await requeueDeliveries(tx, { merchantId, what, at: now, limit: 1, after: "" }),
      await setSubscriptionStatus(tx, { key: bad, status: "PAUSED", at: now }),
      await setSubscriptionStatus(tx, { key: bad, status: "ACTIVE", at: now }),
    ]),
    await listSubscriptionHealth(driver, page),
    (await listAttempts(driver, [first?.id ?? ""])).map((one) => ({ ...one, durationMs: 0 })),
  );
  const lists = {
    payments: await listPayments(driver, page),
    customers: await listCustomers(driver, page),
    events: await listEvents(driver, page),
    deliveries: await listDeliveries(driver, page),
  };
  const tables: Record<string, Record<string, unknown>[]> = {};
  for (const [table, order] of Object.entries(TABLES)) {
    const rows = await driver.query(`SELECT * FROM ${table} ORDER BY ${order}`);
    tables[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !VARYING.includes(name))),
    );
  }
  return { told, lists, tables };
}

/** A subscription has a key instead. */
const idOf = (row: { readonly id?: unknown; readonly key?: unknown }): unknown => row.id ?? row.key;

onStores([sqlite, postgres], driverSuite);

onStores([postgres], ({ open }) => {
  it("answers and stores everything that the service does as on SQLite", async () => {
    const other = sqliteDriver(temporaryDatabase());
    onTestFinished(() => other.close());
    const expected = await story(other);
    // The story reached every state of deliveries that it is about.
    const states = expected.tables["deliveries"]?.map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["delivered", "dropped", "waiting"]));
    // Many records are of one instant: the newest is the one that was inserted last.
    for (const [table, list] of Object.entries(expected.lists))
      expect(list.map(idOf)).toEqual(expected.tables[table]?.map(idOf).toReversed());
    expect(await story(await open())).toEqual(expected);
  });
});
