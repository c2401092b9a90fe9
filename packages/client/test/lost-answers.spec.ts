import { isClientError } from "@countersign/client";
import { describe, expect, it } from "vitest";
import { shareSandbox, type TestSandbox } from "../../sandbox/test/open-sandbox.ts";
import { clientOf, made, openClient, order, refundsOf, type Received } from "./fixtures.ts";

const open = shareSandbox();

/** A fault of an attempt: a refusal or a reset before its refund is made, or a reset after. */
const kinds = ["status", "reset", "lost"] as const;
type Faults = readonly (typeof kinds)[number][];
const longer = (all: readonly Faults[]): Faults[] =>
  all.flatMap((one) => kinds.map((kind) => [...one, kind]));
const two = longer(longer([[]]));
const sequences: readonly Faults[] = [...longer([[]]), ...two, ...longer(two)];

/** Asks for a refund of a new namespace while the faults happen to its attempts, one each. */
async function ask(one: TestSandbox, happening: Faults, requestKey: string, attempts = 5) {
  const faults = happening.map((kind) => {
    return { route: "POST /v1/refunds", kind, ...(kind === "status" && { status: 503 }) };
  });
  await one.call("PUT", "/sandbox/faults", { json: { faults } });
  const { client } = openClient(one.sandbox.url, { token: one.token, maxAttempts: attempts });
  const asked = { paymentId: one.seeded.payments.settled, amount: 1n, requestKey };
  const [settled] = await Promise.allSettled([client.refund(asked)]);
  const ids = (await refundsOf(one, requestKey)).map(({ paymentId }) => paymentId);
  return { settled, ids };
}

describe("T-01: a refund whose exchange is disturbed", () => {
  it("is made exactly once after any faults on one to three attempts", async () => {
    const one = await open();
    for (const [at, happening] of sequences.entries()) {
      const { settled, ids } = await ask(one, happening, `key-${at}`);
      const refundId: unknown = ids[0];
      expect([happening, ids.length, settled]).toMatchObject([
        happening,
        1,
        { value: { refundId } },
      ]);
    }
  });

  it("may be done after faults on every attempt, and the same key finds it", async () => {
    const one = await open();
    for (const [at, happening] of sequences.entries()) {
      const { settled, ids } = await ask(one, happening, `key-${at}`, happening.length);
      if (settled.status !== "rejected" || !isClientError(settled.reason))
        throw new Error(`${happening.join(", ")} did not fail`);
      expect(settled.reason.attempts).toBe(happening.length);
      expect(settled.reason.mayBeDone || ids.length === 0).toBe(true);
      const again = await ask(one, [], `key-${at}`);
      const value = { refundId: again.ids[0], recovered: ids.length === 1 };
      expect([happening, again]).toMatchObject([
        happening,
        { settled: { value }, ids: [value.refundId] },
      ]);
    }
  });

  it("is made exactly once if its first attempt arrives after the client has given up", async () => {
    const one = await open();
    const { client, clock, received } = await clientOf((response, retried) => {
      const [late] = received;
      if (late === undefined || late === retried) return;
      const pass = ({ body }: Received) => one.call("POST", "/v1/refunds", { text: body });
      void pass(late)
        .then(() => pass(retried))
        .then(({ status, headers, text }) => response.writeHead(status, headers).end(text));
    });
    const paymentId = one.seeded.payments.settled;
    const answer = client.refund({ ...order, paymentId });
    await expect.poll(() => received.length).toBe(1);
    clock.elapse(clock.attemptMs);
    const { refundId, recovered } = await answer;
    const ids = (await refundsOf(one)).map((refund) => refund["paymentId"]);
    expect([ids, recovered]).toEqual([[refundId], true]);
  });

  it("is requested again after a connection that ends at any tenth of the answer", async () => {
    const whole = Buffer.from(
      'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 75\r\n\r\n{"paymentId":"ref_1","paymentStatus":"PENDING","clientReferenceId":null}   ',
    );
    for (let tenths = 0; tenths < 10; tenths += 1) {
      const part = whole.subarray(0, Math.floor((whole.length * tenths) / 10));
      const { client, received } = await clientOf([({ socket }) => void socket?.end(part), made]);
      expect(await client.refund(order)).toMatchObject({ refundId: "ref_1" });
      expect([tenths, received.length]).toEqual([tenths, 2]);
    }
  });
});
