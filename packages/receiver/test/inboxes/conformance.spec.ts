import { AssertionError } from "node:assert";
import { type Inbox, type InboxQueue, memoryInbox } from "@countersign/receiver";
import { inboxConformance } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import { sqliteInTest } from "./in-test.ts";
import { describeStore, queueStores, stores, type TestStore } from "./stores.ts";

const queued = new Set<TestStore>(queueStores);

for (const store of stores)
  describeStore(store, (open) => {
    const parts = [
      "claims",
      "resources",
      ...(queued.has(store) ? ["queue" as const] : []),
    ] as const;
    it.each(inboxConformance({ open, parts, faults: store.faults ?? [] }))(
      "$name",
      async ({ run }) => {
        await expect(run()).resolves.toBeUndefined();
      },
    );
  });

it("an inbox that takes one stored event twice fails the promise to store it once", async () => {
  const inbox = sqliteInTest();
  const queue: InboxQueue = {
    ...inbox.queue,
    take: async (request) => {
      const events = await inbox.queue.take(request);
      return [...events, ...events];
    },
  };
  const checks = inboxConformance({ open: () => ({ ...inbox, queue }), parts: ["queue"] });
  const check = checks.find(({ name }) => name.startsWith("stores an event once"));
  await expect(check?.run()).rejects.toThrow(AssertionError);
});

it.each([
  ["compares no bytes", undefined],
  ["only reports the same bytes", "report" as const],
  ["refuses the same bytes that it is asked to report", "refuse" as const],
])("an inbox that %s fails the promises about them", async (_what, sameBytes) => {
  const inbox = (): Inbox => {
    const own = memoryInbox();
    return {
      ...own,
      claim: (request) => own.claim(request.sameBytes ? { ...request, sameBytes } : request),
    };
  };
  const checks = inboxConformance({ open: inbox, parts: ["claims"] });
  const results = await Promise.allSettled(checks.map(({ run }) => run()));
  const failed = checks.filter((_, index) => results[index]?.status === "rejected");
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.filter(({ name }) => !name.includes("bytes"))).toEqual([]);
});

describe("the check of a store's fault", () => {
  const never = (): Promise<never> => new Promise(() => undefined);
  it.each<[string, Partial<Inbox>, number, RegExp | undefined]>([
    [
      "passes for an inbox that rejects",
      { claim: () => Promise.reject(new Error("away")) },
      15_000,
      undefined,
    ],
    [
      "fails for an inbox that never answers",
      { complete: never },
      300,
      /early complete|late complete/,
    ],
    [
      "fails for an inbox that forgets what it has reported as done",
      { complete: () => Promise.resolve(true) },
      1500,
      /know what "late complete" has done/,
    ],
  ])("%s", async (_what, broken, withinMs, message) => {
    const inbox: Inbox = memoryInbox();
    let fault: Partial<Inbox> = {};
    const through: Inbox = {
      claim: (request) => fault.claim?.(request) ?? inbox.claim(request),
      complete: (completion) => fault.complete?.(completion) ?? inbox.complete(completion),
      release: (settlement) => inbox.release(settlement),
    };
    const [check] = inboxConformance({
      open: () => through,
      parts: [],
      faults: [
        {
          name: "it is broken",
          begin: () => void (fault = broken),
          end: () => void (fault = {}),
          withinMs,
        },
      ],
    });
    const run = check?.run();
    if (message === undefined) await expect(run).resolves.toBeUndefined();
    else await expect(run).rejects.toThrow(message);
  });
});
