import { createClient, isClientError, type Client, type RefundAnswer } from "@countersign/client";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults, openFaultProxy, type Fault, type FaultProxy } from "./fault-proxy.ts";
import { openSandbox, TOKEN, type TestSandbox } from "./open-sandbox.ts";
import { TestTime } from "./test-time.ts";

let one: TestSandbox;
let proxy: FaultProxy;
let payment: string;
let keys = 0;

beforeAll(async () => {
  one = await openSandbox();
  proxy = await openFaultProxy(one.port);
  payment = await one.settledPayment(90_000_000);
});
afterAll(async () => {
  await proxy.close();
  await one.close();
});

interface Asked {
  readonly requestKey: string;
  readonly answer: RefundAnswer | undefined;
  readonly error: unknown;
  readonly attempts: number;
}

/** Asks for one refund while the faults happen to its attempts, and waits for what arrives late. */
async function ask(
  happening: readonly Fault[],
  { attempts = 5, requestKey = `key-${(keys += 1)}` } = {},
): Promise<Asked> {
  const time = new TestTime();
  const client: Client = createClient({
    baseUrl: proxy.url,
    token: TOKEN,
    now: time.now,
    sleep: time.sleep,
    random: () => 0.5,
    retry: { attempts },
  });
  const before = proxy.requests.length;
  proxy.put(happening, () => time.elapse(time.attemptMs));
  const order = {
    paymentId: payment,
    amount: 1n,
    requestKey,
    clientReferenceId: `for ${requestKey}`,
  };
  const settled = await client.refund(order).then(
    (answer) => ({ answer, error: undefined }),
    (error: unknown) => ({ answer: undefined, error }),
  );
  await client.close();
  await proxy.settled();
  expect(time.pending).toBe(0);
  return { ...settled, requestKey, attempts: proxy.requests.length - before };
}

describe("T-01: a refund whose exchange is disturbed", () => {
  it.each(faults)("by $kind at $tenths tenths of the $of is made exactly once", async (fault) => {
    const { answer, requestKey } = await ask([fault]);
    const made = await one.refundsOf(requestKey);
    expect(made).toHaveLength(1);
    expect(answer).toMatchObject({
      refundId: made[0]?.["paymentId"],
      paymentStatus: made[0]?.["paymentStatus"],
      clientReferenceId: `for ${requestKey}`,
    });
  });

  it("in any way on up to four attempts is made exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...faults), { minLength: 2, maxLength: 4 }),
        async (happening) => {
          const { answer, requestKey } = await ask(happening);
          const made = await one.refundsOf(requestKey);
          expect(made.map(({ paymentId }) => paymentId)).toEqual([answer?.refundId]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("on every attempt is not denied where it may be made, and the same key finds it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...faults), { minLength: 2, maxLength: 2 }),
        async (happening) => {
          const { answer, error, requestKey } = await ask(happening, { attempts: 2 });
          const made = await one.refundsOf(requestKey);
          if (answer === undefined) {
            if (!isClientError(error)) throw error;
            expect(error.attempts).toBe(2);
            expect(error.mayBeDone || made.length === 0).toBe(true);
          }
          const again = await ask([], { requestKey });
          const now = await one.refundsOf(requestKey);
          expect(now).toHaveLength(1);
          expect(again.answer?.refundId).toBe(now[0]?.["paymentId"]);
          expect(again.answer?.recovered).toBe(made.length === 1);
        },
      ),
      { numRuns: 40 },
    );
  });
});
