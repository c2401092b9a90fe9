import { describe, expect, it } from "vitest";
import { answered, fakeTransport, openQueue, SOON } from "./queue.ts";

const a = { clockId: "live", merchantId: "mer_a" };
const b = { clockId: "live", merchantId: "mer_b" };
/** Endpoints of merchant A, each with as many deliveries due. */
const [ENDPOINTS, BACKLOG] = [20, 20];

const answers = {
  "with 429": () => answered(429),
  "with 502": () => answered(502),
  "with 504": () => answered(504),
  "not at all": () => new Promise<never>(() => {}),
};

describe("B14: a merchant whose endpoints have a backlog and answer", () => {
  it.each(
    Object.keys(answers).flatMap((kind) =>
      ["one shared host", "hosts of their own"].map((hosts) => [kind, hosts] as const),
    ),
  )("%s on %s keeps no delivery of another merchant waiting", async (kind, hosts) => {
    const queue = await openQueue();
    const hostOf = (name: string): string => (hosts === "one shared host" ? "gateway" : name);
    for (let number = 0; number < ENDPOINTS; number += 1) {
      const url = `https://${hostOf(`a${number}`)}.example/a/${number}`;
      await queue.subscribe(`a_${number}`, { ...a, url });
      await queue.publish(BACKLOG, [`a_${number}`]);
    }
    await queue.subscribe("b", { ...b, url: `https://${hostOf("b")}.example/b` });
    const answerA = Object.entries(answers).find(([name]) => name === kind)?.[1];
    const transport = fakeTransport(({ merchantId }) =>
      merchantId === "mer_a" && answerA !== undefined ? answerA() : answered(204),
    );
    const postsOf = (merchantId: string): number =>
      transport.posts.filter((post) => post.merchantId === merchantId).length;
    const engine = queue.engine(transport);
    await expect.poll(() => postsOf("mer_a"), SOON).toBeGreaterThanOrEqual(8);
    for (let sent = 1; sent <= 20; sent += 1) {
      await queue.enqueue("b");
      const before = postsOf("mer_a");
      engine.onWork([{ key: "b", at: queue.clock.now() }]);
      await expect.poll(() => postsOf("mer_b"), { ...SOON, interval: 1 }).toBe(sent);
      // In between each of A's endpoints may fill its places once, but its backlog does not come first.
      expect(postsOf("mer_a") - before).toBeLessThan(ENDPOINTS * 8);
    }
  });
});
