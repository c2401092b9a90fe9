import { join } from "node:path";
import { type Inbox, memoryInbox } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  attemptOf,
  genuine,
  NOON,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
  secret,
} from "./fixtures.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

describe("an event that arrives again", () => {
  it("[R-ONCE-DUPLICATE] [R-ACK-IN-PROGRESS] [R-ONCE-CONCURRENT] [R-ACK-AFTER-HANDLER] gets 409 while its handler runs, and 204 only once it has succeeded", async () => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    const handler = vi.fn<() => Promise<void>>(() => promise);
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", handler);
    const answered = vi.fn<(outcome: object) => void>();
    const first = receiver.receive(genuine).then(answered);
    const others = await Promise.all(Array.from({ length: 10 }, () => receiver.answer(genuine)));
    expect(others.map(({ outcome }) => outcome.kind)).toEqual(Array(10).fill("in_progress"));
    expect(others[0]?.response).toMatchObject({
      status: 409,
      headers: { "retry-after": "60" },
      body: '{"code":"CS_EVENT_IN_PROGRESS","id":"evt_refund1"}',
    });
    expect([handler.mock.calls.length, answered.mock.calls.length]).toEqual([1, 0]);
    open();
    await first;
    expect(answered).toHaveBeenCalledWith(expect.objectContaining({ kind: "handled" }));
    const later = attemptOf(refundAuthorized(), { now: NOON - 60_000 });
    const again = await receiver.answer(later);
    expect([again.outcome.kind, again.response.status]).toEqual(["duplicate", 204]);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it("[R-ONCE-REUSED] with another body is a duplicate, or refused with 409 under onIdReuse: conflict", async () => {
    const other = attemptOf({ ...refundAuthorized(), timestamp: "2026-11-24T06:00:00.000Z" });
    for (const [onIdReuse, status] of [
      ["conflict", 409],
      ["duplicate", 204],
      [undefined, 204],
    ] as const) {
      const { receiver, handled } = recordingReceiver(onIdReuse && { onIdReuse });
      await receiver.receive(genuine);
      const { outcome, response } = await receiver.answer(other);
      const key = { provider: "reference", tenant: "", id: "evt_refund1" };
      const type = "refund.authorized";
      const reused = { kind: "rejected", code: "CS_EVENT_ID_REUSED", event: { key, type } };
      expect(outcome).toMatchObject(status === 409 ? reused : { kind: "duplicate" });
      expect(response.status).toBe(status);
      expect(handled).toEqual(["PAYMENT evt_refund1"]);
    }
  });

  it("[R-ONCE-TENANT] is another event for another tenant", async () => {
    const seen: string[] = [];
    const { receiver } = recordingReceiver({
      secrets: ({ path }) => ({ tenant: path ?? "", secrets: [secret] }),
    });
    receiver.on(
      "refund.authorized",
      (event, { tenant, idempotencyKey }) =>
        void seen.push(`${tenant} ${event.id} ${idempotencyKey}`),
    );
    for (const path of ["/a", "/b", "/a", ""]) await receiver.receive({ ...genuine, path });
    expect(seen).toEqual([
      "/a evt_refund1 reference:evt_refund1:%2Fa",
      "/b evt_refund1 reference:evt_refund1:%2Fb",
      " evt_refund1 reference:evt_refund1",
    ]);
  });
});

/** Replays of one attempt that differ in everything that is not signed. */
const replays = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const unsigned = {
      "x-request-id": String(index),
      "user-agent": `replayer/${String(index)}`,
      "idempotency-key": `other-${String(index)}`,
      "webhook-event": "customer.activated",
    };
    return { ...genuine, headers: { ...unsigned, ...genuine.headers }, path: `/${String(index)}` };
  });
const handledOnce = ["PAYMENT evt_refund1"];

describe("A10: an attempt that is replayed within the tolerance", () => {
  it("runs its handler once for 100 concurrent replays over two inboxes on one file, and for 20 after a restart", async () => {
    const path = join(temporaryFolder(), "replayed.db");
    const inboxes = [sqliteInbox(path), sqliteInbox(path)];
    const before = inboxes.map((inbox) => recordingReceiver({ inbox }));
    await Promise.all(
      before.flatMap(({ receiver }) => replays(50).map((replay) => receiver.receive(replay))),
    );
    for (const inbox of inboxes) inbox.close();
    const reopened = sqliteInbox(path);
    const after = recordingReceiver({ inbox: reopened });
    for (const replay of replays(20)) await after.receiver.receive(replay);
    reopened.close();
    expect([...before, after].flatMap(({ handled }) => handled)).toEqual(handledOnce);
    expect(new Set(after.outcomes.map(({ kind }) => kind))).toEqual(new Set(["duplicate"]));
  });

  it("[R-ONCE-RETRIES] runs its handler once although the sender signs its id again for 76 hours", async () => {
    const clock = { now: NOON };
    const { send, handled } = recordingReceiver({ now: () => clock.now });
    for (const seconds of [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]) {
      clock.now += seconds * 1000;
      await send(refundAuthorized(), { now: clock.now });
    }
    expect(handled).toEqual(handledOnce);
  });
});

it("A28: [R-ACK-FAILED] [R-LEAK-NOTHING] an event whose handler fails gets 503 with Retry-After, a code and the id, blocks no other event, and its next attempt runs the handler again", async () => {
  const handler = vi.fn<() => Promise<void>>(() => Promise.resolve());
  handler.mockRejectedValueOnce(new Error("password=hunter2"));
  const { receiver } = recordingReceiver({ limits: { concurrentHandlers: 1 } });
  receiver.on("refund.authorized", handler);
  const { outcome, response } = await receiver.answer(genuine);
  const error = { message: "password=hunter2" };
  expect(outcome).toMatchObject({ kind: "failed", code: "CS_HANDLER_FAILED", error });
  expect(response).toMatchObject({
    status: 503,
    headers: { "retry-after": "5" },
    body: '{"code":"CS_HANDLER_FAILED","id":"evt_refund1"}',
  });
  for (const attempt of [refundAttempt("evt_2"), genuine])
    expect((await receiver.receive(attempt)).kind).toBe("handled");
  expect(handler).toHaveBeenCalledTimes(3);
});

it.each([
  ["claim", "CS_INBOX_UNAVAILABLE"],
  ["complete", "CS_INBOX_UNAVAILABLE"],
  ["release", "CS_HANDLER_FAILED"],
])(
  "[R-ACK-INBOX] an inbox that is unavailable at %s fails the attempt with 503 and %s",
  async (method, code) => {
    const inbox: Inbox = {
      ...memoryInbox(),
      [method]: () => Promise.reject(new Error("no connection")),
    };
    const { receiver } = recordingReceiver({ inbox });
    if (method === "release")
      receiver.on("refund.authorized", () => Promise.reject(new Error("no")));
    const { outcome, response } = await receiver.answer(genuine);
    expect(outcome).toMatchObject({ kind: "failed", code });
    expect(response.status).toBe(503);
  },
);

it("a handler whose claim another attempt has taken is CS_CLAIM_LOST", async () => {
  const inbox: Inbox = { ...memoryInbox(), complete: () => Promise.resolve(false) };
  const { receiver } = recordingReceiver({ inbox });
  expect(await receiver.receive(genuine)).toMatchObject({
    code: "CS_CLAIM_LOST",
    error: { message: "another attempt has taken over the event" },
  });
});

it.each([
  ["throws", () => Promise.reject(new Error("vault away")), /^vault away$/],
  ["returns an invalid secret", () => ({ tenant: "", secrets: ["hunter2"] }), /too short/],
  // As plain JavaScript may return it.
  ["returns a bare list", () => [secret] as never, /, not a list: .*could use up .* only one$/],
  ["returns no tenant", () => ({ secrets: [secret] }) as never, /\}: a text and a list of secrets/],
  ["returns nothing", () => undefined as never, /\}: a text and a list of secrets/],
])("a secrets function that %s fails the attempt with 503", async (_what, secrets, message) => {
  const { receiver } = recordingReceiver({ secrets });
  const { outcome, response } = await receiver.answer(genuine);
  expect(outcome).toMatchObject({ kind: "failed", code: "CS_SECRETS_UNAVAILABLE" });
  const error = "error" in outcome ? outcome.error : undefined;
  expect(String(error instanceof Error && error.message)).toMatch(message);
  expect(response).toMatchObject({ status: 503, body: '{"code":"CS_SECRETS_UNAVAILABLE"}' });
});

it("a receiver purges handled events after their retention, a thousand at a time, at most once a minute", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const DAY = 86_400_000;
  const clock = { now: NOON };
  const purge = vi
    .fn<NonNullable<Inbox["purge"]>>(() => Promise.resolve(0))
    .mockResolvedValueOnce(1000);
  const { receiver } = recordingReceiver({
    inbox: { ...memoryInbox(), purge },
    retention: 10 * DAY,
    now: () => clock.now,
  });
  const attempt = () => receiver.receive({ headers: {}, body: new Uint8Array() });
  await attempt();
  // The wall clock may jump.
  clock.now += 3_600_000;
  await attempt();
  expect(purge).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  await attempt();
  await attempt();
  await new Promise((resolve) => setImmediate(resolve));
  const request = { before: clock.now - 10 * DAY, limit: 1000 };
  expect(purge.mock.calls).toEqual([[request], [request]]);
});
