import { createReceiver, type Inbox } from "@countersign/receiver";
import { redisInbox } from "@countersign/receiver/redis";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inboxConformance } from "../../src/testing/inbox-conformance.ts";
import type { TestServer } from "./postgres-server.ts";
import { redisBinary, startRedis } from "./redis-server.ts";

const reason = redisBinary === undefined ? " (skipped: redis-server is not installed)" : "";

describe.skipIf(redisBinary === undefined)(`the Redis inbox${reason}`, () => {
  let server: TestServer;
  let ioredis: Redis;
  let nodeRedis: ReturnType<typeof createClient>;
  let prefixes = 0;
  const prefix = (): string => `inbox${String((prefixes += 1))}`;
  beforeAll(async () => {
    server = await startRedis();
    ioredis = new Redis(server.port, "127.0.0.1");
    nodeRedis = createClient({ url: `redis://127.0.0.1:${String(server.port)}` });
    await nodeRedis.connect();
  }, 30_000);
  afterAll(async () => {
    await ioredis.quit();
    await nodeRedis.close();
    server.stop();
  });

  describe("over ioredis", () => {
    const open = (): Inbox => redisInbox(ioredis, { prefix: prefix() });
    it.each(inboxConformance({ open }))("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });

  describe("over node-redis", () => {
    const open = (): Inbox => redisInbox(nodeRedis, { prefix: prefix() });
    it.each(inboxConformance({ open }))("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });
});

describe("redisInbox", () => {
  const client = { call: () => Promise.resolve(null) };

  it("is no durable inbox, unless its owner says that this Redis is", () => {
    const options = { secrets: [`whsec_${"A".repeat(32)}`], fallback: () => undefined };
    const create = (durable: boolean): unknown =>
      createReceiver({
        ...options,
        acknowledge: "after-store",
        inbox: redisInbox(client, { durable }),
      });
    expect(() => create(false)).toThrow(/needs sqliteInbox or postgresInbox/);
    expect(() => create(true)).not.toThrow();
  });

  it.each([
    ["something that is no client", {}, {}],
    ["an empty prefix", client, { prefix: "" }],
    ["a prefix with braces", client, { prefix: "{a}" }],
  ])("refuses %s", (_what, given, options) => {
    // As plain JavaScript may call it.
    expect(() => redisInbox(given as never, options)).toThrow(TypeError);
  });
});
