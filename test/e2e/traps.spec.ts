import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { createReceiver, defaultRespond, memoryInbox, type Receiver } from "@countersign/receiver";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../packages/contract-kit/test/listen.ts";
import { openSandbox, TOKEN } from "../../packages/contract-kit/test/provider/open-sandbox.ts";
import { createApi } from "../../packages/dev/src/api.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const options = { secrets: [SECRET], fallback: () => undefined, log: false } as const;

/** Opens a sandbox that delivers to a merchant's receiver over loopback, and records each attempt. */
async function openProvider(receiver: Pick<Receiver, "receive">) {
  const { url, payments, close } = await openSandbox();
  onTestFinished(close);
  const attempts: { readonly headers: Record<string, string>; readonly body: Buffer }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      attempts.push({ headers, body });
      response.writeHead(defaultRespond(await receiver.receive({ headers, body })).status).end();
    });
  });
  const { origin, close: closeServer } = await listen(server);
  onTestFinished(closeServer);
  const api = createApi(url, TOKEN);
  const subscribed = await api("POST", "/v1/webhook/subscribe", {
    url: `${origin}/`,
    secretKey: SECRET,
    subscriptionDetails: { type: "ALL" },
  });
  expect(subscribed.status).toBe(200);
  // Answers once everything that is due has been attempted.
  const delivered = () => api("PUT", "/sandbox/clock", { advance: "PT0S" });
  return { api, ...payments, attempts, delivered };
}

/** A merchant who books known refunds, and fails for others, so that their events are retried. */
function merchantOf(known: ReadonlySet<string>) {
  const booked: string[] = [];
  const book = ({ data }: { data: { paymentId: string; paymentStatus: string } }): void => {
    if (!known.has(data.paymentId)) throw new Error("this refund is not known yet");
    booked.push(data.paymentStatus);
  };
  const receiver = createReceiver({
    ...options,
    inbox: memoryInbox(),
    order: "per-resource",
  })
    .on("refund.pending", book)
    .on("refund.authorized", book);
  return { receiver, booked };
}

const sink = (): Receiver => createReceiver({ ...options, inbox: memoryInbox() });

describe("a merchant", () => {
  it("T-01 T-27 books a refund once if its event arrives first and its answer is lost", async () => {
    const known = new Set<string>();
    const { receiver, booked } = merchantOf(known);
    const { api, settled, attempts, delivered } = await openProvider(receiver);
    const amount = { currency: "USD", value: 10.5 };
    const order = { paymentId: settled, amount, requestKey: "order-7" };
    await api("PUT", "/sandbox/faults", { faults: [{ route: "POST /v1/refunds", kind: "lost" }] });
    await expect(api("POST", "/v1/refunds", order)).rejects.toThrow(
      /other side closed|ECONNRESET|socket/,
    );
    await delivered();
    expect([attempts.length, booked]).toEqual([1, []]);

    const again = await api("POST", "/v1/refunds", order);
    const { existing, paymentStatus } = again.body as {
      existing: { paymentId: string; sameRequest: boolean };
      paymentStatus?: string;
    };
    expect([again.status, existing.sameRequest, paymentStatus]).toEqual([409, true, undefined]);
    known.add(existing.paymentId);
    await api("PUT", "/sandbox/clock", { advance: "PT1M" });
    expect([attempts.length, booked]).toEqual([2, ["AUTHORIZED"]]);
    const { payments } = (await api("GET", "/sandbox/payments")).body as {
      payments: { direction: string }[];
    };
    expect(payments.filter(({ direction }) => direction === "CREDIT")).toHaveLength(1);
  });

  it("T-27 books each state once and in order if events arrive twice and reversed", async () => {
    const { api, recent, attempts, delivered } = await openProvider(sink());
    const amount = { currency: "USD", value: 10.5 };
    const asked = await api("POST", "/v1/refunds", { paymentId: recent, amount, requestKey: "k" });
    await api("PUT", "/sandbox/clock", { advance: "P7D" });
    await delivered();
    expect(attempts).toHaveLength(2);

    const { paymentId } = asked.body as { paymentId: string };
    const { receiver, booked } = merchantOf(new Set([paymentId]));
    const outcomes = [];
    for (const attempt of [...attempts.toReversed(), ...attempts]) {
      outcomes.push((await receiver.receive(attempt)).kind);
    }
    expect(outcomes).toEqual(["handled", "superseded", "duplicate", "duplicate"]);
    expect(booked).toEqual(["AUTHORIZED"]);
  });

  it("T-28 refuses a body that was parsed and serialized again", async () => {
    const { receiver } = merchantOf(new Set());
    const { api, attempts, delivered } = await openProvider(sink());
    const data = '{"paymentId":"pay_1","note":"1.10 \\u0041","value":1.10,"a":{"z":1,"b":2}}';
    await api("POST", "/sandbox/events", `{"type":"payment.created","data":${data}}`);
    await delivered();
    const [genuine] = attempts;
    if (genuine === undefined) throw new Error("nothing arrived");
    const text = genuine.body.toString();
    expect(text).toContain('"value":1.10');
    const printed = JSON.stringify(JSON.parse(text));
    const spellings = [
      printed,
      text.replace("{", "{ "),
      text.replace('"value":1.10', '"value":1.1'),
      text.replace('"z":1,"b":2', '"b":2,"z":1'),
      text.replace("pay_1", "p\\u0061y_1"),
    ];
    for (const spelling of spellings) {
      expect(spelling).not.toBe(text);
      const outcome = await receiver.receive({ ...genuine, body: Buffer.from(spelling) });
      expect(defaultRespond(outcome).status).toBe(401);
    }
    // Its data is not a payment's: judged only under a genuine signature, and refused then.
    expect(defaultRespond(await receiver.receive(genuine)).status).toBe(422);
  });
});
