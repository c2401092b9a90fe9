import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openService, refundOrder, type TestAnswer, type TestService } from "../open-service.ts";
import { newCustomer, newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";

const DAY_MS = 86_400_000;

const ask = ({ call }: TestService, paymentId: string, members: object = {}): Promise<TestAnswer> =>
  call("POST", "/v1/refunds", {
    json: refundOrder(paymentId, { amount: { currency: "USD", value: 0.01 }, ...members }),
  });

/** Every resource and event of a merchant with a refund of a payment in each state. */
async function everything(open: TestService): Promise<Record<string, unknown>[]> {
  const { service, merchant, clock, call } = open;
  const { useCases } = service;
  const pay = async (
    ...moves: readonly ("settlePayment" | "coverPayment" | "authorizePayment" | "failPayment")[]
  ): Promise<string> => {
    const paymentId = await newPayment(service, merchant);
    for (const move of moves) await useCases[move](merchant, { paymentId });
    return paymentId;
  };
  const before = [await pay("settlePayment"), await pay("settlePayment", "coverPayment")];
  clock.advance(30 * DAY_MS);
  const created = await pay();
  const canceled = await pay();
  await useCases.failPayment(merchant, { paymentId: canceled, status: "CANCELED" });
  const rest = [
    await pay("settlePayment"),
    await pay("authorizePayment"),
    await pay("failPayment"),
  ];
  const answers: unknown[] = [];
  for (const id of [...before, created, canceled, ...rest])
    answers.push((await ask(open, id, { requestKey: `of-${id}` })).body);
  await useCases.failPayment(merchant, { paymentId: created });
  clock.advance(30 * DAY_MS);
  await useCases.moveDueRefunds({ now: clock.now(), clockId: "live" });
  const customer = await call("GET", `/v1/customers/${await newCustomer(service, merchant)}`);
  const events = await service.driver.query<{ payload: string }>("SELECT payload FROM events");
  const payloads = events.map(({ payload }) => JSON.parse(payload) as { data: unknown });
  // Each is a resource or an event, a JSON object.
  const all = [...answers, customer.body, ...payloads, ...payloads.map(({ data }) => data)];
  expect(all.length).toBeGreaterThan(50);
  return all as Record<string, unknown>[];
}

/** Everything under a value, with the names that lead to it. */
function leaves(value: unknown, name = ""): [name: string, value: unknown][] {
  if (typeof value !== "object" || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => leaves(one, key));
}

describe("answers and events", () => {
  it("T-06 T-25 T-26 have only the interface's statuses, times in UTC with milliseconds, and errorDetails exactly when a payment failed", async () => {
    const all = await everything(await openService());
    const payments = all.filter((one) => "paymentStatus" in one);
    const statuses = (isDebit: boolean): string[] => {
      const own = payments.filter((one) => (one["direction"] === "DEBIT") === isDebit);
      return [...new Set(own.map((one) => String(one["paymentStatus"])))].toSorted();
    };
    expect(statuses(false)).toEqual(["AUTHORIZED", "PENDING", "TERMINAL_FAILED"]);
    const debits = ["AUTHORIZED", "CANCELED", "CREATED", "SUCCEEDED", "TERMINAL_FAILED"];
    expect(statuses(true)).toEqual(debits);

    const times = all
      .flatMap((one) => leaves(one))
      .filter(([name]) => /(?:Date|timestamp)$/.test(name));
    expect(times.length).toBeGreaterThan(50);
    const utc = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
    for (const [name, time] of times) expect([name, time]).toEqual([name, utc]);

    const text = expect.stringMatching(/./) as unknown;
    const details = { errorCode: text, errorMessage: text };
    for (const { paymentStatus, errorDetails } of payments) {
      const expected = paymentStatus === "TERMINAL_FAILED" ? details : undefined;
      expect([paymentStatus, errorDetails]).toEqual([paymentStatus, expected]);
    }
  });

  it("T-10 carry every clientReferenceId byte for byte", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
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
        const requestKey = `round-${(run += 1)}`;
        const answer = await ask(open, paymentId, { requestKey, clientReferenceId });
        expect(answer).toMatchObject({ status: 201, body: { clientReferenceId } });
        const [event] = await open.service.driver.query<{ payload: string }>(
          "SELECT payload FROM events ORDER BY rowid DESC LIMIT 1",
        );
        const payload = JSON.parse(event?.payload ?? "{}") as { data?: unknown };
        expect(payload.data).toEqual(answer.body);
      }),
      { numRuns: 40 },
    );
  });

  it("T-13 accept a softDescriptor of exactly 1 to 80 letters, digits and spaces", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    const good = fc.constantFrom("A", "Z", "a", "z", "0", "9", " ");
    const bad = fc.constantFrom("é", ".", "\n", "\u0000", "\u{1F600}", "\u00a0", "０");
    const character = fc.oneof({ weight: 60, arbitrary: good }, { weight: 1, arbitrary: bad });
    let run = 0;
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: character, maxLength: 90, size: "max" }),
        async (softDescriptor) => {
          const requestKey = `text-${(run += 1)}`;
          const { status } = await ask(open, paymentId, { requestKey, softDescriptor });
          expect(status).toBe(/^[A-Za-z0-9 ]{1,80}$/.test(softDescriptor) ? 201 : 400);
          seen.add(status);
        },
      ),
      { numRuns: 60 },
    );
    expect(seen).toEqual(new Set([201, 400]));
  });
});

describe("time", () => {
  it("T-02 does not free a requestKey: ten years later a refund's or debit's key is 409 as on the first day", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant, { requestKey: "the-debit's" });
    expect((await ask(open, paymentId)).status).toBe(201);
    clock.moveTo("2036-11-20T15:00:00.000Z");
    const duplicate = { status: 409, code: "DUPLICATE_REQUEST_KEY" };
    expect(refusal(await ask(open, paymentId))).toEqual(duplicate);
    const ofDebit = await ask(open, paymentId, { requestKey: "the-debit's" });
    expect(refusal(ofDebit)).toEqual(duplicate);
  });

  it("T-17 beyond the bank calendar refuses a settlement and stores nothing, while other payments go on", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const early = await newPayment(service, merchant);
    await service.useCases.settlePayment(merchant, { paymentId: early });
    clock.moveTo("2035-12-28T15:00:00.000Z");
    const late = { paymentId: await newPayment(service, merchant) };
    await ask(open, late.paymentId, { requestKey: "late" });
    const stored = (): Promise<unknown> =>
      Promise.all(
        ["payments", "events"].map((table) => service.driver.query(`SELECT * FROM ${table}`)),
      );
    const before = await stored();
    await expect(service.useCases.settlePayment(merchant, late)).rejects.toThrow(
      new RangeError("the bank calendar ends on 2035-12-31, before 2036-01-01"),
    );
    expect(await stored()).toEqual(before);
    expect((await ask(open, early)).body).toMatchObject({ paymentStatus: "AUTHORIZED" });
    expect(await service.useCases.failPayment(merchant, late)).toMatchObject({ ok: true });
  });
});
