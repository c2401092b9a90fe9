import { createReceiver, type Outcome } from "@countersign/receiver";
import {
  github,
  gocardless,
  lemonSqueezy,
  mercadopago,
  pagerduty,
  shopify,
  slack,
  stripe,
  twilio,
  woocommerce,
} from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import { describe, expect, it, vi } from "vitest";
import { attemptOf, invoicePaid, line, pushed, receiverOf } from "./any-provider.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { nameOf, NOON, secret } from "./fixtures.ts";

describe("an event whose id is not signed", () => {
  it("[R-ONCE-REUSED] runs with known bytes under a new id, and is reported in the outcome, the count and one log line", async () => {
    const { receiver, seen } = receiverOf(github);
    await receiver.receive(pushed("one"));
    const outcome = await receiver.receive(pushed("two"));
    expect(outcome).toMatchObject({ kind: "unrouted", sameBytesAs: "one push" });
    expect(line.mock.calls.flat()).toEqual([expect.stringContaining("has the bytes of one push")]);
    const signed = { id: false, type: false, time: false, data: true, account: true };
    expect(seen.map((event) => [event.id, event.signed])).toEqual([
      ["one", signed],
      ["two", signed],
    ]);
  });

  it("[R-ONCE-REUSED] is a duplicate with known bytes under replay: refuse, of all types or of its own", async () => {
    for (const replay of ["refuse", { push: "refuse" }] as const) {
      const { receiver, seen } = receiverOf(github, { replay });
      await receiver.receive(pushed("one"));
      expect(await receiver.receive(pushed("two"))).toMatchObject({
        kind: "duplicate",
        by: "bytes",
        firstKey: "one push",
        firstSeenAt: NOON,
        bodyDiffers: false,
      });
      expect(seen).toHaveLength(1);
    }
    const { receiver, seen } = receiverOf(github, { replay: { create: "refuse" } });
    for (const id of ["one", "two"]) await receiver.receive(pushed(id));
    expect(seen).toHaveLength(2);
  });

  it("is another event with another type, and the same with other bytes", async () => {
    const { receiver } = receiverOf(github);
    await receiver.receive(pushed("one"));
    const other = pushed("one", undefined, "create");
    expect((await receiver.receive(other)).kind).toBe("unrouted");
    const duplicate = { kind: "duplicate", by: "id", bodyDiffers: true };
    const changed = pushed("one", { ref: "other" });
    expect(await receiver.receive(changed)).toMatchObject(duplicate);
  });
});

describe("context.event.signed", () => {
  const url = "https://shop.example/hooks";
  const all = { id: true, type: true, time: true, data: true, account: true, live: true };
  const order = { "X-Shopify-Event-Id": "e1", "X-Shopify-Topic": "orders/paid" };
  it.each([
    ["all of Stripe's event", stripe, invoicePaid("evt_1"), all],
    [
      "Shopify's body, and nothing of its headers",
      shopify,
      attemptOf(shopify, {}, { headers: order }),
      { id: false, type: false, time: false, data: true, account: false },
    ],
    [
      "WooCommerce's body and the digest that is its id",
      woocommerce,
      attemptOf(woocommerce, {}, { headers: { "X-WC-Webhook-Topic": "order.created" } }),
      { id: true, type: false, time: false, data: true, account: false },
    ],
    [
      "the fields of Twilio's form, but not their order, so no digest",
      twilio,
      attemptOf(twilio, "EventType=task.created&AccountSid=AC1", { url }),
      { id: false, type: true, time: false, data: true, account: true },
    ],
    [
      "nothing of MercadoPago's body",
      mercadopago,
      attemptOf(
        mercadopago,
        { id: 1, type: "payment", data: { id: "7" } },
        { url: `${url}?data.id=7` },
      ),
      { id: false, type: false, time: false, data: false, account: false, live: false },
    ],
  ])("says that the signature proves %s", async (_what, provider, attempt, signed) => {
    const { receiver, seen } = receiverOf(provider, { url });
    await receiver.receive(attempt);
    expect(seen.map((event) => event.signed)).toEqual([signed]);
  });
});

describe("an event without an id", () => {
  const sent = (now: number) =>
    signedAttempt({ provider: slack, secrets: [secret], event: { type: "app_rate_limited" }, now });

  it.each(["after-handler", "after-store"] as const)(
    "[R-ONCE-DUPLICATE] is known by its bytes and type, while its sender may retry, %s",
    async (acknowledge) => {
      let now = NOON;
      const inbox = sqliteInTest();
      const { receiver } = receiverOf(slack, { inbox, acknowledge, now: () => now });
      const kinds: string[] = [];
      for (const minutes of [0, 5, 7]) {
        now = NOON + minutes * 60_000;
        kinds.push((await receiver.receive(sent(now))).kind);
        for (const { key, token } of await inbox.queue.take({
          provider: "slack",
          limit: 1,
          leaseMs: 1,
          maxAttempts: 1,
          now,
        }))
          await inbox.complete({ key, token, now });
      }
      const ran = acknowledge === "after-store" ? "stored" : "unrouted";
      expect(kinds).toEqual([ran, "duplicate", ran]);
    },
  );

  it("is another one after a day if its document does not say how long the sender retries", async () => {
    let now = NOON;
    const { receiver } = receiverOf(lemonSqueezy, { now: () => now });
    const order = attemptOf(lemonSqueezy, { meta: { event_name: "order_created" }, data: {} });
    const kinds: string[] = [];
    for (const hours of [0, 24, 25]) {
      now = NOON + hours * 3_600_000;
      kinds.push((await receiver.receive(order)).kind);
    }
    expect(kinds).toEqual(["unrouted", "duplicate", "unrouted"]);
  });

  it("of a sender that never retries runs in every attempt, also while it is handled, under its own key and reported", async () => {
    const keys = new Set<string>();
    const gate = Promise.withResolvers<void>();
    const options = {
      fallback: async (_event: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
        keys.add(idempotencyKey);
        await gate.promise;
      },
    };
    const { receiver } = receiverOf(woocommerce, options);
    const headers = { "X-WC-Webhook-Topic": "order.created" };
    const order = attemptOf(woocommerce, { id: 7 }, { headers });
    const running = [receiver.receive(order), receiver.receive(order)];
    await vi.waitFor(() => expect(keys.size).toBe(2));
    gate.resolve();
    const outcomes = await Promise.all(running);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["unrouted", "unrouted"]);
    expect(await receiver.receive(order)).toMatchObject({
      kind: "unrouted",
      sameBytesAs: expect.stringContaining(" order.created ") as string,
    });
    const strict = receiverOf(woocommerce, { replay: "refuse" });
    const kinds = [await strict.receiver.receive(order), await strict.receiver.receive(order)];
    expect(kinds.map(nameOf)).toEqual(["unrouted", "duplicate"]);
  });

  it("is known by its only signature, if the document says so: a menu is asked the same twice", async () => {
    let now = NOON;
    const { receiver, seen } = receiverOf(slack, { now: () => now });
    const asked = () =>
      signedAttempt({
        provider: slack,
        secrets: [secret],
        event: `payload=${encodeURIComponent(JSON.stringify({ type: "block_suggestion" }))}`,
        now,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
    const first = asked();
    await receiver.receive(first);
    now += 1000;
    const kinds = [await receiver.receive(first), await receiver.receive(asked())].map(nameOf);
    expect([kinds, seen.map(({ signed }) => signed.id)]).toEqual([
      ["duplicate", "unrouted"],
      [true, true],
    ]);
  });
});

describe("a type that a user names", () => {
  it("has a handler like any other: a command of Slack", async () => {
    const handler = vi.fn<() => void>();
    const fallback = vi.fn<() => void>();
    const options = { provider: slack, secrets: [secret], fallback, now: () => NOON };
    const receiver = createReceiver(options).on("/deploy", handler);
    const event = "command=%2Fdeploy&trigger_id=t1&team_id=T1";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = { provider: slack, secrets: [secret], event, now: NOON, headers };
    expect(await receiver.receive(signedAttempt(sent))).toMatchObject({ kind: "handled" });
    expect(handler).toHaveBeenCalledOnce();
    expect(() => receiver.on("deploy", handler)).toThrow(/unknown type or category/);
  });
});

describe("an event whose id has several parts", () => {
  const provider = { ...stripe, event: { ...stripe.event, id: ["body:/data", "body:/sequence"] } };
  const sent = (data: string) =>
    signedAttempt({
      provider,
      secrets: [secret],
      now: NOON,
      event: { type: "a", data, sequence: 1 },
    });

  it("differs from an event whose parts have the same spelling after encoding", async () => {
    const { receiver } = receiverOf(provider);
    const kinds: string[] = [];
    for (const data of ["a b", "a%20b", "a%2520b", "a b"])
      kinds.push((await receiver.receive(sent(data))).kind);
    expect(kinds).toEqual(["unrouted", "unrouted", "unrouted", "duplicate"]);
  });
});

describe("a type that is not signed", () => {
  const validate = (value: unknown) =>
    Object.hasOwn(Object(value) as object, "ref")
      ? ({ ok: true, value } as const)
      : ({
          ok: false,
          errors: [{ pointer: "/ref", keyword: "required", message: "is required" }],
        } as const);
  const entry = { category: "push", amounts: [], resource: "/ref", validate };
  const catalogue = { name: "github", events: { push: entry } };

  it("[R-EVENT-SCHEMA] leads no body to a handler whose schema it does not fit, even if faults are only reported", async () => {
    const { receiver, seen } = receiverOf(github, { catalogue, validate: "report" });
    const outcome = await receiver.receive(pushed("one", { other: "x" }));
    expect([nameOf(outcome), seen]).toEqual(["CS_EVENT_SCHEMA", []]);
    expect((await receiver.receive(pushed("two"))).kind).toBe("unrouted");
  });

  it("[R-EVENT-SCHEMA] leads no body to its category's handler if the catalogue does not have the type", async () => {
    const { receiver, seen } = receiverOf(github, { catalogue });
    const handler = vi.fn<() => void>();
    receiver.on("push" as never, handler);
    await receiver.receive(pushed("one", { ref: "main", action: "celebrated" }));
    expect([handler.mock.calls.length, seen.map(({ type }) => type)]).toEqual([
      0,
      ["push.celebrated"],
    ]);
  });

  it("[R-EVENT-SCHEMA] of a signed type, the fault is reported and the handler runs, unless validate is refuse", async () => {
    const own = { ...catalogue, events: { "invoice.paid": entry } };
    const { receiver, seen } = receiverOf(stripe, { catalogue: own });
    const schemaErrors = [{ pointer: "/ref", message: "is required" }];
    const reported = { kind: "unrouted", schemaErrors };
    expect(await receiver.receive(invoicePaid())).toMatchObject(reported);
    expect(seen).toHaveLength(1);
    expect(line.mock.calls.flat()).toEqual([
      expect.stringContaining("does not fit its schema (/ref is"),
    ]);
    const strict = receiverOf(stripe, { catalogue: own, validate: "refuse" });
    expect(nameOf(await strict.receiver.receive(invoicePaid()))).toBe("CS_EVENT_SCHEMA");
  });
});

describe("a batch", () => {
  const item = (id: string, action = "confirmed") => ({ id, resource_type: "payments", action });
  const batch = (...events: object[]) => attemptOf(gocardless, { events });

  it("[R-ONCE-RETRIES] is acknowledged once each of its events is handled, and repeats none of them", async () => {
    const seen: string[] = [];
    let isBroken = true;
    const { receiver } = receiverOf(gocardless, {
      fallback: ({ id }) => {
        seen.push(id);
        if (id === "EV2" && isBroken) throw new Error("no ledger");
      },
    });
    const sent = batch(item("EV1"), item("EV2"), item("EV3"));
    const first = await receiver.answer(sent);
    expect(first.outcome).toMatchObject({
      kind: "batch",
      outcomes: [{ kind: "unrouted" }, { code: "CS_HANDLER_FAILED" }, { kind: "unrouted" }],
    });
    expect(first.response.status).toBe(503);
    isBroken = false;
    const second = await receiver.answer(sent);
    expect(second.outcome).toMatchObject({
      outcomes: [{ kind: "duplicate" }, { kind: "unrouted" }, { kind: "duplicate" }],
    });
    expect([second.response.status, seen]).toEqual([204, ["EV1", "EV2", "EV3", "EV2"]]);
  });

  it("[R-ONCE-DUPLICATE] is acknowledged although it has one event three times, which runs once", async () => {
    const { receiver, seen } = receiverOf(gocardless, {
      fallback: async (_event, { event }) => {
        await Promise.resolve();
        seen.push(event);
      },
    });
    const { outcome, response } = await receiver.answer(
      batch(item("EV1"), item("EV1"), item("EV1")),
    );
    const outcomes = [{ kind: "unrouted" }, { kind: "duplicate" }, { kind: "duplicate" }];
    expect(outcome).toMatchObject({ outcomes });
    expect([response.status, seen.length]).toEqual([204, 1]);
  });

  it("reports each event and then the batch, and acknowledges an empty one", async () => {
    const outcomes: Outcome[] = [];
    const { receiver } = receiverOf(gocardless, { onOutcome: (one) => void outcomes.push(one) });
    await receiver.answer(batch(item("EV1"), item("EV2")));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["unrouted", "unrouted", "batch"]);
    expect((await receiver.answer(batch())).response.status).toBe(204);
  });

  it("aborts the handlers that are still running when its time has passed, and reports them later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const gate = Promise.withResolvers<void>();
    const reasons: unknown[] = [];
    const outcomes: [string, boolean | undefined][] = [];
    const { receiver } = receiverOf(gocardless, {
      fallback: async ({ id }, { signal }) => {
        if (id === "EV1") return;
        signal.addEventListener("abort", () => reasons.push(id));
        await gate.promise;
      },
      onOutcome: (one, { late }) => void outcomes.push([nameOf(one), late]),
    });
    const answer = receiver.answer(batch(item("EV1"), item("EV2"), item("EV3")));
    await vi.advanceTimersByTimeAsync(9000);
    expect((await answer).response.status).toBe(503);
    expect(reasons).toEqual(["EV2", "EV3"]);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(0);
    vi.useRealTimers();
    expect(outcomes.slice(-2)).toEqual([
      ["unrouted", true],
      ["unrouted", true],
    ]);
  });

  it("[R-EVENT-SCHEMA] is refused with the answer that its provider expects if it is forged", async () => {
    const { receiver } = receiverOf(gocardless);
    const sent = batch(item("EV1"));
    const { response } = await receiver.answer({ ...sent, body: Buffer.from('{"events":[]}') });
    expect(response).toMatchObject({ status: 498, body: '{"code":"CS_SIGNATURE_REFUSED"}' });
  });
});

describe("an event that is being handled", () => {
  it("[R-ACK-IN-PROGRESS] is answered 503 where the sender gives up after 409", async () => {
    const gate = Promise.withResolvers<void>();
    const { receiver } = receiverOf(pagerduty, { fallback: () => gate.promise });
    const event = { event: { id: "e1", event_type: "incident.triggered", data: {} } };
    const sent = attemptOf(pagerduty, event);
    const first = receiver.receive(sent);
    const { response } = await receiver.answer(sent);
    expect([response.status, response.headers["retry-after"]]).toEqual([503, "60"]);
    gate.resolve();
    await first;
  });
});
