import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { nextDeliveryAt } from "../../service/src/store/tables/deliveries.ts";
import { queueOf, REAL_START, type Queue } from "../../service/test/delivery/queue.ts";
import { outsideDriver } from "../../service/test/store/outside-driver.ts";
import { temporaryDatabase } from "../../service/test/temporary-database.ts";
import { failedWith } from "./fixtures.ts";
import type { Ran } from "./ran.ts";
import { serviceData } from "./service-data.ts";

const DAY = 86_400_000;
const at = (ms: number): string => new Date(ms).toISOString();

let file: string;
let queue: Queue;
beforeEach(async () => {
  file = temporaryDatabase();
  const driver = outsideDriver(file);
  onTestFinished(() => driver.close());
  queue = await queueOf(driver);
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.subscribe("sub_2", { clockId: "live" });
});

const deliveries = (...args: string[]): Promise<Ran> =>
  serviceData(file).run("deliveries", ...args);
const replay = (...args: string[]): Promise<Ran> => deliveries("replay", ...args);

/** A delivery of a subscription in a final state, of an event written at a time. */
async function ended(key: string, state: string, writtenAt = REAL_START): Promise<string> {
  const id = await queue.enqueue(key, { nextAt: writtenAt });
  const sql = "UPDATE deliveries SET state = $2, attempts = 10, next_at = NULL WHERE id = $1";
  await queue.write(sql, [id, state]);
  return id;
}

const waiting = async (): Promise<string[]> =>
  (await queue.deliveries()).filter(({ state }) => state === "waiting").map(({ id }) => id);
const close = (key: string): Promise<unknown> =>
  queue.write("UPDATE subscriptions SET status = 'CLOSED' WHERE key = $1", [key]);

describe("countersign serve deliveries replay", () => {
  it("retries one delivery in any state", async () => {
    const id = await ended("sub_1", "delivered");
    const { status, out } = await replay(id);
    expect([status, out]).toEqual([0, "1 due again\n"]);
    expect(await waiting()).toEqual([id]);
  });

  it("retries the completed deliveries of a subscription, or those that failed since a time, of one merchant or of all", async () => {
    const old = await ended("sub_1", "dropped", REAL_START - DAY);
    const [own, other] = [await ended("sub_1", "exhausted"), await ended("sub_2", "exhausted")];
    await queue.subscribe("sub_3");
    const foreign = await ended("sub_3", "exhausted");
    await queue.write("UPDATE deliveries SET merchant_id = 'mer_1' WHERE id = $1", [foreign]);
    const since = ["--failed-since", at(REAL_START)];
    expect((await replay(...since, "--merchant", "mer_live")).out).toBe("2 due again\n");
    expect(await waiting()).toEqual([own, other]);
    expect((await replay(...since)).out).toBe("1 due again\n");
    const { out } = await replay("--subscription", "sub_1", "--json");
    expect(JSON.parse(out)).toEqual({ ok: true, replayed: 1 });
    expect(await waiting()).toEqual([old, own, other, foreign]);
  });

  it("refuses an empty id next to --failed-since, and replays nothing", async () => {
    await ended("sub_1", "exhausted");
    const refused = await replay("", "--failed-since", at(REAL_START));
    expect(refused).toEqual(failedWith("ARGUMENT_UNUSABLE"));
    expect(await waiting()).toEqual([]);
  });
});

describe("countersign serve deliveries pause and resume", () => {
  it("resumes a paused subscription with its failures at zero, and leaves an active one as it is", async () => {
    const sql = "UPDATE subscriptions SET status = 'PAUSED', consecutive_failures = 400";
    await queue.write(`${sql} WHERE key = $1`, ["sub_1"]);
    for (const _ of [1, 2]) {
      const { status, out } = await deliveries("resume", "sub_1");
      expect([status, out]).toEqual([0, "sub_1 is active\n"]);
    }
    expect(await queue.subscription("sub_1")).toMatchObject([
      { status: "ACTIVE", consecutive_failures: 0 },
    ]);
  });

  it("pauses an active subscription, so that nothing is sent to it until it is resumed", async () => {
    await queue.enqueue("sub_1", { nextAt: REAL_START });
    for (const _ of [1, 2])
      expect((await deliveries("pause", "sub_1")).out).toBe("sub_1 is paused\n");
    expect(await nextDeliveryAt(queue.driver, "live")).toBeUndefined();
    await deliveries("resume", "sub_1");
    expect(await nextDeliveryAt(queue.driver, "live")).toBe(REAL_START);
  });
});

describe("countersign serve deliveries list", () => {
  it("lists deliveries by merchant, subscription and state, newest first", async () => {
    const [one, two] = [await ended("sub_1", "exhausted"), await ended("sub_2", "delivered")];
    const ids = async (...args: string[]): Promise<unknown[]> =>
      // The cast: the test compares what it reads.
      (JSON.parse((await deliveries("list", ...args, "--json")).out) as { id: unknown }[]).map(
        ({ id }) => id,
      );
    expect(await ids()).toEqual([two, one]);
    expect(await ids("--state", "exhausted")).toEqual([one]);
    expect(await ids("--subscription", "sub_2", "--merchant", "mer_live")).toEqual([two]);
    expect(await ids("--merchant", "mer_none")).toEqual([]);
    expect((await deliveries("list", "--state", "lost")).status).toBe(2);
    expect((await deliveries("list")).out).toMatch(
      /^id {2,}merchantId {2,}eventId {2,}type {2,}subscriptionKey {2}state {2,}attempts  nextAt  createdAt\n/,
    );
  });
});

it("countersign serve deliveries refuses an unknown or closed subscription, delivery or merchant with status 1", async () => {
  const id = await ended("sub_1", "dropped");
  await close("sub_1");
  for (const [args, code] of [
    ["replay dlv_none", "DELIVERY_NOT_FOUND"],
    ["replay --subscription sub_none", "SUBSCRIPTION_NOT_FOUND"],
    [`replay --failed-since ${at(0)} --merchant mer_none`, "MERCHANT_NOT_FOUND"],
    [`replay ${id}`, "SUBSCRIPTION_CLOSED"],
    ["replay --subscription sub_1", "SUBSCRIPTION_CLOSED"],
    ["resume sub_none", "SUBSCRIPTION_NOT_FOUND"],
    ["resume sub_1", "SUBSCRIPTION_CLOSED"],
    ["pause sub_none", "SUBSCRIPTION_NOT_FOUND"],
    ["pause sub_1", "SUBSCRIPTION_CLOSED"],
  ] as const) {
    const { status, out, err } = await deliveries(...args.split(" "));
    expect([args, status, out, err.split(":")[0]]).toEqual([args, 1, "", code]);
  }
  expect((await replay("--failed-since", at(0))).out).toBe("0 due again\n");
  expect(await waiting()).toEqual([]);
});
