import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { openService } from "../open-service.ts";
import { newPayment } from "../payments.ts";

/** Refunds per second, measured over about a second, with so many asked for at one time. */
async function rate(ask: () => Promise<unknown>, concurrency: number): Promise<number> {
  for (let i = 0; i < 200; i++) await ask();
  let done = 0;
  const start = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() - start < 1000) {
      await ask();
      done++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return Math.round((done / (performance.now() - start)) * 1000);
}

test("refunds that are asked for at one time share their flush to disk", async () => {
  const { service, merchant, call } = await openService();
  const paymentId = await newPayment(service, merchant, { cents: 9_999_999_999n });
  let next = 0;
  const ask = (): Promise<unknown> =>
    service.useCases.askRefund(merchant, {
      paymentId,
      amountCents: 1n,
      requestKey: `u${next++}`,
      clientReferenceId: null,
      softDescriptor: null,
    });
  const overHttp = (): Promise<unknown> => {
    const json = { paymentId, amount: { currency: "USD", value: 0.01 }, requestKey: `h${next++}` };
    return call("POST", "/v1/refunds", { json });
  };
  const figures = {
    "use case, 1 at a time": await rate(ask, 1),
    "use case, 64 at a time": await rate(ask, 64),
    "HTTP, 1 at a time": await rate(overHttp, 1),
    "HTTP, 64 at a time": await rate(overHttp, 64),
  };
  process.stdout.write(`refunds per second ${JSON.stringify(figures)}\n`);
  const ratio = figures["use case, 64 at a time"] / figures["use case, 1 at a time"];
  expect(ratio).toBeGreaterThan(1.5);
});
