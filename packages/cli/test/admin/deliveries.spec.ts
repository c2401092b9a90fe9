import {
  DueClock,
  hintAtAnything,
  postgresDriver,
  postgresHints,
  systemClock,
  systemRandom,
} from "@countersign/service/internal";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { describePostgres } from "../../../receiver/test/inboxes/describe-postgres.ts";
import type { Work } from "../../../service/src/delivery/types.ts";
import { nextDeliveryAt } from "../../../service/src/store/tables/deliveries.ts";
import {
  openQueue,
  queueOf,
  REAL_START,
  SECRET,
  type Queue,
} from "../../../service/test/delivery/queue.ts";
import { failedWith } from "../fixtures.ts";
import type { Ran } from "../ran.ts";
import { administered } from "./administered.ts";

const DAY = 86_400_000;
const at = (ms: number): string => new Date(ms).toISOString();

let queue: Queue;
beforeEach(async () => {
  queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.subscribe("sub_2", { clockId: "live" });
});

const admin = (...args: string[]): Promise<Ran> => administered(queue.file).admin(...args);
const replay = (...args: string[]): Promise<Ran> => admin("deliveries", "replay", ...args);
const list = (...args: string[]): Promise<Record<string, unknown>[]> =>
  administered(queue.file).list(...args);

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

describe("countersign serve admin deliveries replay", () => {
  it("retries one delivery in any state, and records the caller", async () => {
    const id = await ended("sub_1", "delivered");
    const { status, out } = await replay(id, "--by", "anna");
    expect([status, out]).toEqual([0, "1 due again\n"]);
    expect(await waiting()).toEqual([id]);
    expect(await list("trail")).toEqual([
      {
        what: "delivery.replay",
        subject: id,
        merchantId: "mer_live",
        askedBy: "anna",
        state: "delivered",
        attempts: 10,
        at: expect.stringMatching(/Z$/) as unknown,
      },
    ]);
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

describe("countersign serve admin subscriptions", () => {
  it("resumes a paused subscription with its failures at zero, and leaves an active one as it is", async () => {
    const sql = "UPDATE subscriptions SET status = 'PAUSED', consecutive_failures = 400";
    await queue.write(`${sql} WHERE key = $1`, ["sub_1"]);
    for (const _ of [1, 2]) {
      const { status, out } = await admin("subscriptions", "resume", "sub_1", "--by", "anna");
      expect([status, out]).toEqual([0, "sub_1 is active\n"]);
    }
    expect(await queue.subscription("sub_1")).toMatchObject([
      { status: "ACTIVE", consecutive_failures: 0 },
    ]);
    const what = { what: "subscription.resume", subject: "sub_1", askedBy: "anna" };
    expect(await list("trail")).toMatchObject([{ ...what, state: "PAUSED", attempts: 400 }]);
  });

  it("pauses an active subscription, so that nothing is sent to it until it is resumed", async () => {
    await queue.enqueue("sub_1", { nextAt: REAL_START });
    for (const _ of [1, 2])
      expect((await admin("subscriptions", "pause", "sub_1", "--by", "anna")).out).toBe(
        "sub_1 is paused\n",
      );
    expect(await list("trail")).toMatchObject([
      { what: "subscription.pause", subject: "sub_1", merchantId: "mer_live", askedBy: "anna" },
    ]);
    expect(await nextDeliveryAt(queue.driver, "live")).toBeUndefined();
    await admin("subscriptions", "resume", "sub_1");
    expect(await nextDeliveryAt(queue.driver, "live")).toBe(REAL_START);
  });

  it("lists the subscriptions of a merchant or of all, newest first, without secrets", async () => {
    await queue.subscribe("sub_3");
    const keys = async (...args: string[]): Promise<unknown[]> =>
      (await list("subscriptions", "list", ...args)).map(({ key }) => key);
    expect(await keys()).toEqual(["sub_3", "sub_2", "sub_1"]);
    expect(await keys("--merchant", "mer_live", "--limit", "1")).toEqual(["sub_2"]);
    const { out } = await admin("subscriptions", "list");
    expect(out).toMatch(/^key {4}merchantId {2}status {2}failures {2}/);
    expect(out).not.toContain(SECRET);
  });
});

describe("countersign serve admin deliveries list", () => {
  it("lists deliveries by merchant, subscription and state, newest first", async () => {
    const [one, two] = [await ended("sub_1", "exhausted"), await ended("sub_2", "delivered")];
    const ids = async (...args: string[]): Promise<unknown[]> =>
      (await list("deliveries", "list", ...args)).map(({ id }) => id);
    expect(await ids()).toEqual([two, one]);
    expect(await ids("--state", "exhausted")).toEqual([one]);
    expect(await ids("--subscription", "sub_2", "--merchant", "mer_live")).toEqual([two]);
    expect(await ids("--merchant", "mer_none")).toEqual([]);
    expect((await admin("deliveries", "list", "--state", "lost")).status).toBe(2);
  });
});

it("countersign serve admin refuses an unknown or closed subscription, delivery or merchant with status 1", async () => {
  const id = await ended("sub_1", "dropped");
  await close("sub_1");
  for (const [args, code] of [
    ["deliveries replay dlv_none", "DELIVERY_NOT_FOUND"],
    ["deliveries replay --subscription sub_none", "SUBSCRIPTION_NOT_FOUND"],
    [`deliveries replay --failed-since ${at(0)} --merchant mer_none`, "MERCHANT_NOT_FOUND"],
    [`deliveries replay ${id}`, "SUBSCRIPTION_CLOSED"],
    ["deliveries replay --subscription sub_1", "SUBSCRIPTION_CLOSED"],
    ["subscriptions resume sub_none", "SUBSCRIPTION_NOT_FOUND"],
    ["subscriptions resume sub_1", "SUBSCRIPTION_CLOSED"],
    ["subscriptions pause sub_none", "SUBSCRIPTION_NOT_FOUND"],
    ["subscriptions pause sub_1", "SUBSCRIPTION_CLOSED"],
  ] as const) {
    const { status, out, err } = await admin(...args.split(" "));
    expect([args, status, out, err.split(":")[0]]).toEqual([args, 1, "", code]);
  }
  expect((await replay("--failed-since", at(0))).out).toBe("0 due again\n");
  expect(await waiting()).toEqual([]);
});

describePostgres("countersign serve admin on PostgreSQL", (server) => {
  it("makes running processes look at once for replayed or resumed deliveries, and not after a list", async () => {
    const url = server().urlOf(await server().create());
    const driver = postgresDriver({ url });
    onTestFinished(() => driver.close());
    queue = await queueOf(driver);
    await queue.subscribe("sub_1", { clockId: "live" });
    const id = await ended("sub_1", "exhausted");
    const heard: Work[] = [];
    const dueClock = new DueClock(systemClock);
    const onWork = (work: Work): void => void heard.push(work);
    const hints = postgresHints({ url, random: systemRandom, dueClock, onWork });
    onTestFinished(() => hints.stop());
    hints.start();
    // It looks for anything as soon as it listens.
    await expect.poll(() => heard).toEqual(["anything"]);
    for (const [line, notices] of [
      [`deliveries replay ${id}`, 1],
      ["subscriptions pause sub_1", 0],
      ["subscriptions resume sub_1", 1],
      ["subscriptions list", 0],
    ] as const) {
      heard.length = 0;
      expect((await administered(url).admin(...line.split(" "))).status).toBe(0);
      // In its turn: all notices before it have arrived.
      await hintAtAnything(driver);
      await expect.poll(() => heard.length).toBe(notices + 1);
    }
  });
});
