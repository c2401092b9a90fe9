// A merchant's strict TypeScript under node:test, compiled against the packed package and run as it is.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { amountCents, createReceiver, type Outcome } from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { toExpress } from "@countersign/receiver/express";
import { eventFactories, signedAttempt } from "@countersign/receiver/testing";
import express from "express";

test("an event reaches its handler through Express, and a forged one does not", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const seen: string[] = [];
  const outcomes: Outcome["kind"][] = [];
  const receiver = createReceiver({
    provider: reference,
    secrets: [secret],
    fallback: (event) => void seen.push(event.type),
    onOutcome: ({ kind }) => void outcomes.push(kind),
  })
    .on("PAYMENT", (event) => void seen.push(event.data.paymentId))
    .on("payment.succeeded", (event) => void seen.push(String(amountCents(event.data.amount))));

  const server = express().post("/webhooks", toExpress(receiver)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const event = eventFactories()["refund.authorized"]({ data: { paymentId: "ref_1" } });
  const { headers, body } = signedAttempt({ provider: reference, secrets: [secret], event });
  const url = `http://127.0.0.1:${String(port)}/webhooks`;
  const post = async (sent: Buffer<ArrayBuffer> | string): Promise<number> =>
    (await fetch(url, { method: "POST", headers, body: sent })).status;
  assert.deepEqual([await post(Buffer.from(body)), await post("{}")], [204, 401]);
  server.close();
  assert.deepEqual(seen, ["ref_1"]);
  assert.deepEqual(outcomes, ["handled", "rejected"]);
});
