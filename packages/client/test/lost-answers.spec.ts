import { isClientError } from "@countersign/client";
import { Agent, type Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { testPort } from "../../receiver/test/inboxes/servers.ts";
import { shareSandbox, type TestSandbox } from "../../service/test/sandbox/open-sandbox.ts";
import {
  clientOf,
  errorOf,
  made,
  openClient,
  order,
  refundError,
  refundsOf,
  type Received,
  type Scripted,
} from "./fixtures.ts";

const open = shareSandbox();

/** A fault of an attempt: a refusal or a reset before its refund is made, or a reset after. */
const kinds = ["status", "reset", "lost"] as const;
type Faults = readonly (typeof kinds)[number][];
const longer = (all: readonly Faults[]): Faults[] =>
  all.flatMap((one) => kinds.map((kind) => [...one, kind]));
const two = longer(longer([[]]));
const upToTwo: readonly Faults[] = [...longer([[]]), ...two];

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
    for (const [at, happening] of [...upToTwo, ...longer(two)].entries()) {
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
    for (const [at, happening] of upToTwo.entries()) {
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

describe("a refund without an answer", () => {
  /** The error of a refund whose exchange fails with this error. */
  const failedWith = (failure: Error) => {
    // The client calls no other method of its dispatcher.
    const dispatcher = { request: () => Promise.reject(failure) } as unknown as Dispatcher;
    return refundError(made, { dispatcher, maxAttempts: 1 });
  };
  const system = (code: string, syscall?: string) =>
    Object.assign(new Error("x"), { code, ...(syscall !== undefined && { syscall }) });

  it("is certainly not done if nothing listens", async () => {
    const port = await testPort();
    const error = await errorOf(openClient(`http://127.0.0.1:${port}`).client.refund(order));
    const expected = { code: "CS_UNREACHABLE", reason: "ECONNREFUSED", attempts: 5 };
    expect(error).toMatchObject({ ...expected, mayBeDone: false });
  });

  it("may be done through a dispatcher that is destroyed meanwhile", async () => {
    const dispatcher = new Agent();
    const destroy: Scripted = () => void dispatcher.destroy();
    const { error } = await refundError(destroy, { dispatcher, maxAttempts: 1 });
    expect(error).toMatchObject({ code: "CS_CONNECTION_LOST", mayBeDone: true });
  });

  it.each([
    ["no route to the host", system("EHOSTUNREACH", "connect")],
    ["no address of the host", system("ENOTFOUND", "getaddrinfo")],
    ["no connection to any address", new AggregateError([system("ETIMEDOUT", "connect")])],
    ["the end of the caller's dispatcher", system("UND_ERR_CLOSED")],
    ["another host's certificate", system("ERR_TLS_CERT_ALTNAME_INVALID")],
  ])("is certainly not done after %s", async (_, error) => {
    const expected = { code: "CS_UNREACHABLE", mayBeDone: false };
    expect((await failedWith(error)).error).toMatchObject(expected);
  });

  it.each([
    ["a route that ends during the exchange", system("EHOSTUNREACH", "read")],
    ["a garbled record of TLS", system("ERR_SSL_WRONG_VERSION_NUMBER")],
    ["an error without a code", new Error("x")],
  ])("may be done after %s", async (_, error) => {
    const expected = { code: "CS_CONNECTION_LOST", mayBeDone: true };
    expect((await failedWith(error)).error).toMatchObject(expected);
  });
});
