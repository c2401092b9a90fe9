import { describe, expect, it } from "vitest";
import { answered, fakeTransport, heldTransport, openQueue } from "./queue.ts";

const live = { clockId: "live" };
/** Another merchant than that of `live`. */
const other = { ...live, merchantId: "mer_2" };

const hostsOf = ({ posts }: ReturnType<typeof fakeTransport>): string[] =>
  posts.map(({ url }) => url.hostname);

describe("B14: deliveries that share one process", () => {
  it("keep to the limit of an endpoint and to the limit of the process", async () => {
    const queue = await openQueue();
    const keys = ["sub_a", "sub_b", "sub_c", "sub_d"];
    for (const [index, key] of keys.entries())
      await queue.subscribe(key, index % 2 === 0 ? live : other);
    for (const key of keys) await queue.publish(5, [key]);
    const { transport, inFlight } = heldTransport();
    queue.engine(transport, { policy: { concurrency: 5, concurrencyPerEndpoint: 2 } });
    await expect.poll(inFlight).toBe(5);
    await queue.passTurns();
    expect(inFlight()).toBe(5);
    const hosts = hostsOf(transport);
    for (const host of hosts) expect(hosts.filter((one) => one === host).length).toBeLessThan(3);
  });

  it("of a merchant who arrives late do not wait behind 1,000 of another merchant that hang", async () => {
    const queue = await openQueue();
    await queue.subscribe("late", other);
    const early = Array.from({ length: 10 }, (_, number) => `early_${number}`);
    for (const key of early) await queue.subscribe(key, live);
    await queue.publish(100, early);
    const { transport, inFlight } = heldTransport();
    const engine = queue.engine(transport);
    await expect.poll(inFlight).toBe(80);
    await queue.passTurns();
    expect(inFlight()).toBe(80);
    await queue.enqueue("late");
    const work = { key: "late", merchantId: "mer_2", url: "https://late.example/" };
    engine.onWork([{ ...work, at: queue.clock.now() }]);
    await expect.poll(() => hostsOf(transport)).toContain("late.example");
  });
});

describe("B15: a host that many have subscribed", () => {
  it("gets no more concurrent attempts than its limit, and others do not wait behind it", async () => {
    const queue = await openQueue();
    const url = "https://victim.example/hooks";
    await queue.subscribeMany(30, (number) => ({ ...live, url, merchantId: `mer_${number}` }));
    await queue.subscribe("other", live);
    await queue.enqueue("other");
    const { transport, inFlight } = heldTransport();
    queue.engine(transport, { policy: { concurrencyPerHost: 3 } });
    await expect.poll(inFlight).toBe(4);
    await queue.passTurns();
    const victim = "victim.example";
    expect(hostsOf(transport).toSorted()).toEqual(["other.example", victim, victim, victim]);
  });

  it("pauses for one subscription after an overload, and continues for another merchant's", async () => {
    const queue = await openQueue();
    const shared = "https://shared.example";
    await queue.subscribe("sub_a", { ...live, url: `${shared}/a` });
    await queue.subscribe("sub_b", { ...other, url: `${shared}/b` });
    for (const key of ["sub_a", "sub_b"]) await queue.publish(20, [key]);
    let isOverloaded = true;
    const transport = fakeTransport(({ url: { pathname } }) =>
      answered(isOverloaded && pathname === "/a" ? 429 : 204),
    );
    queue.engine(transport, { policy: { concurrencyPerEndpoint: 1 } });
    const posts = (path: string): number =>
      transport.posts.filter(({ url }) => url.pathname === path).length;
    await expect.poll(() => posts("/b")).toBe(20);
    await queue.passTurns();
    expect(posts("/a")).toBeLessThan(5);
    isOverloaded = false;
    // The longest rest; the deliveries' own retries are due by then too.
    queue.clock.advance(60_000);
    await expect.poll(() => posts("/a")).toBeGreaterThanOrEqual(20);
  });
});
