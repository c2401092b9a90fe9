import { createReceiver, memoryInbox } from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { toNode } from "@countersign/receiver/node";
import { expect, it } from "vitest";
import { listen } from "../../packages/service/test/sandbox/listen.ts";
import { openSandbox, SECRET } from "../../packages/service/test/sandbox/open-sandbox.ts";

it("T-01 T-27 a merchant books a refund once if its event arrives first and its answer is lost", async () => {
  const known = new Set<unknown>();
  const booked: string[] = [];
  const inbox = memoryInbox();
  const fallback = (): void => undefined;
  // The event of an unknown refund fails, and so is retried.
  const receiver = createReceiver({
    provider: reference,
    secrets: [SECRET],
    inbox,
    fallback,
    log: false,
  }).on("refund.authorized", ({ data }) => {
    if (!known.has(data.paymentId)) throw new Error("this refund is not known yet");
    booked.push(data.paymentStatus);
  });
  const receive = toNode(receiver);
  let attempts = 0;
  const url = await listen((request, response) => {
    attempts += 1;
    void receive(request, response);
  });
  const { call, list, move, refund, subscribe } = await openSandbox();
  await subscribe(url);
  const lost = { faults: [{ route: "POST /v1/refunds", kind: "lost" }] };
  await call("PUT", "/sandbox/faults", { json: lost });
  await expect(refund("order-7")).rejects.toThrow(/ECONNRESET|socket/);
  // Answers once everything that is due has been attempted.
  await move({ advance: "PT0S" });
  expect([attempts, booked]).toEqual([1, []]);

  const { status, body } = await refund("order-7");
  const { existing } = body as { existing?: { paymentId: string; sameRequest: boolean } };
  expect([status, existing?.sameRequest, body["paymentStatus"]]).toEqual([409, true, undefined]);
  known.add(existing?.paymentId);
  await move({ advance: "PT1M" });
  expect([attempts, booked]).toEqual([2, ["AUTHORIZED"]]);
  const refunds = (await list("/sandbox/payments")).filter((one) => one["direction"] === "CREDIT");
  expect(refunds).toHaveLength(1);
});
