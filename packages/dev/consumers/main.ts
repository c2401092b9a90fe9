// A merchant's strict TypeScript, compiled against the packed packages and run by Node as it stands.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { amountCents, createReceiver, type Outcome } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { signedAttempt } from "@countersign/receiver/testing";
import express from "express";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const seen: string[] = [];
const outcomes: Outcome["kind"][] = [];
const receiver = createReceiver({
  secrets: [secret],
  fallback: (event) => void seen.push(event.type),
  onOutcome: ({ kind }) => void outcomes.push(kind),
})
  .on("PAYMENT", (event) => void seen.push(event.data.paymentId))
  .on("payment.succeeded", (event) => void seen.push(String(amountCents(event.data.amount))));

const server = express().post("/webhooks", toExpress(receiver)).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const { headers, body } = signedAttempt({
  secrets: [secret],
  event: {
    id: "evt_1",
    type: "refund.authorized",
    category: "PAYMENT",
    timestamp: "2026-11-24T05:00:00.000Z",
    data: { paymentId: "ref_1", paymentStatus: "AUTHORIZED", clientReferenceId: null },
  },
});
const url = `http://127.0.0.1:${String(port)}/webhooks`;
const answer = await fetch(url, { method: "POST", headers, body: Buffer.from(body) });
server.close();
if (answer.status !== 204 || seen.join() !== "ref_1" || outcomes.join() !== "handled")
  throw new Error(`unexpected: ${String(answer.status)} ${seen.join()} ${outcomes.join()}`);
console.log("packed packages work from TypeScript");
