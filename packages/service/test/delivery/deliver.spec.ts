import { standardWebhooks } from "@countersign/signatures";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it, onTestFinished } from "vitest";
import { Deliverer } from "../../src/delivery/deliver.ts";
import type { DeliveryObserver } from "../../src/delivery/observer.ts";
import type { DeliveryPolicy } from "../../src/delivery/policy.ts";
import type { Answer, Transport } from "../../src/delivery/transport.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { listenHttp } from "./listening.ts";
import {
  answered,
  CLOCK_START,
  fakeTransport,
  openQueue,
  policy,
  REAL_START,
  SECRET,
  type Queue,
} from "./queue.ts";
import { SOON } from "./soon.ts";

function deliverer(
  queue: Queue,
  transport: Transport,
  options: { policy?: Partial<DeliveryPolicy>; observer?: DeliveryObserver } = {},
): Deliverer {
  const one = new Deliverer(
    queue.ports(transport),
    { ...policy, ...options.policy },
    options.observer,
  );
  onTestFinished(() => one.stop({ graceMs: 1000 }));
  return one;
}

interface Arrived {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** A merchant's receiver on a real socket that answers with `statuses` in turn, the last for ever. */
async function merchant(...statuses: number[]) {
  const arrived: Arrived[] = [];
  const server = await listenHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      arrived.push({ headers, body: Buffer.concat(chunks) });
      response.writeHead(statuses[Math.min(arrived.length, statuses.length) - 1] ?? 204).end();
    });
  });
  onTestFinished(() => server.close());
  return { arrived, url: server.url.href };
}
const network = () => undiciTransport({ deadlineMs: 10_000, allowLoopback: true });

describe("an attempt on the wire", () => {
  it("B19 verifies with the packages of Standard Webhooks and Svix, over the stored bytes", async () => {
    const queue = await openQueue();
    const { arrived, url } = await merchant(204);
    await queue.subscribe("sub_1", { url });
    const payload = '{ "amount": 10.50, "name":"Zoë \\u20ac €" }';
    await queue.enqueue("sub_1", { payload });
    // The packages read the machine's clock.
    queue.realNow = Date.now();
    await deliverer(queue, network()).drain("clk_1");

    const [one] = arrived;
    if (one === undefined) throw new Error("nothing arrived");
    expect(one.body.toString("utf8")).toBe(payload);
    const base64 = Buffer.from(SECRET).toString("base64");
    expect(new StandardWebhook(base64).verify(one.body, one.headers)).toEqual(JSON.parse(payload));
    expect(() => new SvixWebhook(base64).verify(one.body, one.headers)).not.toThrow();
    const own = standardWebhooks().verify(one, [{ raw: SECRET }], { now: queue.realNow });
    expect(own).toMatchObject({ ok: true, id: "evt_1" });
  });

  it("[P-EVENT-HEADERS] says what it is: JSON, its length, and who sends it", async () => {
    const queue = await openQueue();
    const { arrived, url } = await merchant(204);
    await queue.subscribe("sub_1", { url });
    await queue.enqueue("sub_1", { payload: '{"n":"€"}' });
    await deliverer(queue, network()).drain("clk_1");
    expect(arrived[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": "11",
      "user-agent": "Countersign/test",
      "webhook-id": "evt_1",
      "webhook-timestamp": String(REAL_START / 1000),
    });
    expect(arrived[0]?.headers).not.toHaveProperty("accept-encoding");
  });

  it("[P-EVENT-ID-KEPT][P-EVENT-TIMESTAMP] keeps its event's id in every retry, under a new time and signature", async () => {
    const queue = await openQueue();
    const { arrived, url } = await merchant(503, 503, 204);
    await queue.subscribe("sub_1", { url });
    await queue.enqueue("sub_1");
    const one = deliverer(queue, network());
    for (const step of [0, 5000, 300_000]) {
      queue.realNow += 7000;
      await queue.write("UPDATE clocks SET instant = instant + $1 WHERE id = 'clk_1'", [step]);
      await one.drain("clk_1");
    }
    const column = (name: string) => arrived.map(({ headers }) => headers[name]);
    expect(column("webhook-id")).toEqual(["evt_1", "evt_1", "evt_1"]);
    expect(column("webhook-timestamp")).toEqual(
      [7, 14, 21].map((seconds) => String(REAL_START / 1000 + seconds)),
    );
    expect(new Set(column("webhook-signature")).size).toBe(3);
    expect(new Set(arrived.map(({ body }) => body.toString())).size).toBe(1);
    expect(await queue.deliveries()).toMatchObject([{ state: "delivered", attempts: 3 }]);
    expect((await queue.attempts()).map(({ status }) => status)).toEqual([503, 503, 204]);
  });
});

describe("an attempt that cannot be made", () => {
  it.each([
    ["a URL that may not be called", "ftp://merchant.example/", "CS_ATTEMPT_URL_REFUSED"],
    ["a URL edited by hand into the private network", "http://10.0.0.1/", "CS_ATTEMPT_URL_REFUSED"],
    ["a host in the private network", "https://10.0.0.1/", "CS_ATTEMPT_ADDRESS_REFUSED"],
  ])("B7 is recorded for %s", async (_, url, error) => {
    const queue = await openQueue();
    await queue.subscribe("sub_1", { url });
    await queue.enqueue("sub_1");
    await deliverer(queue, network()).drain("clk_1");
    expect(await queue.attempts()).toMatchObject([{ status: null, error }]);
    expect(await queue.deliveries()).toMatchObject([{ state: "waiting", attempts: 1 }]);
  });

  it("is recorded for a secret that cannot sign", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1");
    const transport = fakeTransport(() => answered(204));
    const ports = { ...queue.ports(transport), sign: () => undefined };
    await new Deliverer(ports, policy).drain("clk_1");
    expect(await queue.attempts()).toMatchObject([{ error: "CS_ATTEMPT_SECRET_UNUSABLE" }]);
    expect(transport.posts).toEqual([]);
  });
});

/** Answers only when told to. */
function held() {
  const waiting: ((answer: Answer) => void)[] = [];
  const transport = fakeTransport(() => new Promise((resolve) => waiting.push(resolve)));
  return {
    transport,
    underWay: () => waiting.length,
    answer: (answer: Answer) => waiting.shift()?.(answer),
  };
}

describe("the stream of attempts", () => {
  it("keeps to the cap of a subscription and to the cap of all", async () => {
    const queue = await openQueue();
    for (const key of ["sub_a", "sub_b", "sub_c"]) {
      await queue.subscribe(key);
      for (let count = 0; count < 5; count += 1) await queue.enqueue(key);
    }
    const now = new Map<string, number>();
    const most = { all: 0, one: 0 };
    const transport = fakeTransport(async ({ url: { hostname } }) => {
      now.set(hostname, (now.get(hostname) ?? 0) + 1);
      most.one = Math.max(most.one, ...now.values());
      most.all = Math.max(
        most.all,
        [...now.values()].reduce((sum, count) => sum + count, 0),
      );
      await queue.passTurns();
      now.set(hostname, (now.get(hostname) ?? 0) - 1);
      return answered(204);
    });
    const caps = { concurrency: 5, concurrencyPerSubscription: 2 };
    await deliverer(queue, transport, { policy: caps }).drain("clk_1");
    expect(most).toEqual({ all: 5, one: 2 });
    expect((await queue.deliveries()).every(({ state }) => state === "delivered")).toBe(true);
  });

  it("[P-EVENT-ISOLATED] B14 does not wait for a slow receiver before it serves the others", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_slow");
    await queue.subscribe("sub_fast");
    for (let count = 0; count < 40; count += 1) {
      await queue.enqueue("sub_slow");
      await queue.enqueue("sub_fast");
    }
    const slow: ((answer: Answer) => void)[] = [];
    const transport = fakeTransport(({ url }) =>
      url.hostname.includes("slow") ? new Promise((resolve) => slow.push(resolve)) : answered(204),
    );
    const one = deliverer(queue, transport, { policy: { concurrency: 16 } });
    const done = one.drain("clk_1");
    const fast = async () =>
      (await queue.deliveries()).filter(({ state }) => state === "delivered").length;
    await expect.poll(fast, SOON).toBe(40);
    expect(slow).toHaveLength(8);
    const timer = setInterval(() => slow.splice(0).forEach((end) => end(answered(204))), 1);
    await done;
    clearInterval(timer);
    expect(await fast()).toBe(80);
  });

  it("is not drained while another clock's attempts take all the room", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_live", { clockId: "live" });
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_live", { clockId: "live" });
    const { transport, answer, underWay } = held();
    const one = deliverer(queue, transport, { policy: { concurrency: 1 } });
    one.wake("live");
    await expect.poll(underWay, SOON).toBe(1);
    await queue.enqueue("sub_1");
    let isDrained = false;
    const drained = one.drain("clk_1").then(() => (isDrained = true));
    await queue.passTurns();
    expect(isDrained).toBe(false);
    answer(answered(204));
    await expect.poll(underWay, SOON).toBe(1);
    answer(answered(204));
    await drained;
    expect((await queue.deliveries()).map(({ state }) => state)).toEqual([
      "delivered",
      "delivered",
    ]);
  });

  it("attempts each delivery once, however often it is woken", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    for (let count = 0; count < 50; count += 1) await queue.enqueue("sub_1");
    const transport = fakeTransport(() => answered(204));
    const one = deliverer(queue, transport);
    for (let count = 0; count < 20; count += 1) one.wake("clk_1");
    await Promise.all([one.drain("clk_1"), one.drain("clk_1")]);
    one.wake("clk_1");
    await one.drain("clk_1");
    expect(transport.posts).toHaveLength(50);
    expect((await queue.deliveries()).every(({ attempts }) => attempts === 1)).toBe(true);
  });

  it("settles what it has attempted once the store answers again", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1");
    const { transport, answer, underWay } = held();
    const failures: unknown[] = [];
    const ports = queue.ports(transport);
    let broken = 0;
    const driver: typeof ports.driver = {
      ...ports.driver,
      query: (sql, params) => ports.driver.query(sql, params),
      transaction: (run) =>
        broken-- > 0 ? Promise.reject(new Error("disk full")) : ports.driver.transaction(run),
    };
    const observer = { failed: (error: unknown) => failures.push(error) };
    const one = new Deliverer({ ...ports, driver }, policy, observer);
    const done = one.drain("clk_1");
    await expect.poll(underWay, SOON).toBe(1);
    broken = 1;
    answer(answered(204));
    await done;
    expect(failures).toHaveLength(1);
    expect(await queue.deliveries()).toMatchObject([{ state: "delivered", attempts: 1 }]);
    expect(transport.posts).toHaveLength(1);
  });

  it.each<[string, Partial<DeliveryPolicy>]>([
    ["a lease that is no longer than the deadline", { leaseMs: 15_000 }],
    ["no room at all", { concurrency: 0 }],
    ["no room for a subscription", { concurrencyPerSubscription: 0 }],
    ["a lease that is no number", { leaseMs: Number.NaN }],
  ])("is refused with %s", async (_, change) => {
    const queue = await openQueue();
    const ports = queue.ports(fakeTransport(() => answered(204)));
    expect(() => new Deliverer(ports, { ...policy, ...change })).toThrow(TypeError);
  });
});

describe("stopping", () => {
  it("waits for what is under way and claims nothing more", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    const { transport, answer, underWay } = held();
    const one = deliverer(queue, transport, { policy: { concurrencyPerSubscription: 1 } });
    for (let count = 0; count < 3; count += 1) await queue.enqueue("sub_1");
    one.wake("clk_1");
    await expect.poll(underWay, SOON).toBe(1);
    const stopped = one.stop({ graceMs: 5000 });
    answer(answered(204));
    await stopped;
    const states = (await queue.deliveries()).map(({ state, attempts }) => `${state} ${attempts}`);
    expect(states).toEqual(["delivered 1", "waiting 0", "waiting 0"]);
  });

  it("gives back what does not end in time, and another worker goes on at once", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1");
    const { transport, answer, underWay } = held();
    const one = deliverer(queue, transport);
    one.wake("clk_1");
    await expect.poll(underWay, SOON).toBe(1);
    await one.stop({ graceMs: 10 });
    expect(await queue.deliveries()).toMatchObject([
      { state: "waiting", attempts: 1, leased_until: 0 },
    ]);
    answer(answered(500));
    await queue.passTurns();
    expect(await queue.attempts()).toEqual([]);

    await deliverer(
      queue,
      fakeTransport(() => answered(204)),
    ).drain("clk_1");
    expect(await queue.deliveries()).toMatchObject([{ state: "delivered", attempts: 2 }]);
    expect(await queue.attempts()).toMatchObject([{ number: 2, status: 204 }]);
  });
});

describe("a worker that dies", () => {
  it("leaves its deliveries to others, once its leases have ended", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    for (let count = 0; count < 3; count += 1) await queue.enqueue("sub_1");
    // Never answered, never settled: as far as the database can tell, this process is gone.
    const dead = held();
    deliverer(queue, dead.transport).wake("clk_1");
    await expect.poll(dead.underWay, SOON).toBe(3);

    const transport = fakeTransport(() => answered(204));
    const successor = deliverer(queue, transport);
    await successor.drain("clk_1");
    expect(transport.posts).toHaveLength(0);
    queue.realNow += policy.leaseMs;
    await successor.drain("clk_1");
    expect(transport.posts).toHaveLength(3);
    expect(await queue.deliveries()).toMatchObject(
      [1, 2, 3].map((number) => ({ id: `dlv_${number}`, state: "delivered", attempts: 2 })),
    );

    // The dead one comes back, and its late answers count for nothing.
    while (dead.underWay() > 0) dead.answer(answered(500));
    await successor.drain("clk_1");
    expect(await queue.deliveries()).toMatchObject([
      { state: "delivered", next_at: null },
      { state: "delivered", next_at: null },
      { state: "delivered", next_at: null },
    ]);
    expect(CLOCK_START).toBe(await queue.instant());
  });
});
