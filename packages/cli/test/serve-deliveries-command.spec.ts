import { beforeEach, describe, expect, it } from "vitest";
import { openQueue, REAL_START, type Queue } from "../../service/test/delivery/queue.ts";
import { ran, type Ran } from "./ran.ts";

const DAY = 86_400_000;
const at = (ms: number): string => new Date(ms).toISOString();

let queue: Queue;
beforeEach(async () => {
  queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.subscribe("sub_2", { clockId: "live" });
});

const serve = (...args: string[]): Promise<Ran> =>
  ran(["serve", ...args, "--database", queue.file]);

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

describe("countersign serve replay", () => {
  it("retries one delivery, whatever its state, and records who asked", async () => {
    const id = await ended("sub_1", "delivered");
    const { status, out } = await serve("replay", "--delivery", id, "--by", "anna");
    expect([status, out]).toEqual([0, "1 due again\n"]);
    expect(await waiting()).toEqual([id]);
    const trail = await serve("trail");
    expect(trail.out).toMatch(
      new RegExp(`^\\S+Z {2}replay {2}${id} {2}mer_live {2}delivered after 10 {2}anna\n$`),
    );
  });

  it("retries the completed deliveries of a subscription, or those that failed since a time, of one merchant or of all", async () => {
    const old = await ended("sub_1", "dropped", REAL_START - DAY);
    const [own, other] = [await ended("sub_1", "exhausted"), await ended("sub_2", "exhausted")];
    await queue.subscribe("sub_3");
    const foreign = await ended("sub_3", "exhausted");
    await queue.write("UPDATE deliveries SET merchant_id = 'mer_1' WHERE id = $1", [foreign]);
    const since = ["--failed-since", at(REAL_START)];
    expect((await serve("replay", ...since, "--merchant", "mer_live")).out).toBe("2 due again\n");
    expect(await waiting()).toEqual([own, other]);
    expect((await serve("replay", ...since)).out).toBe("1 due again\n");
    const { out } = await serve("replay", "--subscription", "sub_1", "--json");
    expect(JSON.parse(out)).toEqual({ ok: true, replayed: 1 });
    expect(await waiting()).toEqual([old, own, other, foreign]);
  });

  it("exits with 2 for missing, conflicting or malformed options", async () => {
    for (const args of [
      [],
      ["--delivery", "dlv_1", "--subscription", "sub_1"],
      ["--delivery", "dlv_1", "--merchant", "mer_live"],
      ["--failed-since", "yesterday"],
      ["--failed-since", "2026-13-01T00:00:00Z"],
      ["--delivery", "dlv_1", "--by", "a\nb"],
      ["--delivery", "dlv_1", "--by", "a".repeat(65)],
    ])
      expect([args, await serve("replay", ...args)]).toMatchObject([args, { status: 2, out: "" }]);
  });
});

describe("countersign serve resume", () => {
  it("activates a paused subscription and records who asked; leaves an active one as it is", async () => {
    const sql = "UPDATE subscriptions SET status = 'PAUSED', consecutive_failures = 400";
    await queue.write(`${sql} WHERE key = $1`, ["sub_1"]);
    for (const _ of [1, 2]) {
      const { status, out } = await serve("resume", "sub_1", "--by", "anna");
      expect([status, out]).toEqual([0, "sub_1 is active\n"]);
    }
    expect(await queue.subscription("sub_1")).toMatchObject([
      { status: "ACTIVE", consecutive_failures: 0 },
    ]);
    const trail = JSON.parse((await serve("trail", "--json")).out) as unknown[];
    const what = { what: "resume", id: "sub_1", merchantId: "mer_live", askedBy: "anna" };
    const asked: unknown = expect.stringMatching(/Z$/);
    expect(trail).toEqual([{ ...what, state: "PAUSED", attempts: 400, at: asked }]);
  });
});

it("countersign serve replay and resume exit with 1 for an unknown or closed subscription, delivery or merchant", async () => {
  const id = await ended("sub_1", "dropped");
  await close("sub_1");
  for (const [args, code] of [
    ["replay --delivery dlv_none", "DELIVERY_NOT_FOUND"],
    ["replay --subscription sub_none", "SUBSCRIPTION_NOT_FOUND"],
    [`replay --failed-since ${at(0)} --merchant mer_none`, "MERCHANT_NOT_FOUND"],
    [`replay --delivery ${id}`, "SUBSCRIPTION_CLOSED"],
    ["replay --subscription sub_1", "SUBSCRIPTION_CLOSED"],
    ["resume sub_none", "SUBSCRIPTION_NOT_FOUND"],
    ["resume sub_1", "SUBSCRIPTION_CLOSED"],
  ] as const) {
    const { status, out, err } = await serve(...args.split(" "));
    expect([status, out, err.split(":")[0]]).toEqual([1, "", code]);
  }
  expect((await serve("replay", "--failed-since", at(0))).out).toBe("0 due again\n");
  expect(await waiting()).toEqual([]);
});
