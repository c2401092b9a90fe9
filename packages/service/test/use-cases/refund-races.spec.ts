import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openService, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { FailingDriver } from "../failing-driver.ts";
import { validated } from "../validated.ts";

function ask(
  { call }: TestService,
  paymentId: string,
  { cents, requestKey }: { cents: number; requestKey: string },
): Promise<{ status: number }> {
  const amount = { currency: "USD", value: cents / 100 };
  return call("POST", "/v1/refunds", { json: { paymentId, amount, requestKey } });
}

/** What the debit's row says is reserved, and what its refunds add up to. */
async function reserved({ service }: TestService, id: string): Promise<readonly [number, number]> {
  const [debit] = await service.driver.query<{ reserved: number }>(
    "SELECT reserved_cents AS reserved FROM payments WHERE id = $1",
    [id],
  );
  const refunds = await service.driver.query<{ cents: number }>(
    `SELECT amount_cents AS cents FROM payments
      WHERE original_id = $1 AND status IN ('PENDING', 'AUTHORIZED')`,
    [id],
  );
  return [debit?.reserved ?? -1, refunds.reduce((sum, { cents }) => sum + cents, 0)];
}

describe("refunds of one payment that are asked for at one time", () => {
  it("never add up to more than the payment, and leave nothing that would still fit", async () => {
    const open = await openService();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3000 }),
        fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 2, maxLength: 12 }),
        async (cents, parts) => {
          run++;
          const paymentId = await newPayment(open.service, open.merchant, { cents: BigInt(cents) });
          const answers = await Promise.all(
            parts.map((part, i) =>
              ask(open, paymentId, { cents: part, requestKey: `${run}-${i}` }),
            ),
          );
          const taken = parts.filter((_, i) => answers[i]?.status === 201);
          const sum = taken.reduce((total, part) => total + part, 0);
          expect(sum).toBeLessThanOrEqual(cents);
          expect(await reserved(open, paymentId)).toEqual([sum, sum]);
          // Each one that was refused did not fit beside those that were taken.
          const refused = parts.filter((_, i) => answers[i]?.status !== 201);
          expect(sum + Math.min(...refused)).toBeGreaterThan(cents);
        },
      ),
      { numRuns: 40 },
    );
  });
});

type Move =
  | { readonly type: "ask"; readonly cents: number }
  | { readonly type: "settle" | "fail" | "cover" | "sweep" };

describe("whatever happens to a payment and its refunds", () => {
  it("[P-EVENT-EACH-STATE] each refund enters a state once, tells it once, and reserves what it should", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const move: fc.Arbitrary<Move> = fc.oneof(
      fc.record({ type: fc.constant("ask" as const), cents: fc.integer({ min: 1, max: 600 }) }),
      { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("settle" as const, "sweep") }) },
      fc.record({ type: fc.constantFrom("fail" as const, "cover") }),
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 10 }), async (moves) => {
        run++;
        const paymentId = await newPayment(service, merchant, { cents: 1000n });
        for (const [i, step] of moves.entries()) {
          const named = { paymentId };
          if (step.type === "ask") {
            await ask(open, paymentId, { cents: step.cents, requestKey: `${run}-${i}` });
          } else if (step.type === "settle") await service.useCases.settlePayment(merchant, named);
          else if (step.type === "fail") await service.useCases.failPayment(merchant, named);
          else if (step.type === "cover") await service.useCases.coverPayment(merchant, named);
          else {
            clock.advance(7 * 86_400_000);
            await service.useCases.moveDueRefunds({ now: clock.now(), clockId: "live" });
          }
          const [row, sum] = await reserved(open, paymentId);
          expect(row).toBe(sum);
          expect(row).toBeLessThanOrEqual(1000);
        }
        await expectEventsFitStates(open, paymentId);
      }),
      { numRuns: 40 },
    );
  });
});

/** The events of each refund are a path of S 3.1 that ends in its state, each state told once. */
async function expectEventsFitStates({ service }: TestService, paymentId: string): Promise<void> {
  const refunds = await service.driver.query<{ id: string; status: string }>(
    "SELECT id, status FROM payments WHERE original_id = $1",
    [paymentId],
  );
  const events = await service.driver.query<{ payload: string }>(
    "SELECT payload FROM events WHERE type LIKE 'refund.%' ORDER BY rowid",
  );
  const told = events.map(
    ({ payload }) => JSON.parse(payload) as { data: { paymentId: string; paymentStatus: string } },
  );
  for (const { id, status } of refunds) {
    const path = told
      .filter(({ data }) => data.paymentId === id)
      .map(({ data }) => data.paymentStatus);
    expect([
      ["PENDING"],
      ["AUTHORIZED"],
      ["TERMINAL_FAILED"],
      ["PENDING", "AUTHORIZED"],
      ["PENDING", "TERMINAL_FAILED"],
    ]).toContainEqual(path);
    expect(path.at(-1)).toBe(status);
  }
}

describe("a refund whose transaction breaks", () => {
  it("leaves nothing behind, wherever it breaks", async () => {
    let failing: FailingDriver | undefined;
    const open = await openService({ wrap: (driver) => (failing = new FailingDriver(driver)) });
    if (failing === undefined) throw new Error("no driver");
    const paymentId = await newPayment(open.service, open.merchant);
    await open.service.useCases.subscribe(open.merchant, {
      url: "https://merchant.example/",
      secretKey: "correct-horse-battery-st",
      subscriptionDetails: { type: "ALL" },
    });
    const before = await everything(open);

    // Every statement of the transaction in turn, until none of that number is left.
    const statuses: number[] = [];
    const states: unknown[] = [];
    while (statuses.at(-1) !== 201) {
      failing.failStatement = statuses.length + 1;
      const { status } = await ask(open, paymentId, { cents: 1, requestKey: "k" });
      statuses.push(status);
      states.push(await everything(open));
    }
    expect(statuses.length).toBeGreaterThan(6);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([500]));
    expect(states.slice(0, -1)).toEqual(statuses.slice(0, -1).map(() => before));
    expect(await reserved(open, paymentId)).toEqual([1, 1]);
  });

  it("[P-REFUND-BEFORE-COMMIT] is answered 503 with Retry-After and stores nothing when COMMIT fails; then the key is free", async () => {
    let failing: FailingDriver | undefined;
    const open = await openService({ wrap: (driver) => (failing = new FailingDriver(driver)) });
    if (failing === undefined) throw new Error("no driver");
    const paymentId = await newPayment(open.service, open.merchant);
    const before = await everything(open);
    const amount = { currency: "USD", value: 1 };
    const json = { paymentId, amount, requestKey: "k" };

    failing.failCommit = true;
    const answer = await open.call("POST", "/v1/refunds", { json });
    expect(answer.status).toBe(503);
    expect(answer.headers["retry-after"]).toBe("1");
    expect(validated("problem", answer).errorDetails.errorCode).toBe("SERVICE_UNAVAILABLE");
    expect(await everything(open)).toEqual(before);

    failing.failCommit = false;
    expect((await open.call("POST", "/v1/refunds", { json })).status).toBe(201);
  });
});

async function everything({ service }: TestService): Promise<unknown> {
  return Promise.all(
    ["payments", "events", "deliveries", "tokens", "subscriptions"].map((table) =>
      service.driver.query(`SELECT * FROM ${table}`),
    ),
  );
}
