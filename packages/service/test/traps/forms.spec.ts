import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openService, type TestService } from "../open-service.ts";
import { newCustomer, newPayment } from "../payments.ts";
import { askCent, everyMember, paymentsInEveryState } from "./payment-states.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Every resource that a merchant is told of: of each state a refund and its events, and a customer. */
async function everythingTold(open: TestService): Promise<Record<string, unknown>[]> {
  const { service, merchant, call, clock } = open;
  const states = await paymentsInEveryState(open);
  const refunds = [];
  for (const paymentId of Object.values(states))
    refunds.push((await askCent(open, paymentId)).body);
  await service.useCases.failPayment(merchant, { paymentId: states["created"] ?? "" });
  clock.advance(30 * 86_400_000);
  await service.useCases.moveDueRefunds({ now: clock.now(), clockId: "live" });
  const customer = await call("GET", `/v1/customers/${await newCustomer(service, merchant)}`);
  const events = await service.driver.query<{ payload: string }>("SELECT payload FROM events");
  const payloads = events.map(({ payload }) => JSON.parse(payload) as { data: unknown });
  const told = [...refunds, customer.body, ...payloads, ...payloads.map(({ data }) => data)];
  expect(told.length).toBeGreaterThan(50);
  // Each is a resource or an event, a JSON object.
  return told as Record<string, unknown>[];
}

describe("whatever a merchant is told", () => {
  it("T-06 has the statuses of the interface alone, and each refund status is met", async () => {
    const told = await everythingTold(await openService());
    const refunds = told.filter((one) => "paymentStatus" in one && one["direction"] !== "DEBIT");
    const statuses = new Set(refunds.map((one) => String(one["paymentStatus"])));
    expect([...statuses].toSorted()).toEqual(["AUTHORIZED", "PENDING", "TERMINAL_FAILED"]);
    const debits = told.filter((one) => one["direction"] === "DEBIT");
    const known = ["AUTHORIZED", "CANCELED", "CREATED", "SUCCEEDED", "TERMINAL_FAILED"];
    expect([...new Set(debits.map((one) => String(one["paymentStatus"])))].toSorted()).toEqual(
      known,
    );
  });

  it("T-25 has times in UTC with three digits of milliseconds, also where they are zero", async () => {
    const open = await openService();
    open.clock.advance(120);
    const times = (await everythingTold(open))
      .flatMap((one) => everyMember(one))
      .filter(([name]) => /(?:Date|timestamp)$/.test(name));
    expect(times.length).toBeGreaterThan(50);
    for (const [name, time] of times)
      expect([name, time]).toEqual([name, expect.stringMatching(TIME)]);
  });

  it("T-26 has errorDetails where it failed, both texts filled, and no such member elsewhere", async () => {
    const told = await everythingTold(await openService());
    const payments = told.filter((one) => "paymentStatus" in one);
    for (const one of payments) {
      const details = one["errorDetails"];
      const isFailed = one["paymentStatus"] === "TERMINAL_FAILED";
      expect([one["paymentStatus"], "errorDetails" in one]).toEqual([
        one["paymentStatus"],
        isFailed,
      ]);
      if (!isFailed) continue;
      const texts = Object.entries(details ?? {}).map(([name, text]) => [
        name,
        typeof text,
        text === "",
      ]);
      expect(texts).toEqual([
        ["errorCode", "string", false],
        ["errorMessage", "string", false],
      ]);
    }
    expect(payments.filter((one) => "errorDetails" in one).length).toBeGreaterThan(5);
  });
});

describe("a clientReferenceId", () => {
  it("T-10 comes back byte for byte, in the answer and in the event, whatever it is", async () => {
    const open = await openService();
    const { service, merchant } = open;
    const paymentId = await newPayment(service, merchant);
    let run = 0;
    // Any but surrogates, which stand for no character alone.
    const character = fc
      .oneof(fc.integer({ min: 0x20, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
      .map((code) => String.fromCodePoint(code));
    const odd = fc.constantFrom("é", "e\u0301", "\u{1F600}", "ﬁ", " ", '"', "\\", "\u2028");
    const reference = fc
      .array(fc.oneof(character, odd), { minLength: 1, maxLength: 60 })
      // Control characters are refused.
      .map((characters) => characters.join("").replace(/\p{Cc}/gu, "x"));
    await fc.assert(
      fc.asyncProperty(reference, async (clientReferenceId) => {
        run += 1;
        const requestKey = `round-${run}`;
        const answer = await askCent(open, paymentId, { requestKey, clientReferenceId });
        expect(answer).toMatchObject({ status: 201, body: { clientReferenceId } });
        const [event] = await service.driver.query<{ payload: string }>(
          "SELECT payload FROM events ORDER BY rowid DESC LIMIT 1",
        );
        const payload = JSON.parse(event?.payload ?? "{}") as { data?: unknown };
        expect(payload.data).toEqual(answer.body);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a softDescriptor", () => {
  it("T-13 is taken exactly where it is 1 to 80 letters, digits and spaces", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    const character = fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom("A", "Z", "a", "z", "0", "9", " ") },
      {
        weight: 1,
        arbitrary: fc.constantFrom("é", ".", "\n", "\u0000", "\u{1F600}", "\u00a0", "０"),
      },
    );
    const text = fc.string({ unit: character, maxLength: 90, size: "max" });
    let run = 0;
    const taken: boolean[] = [];
    await fc.assert(
      fc.asyncProperty(text, async (softDescriptor) => {
        run += 1;
        const answer = await askCent(open, paymentId, {
          requestKey: `text-${run}`,
          softDescriptor,
        });
        const isTaken = /^[A-Za-z0-9 ]{1,80}$/.test(softDescriptor);
        taken.push(isTaken);
        expect(answer.status).toBe(isTaken ? 201 : 400);
      }),
      { numRuns: 60 },
    );
    expect(new Set(taken)).toEqual(new Set([true, false]));
  });
});

describe("a subscriptionKey", () => {
  it("T-23 is taken as a subscriptionId, in the body, the path and the query", async () => {
    const { call } = await openService();
    const details = { subscriptionDetails: { type: "ALL" } };
    const path = "/v1/webhook/unsubscribe";
    const keys = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const order = {
        url: "https://merchant.example/",
        secretKey: "correct-horse-battery-st",
        ...details,
      };
      const made = await call("POST", "/v1/webhook/subscribe", { json: order });
      const { subscriptionKey } = made.body as { subscriptionKey: string };
      keys.add(subscriptionKey);
      const inBody = { subscriptionId: subscriptionKey, ...details };
      const calls = [
        [path, inBody],
        [`${path}/${subscriptionKey}`, details],
        [`${path}?subscriptionId=${subscriptionKey}`, details],
      ] as const;
      const [where, json] = calls[round % calls.length] ?? calls[0];
      expect(await call("PUT", where, { json })).toMatchObject({
        status: 200,
        body: { subscriptionKey },
      });
    }
    expect(keys.size).toBe(30);
  });
});
