import { createHmac } from "node:crypto";
import { signedAttempt } from "@countersign/receiver/testing";
import { reference } from "@countersign/receiver/providers";
import { Stripe } from "stripe";
import { Webhook } from "standardwebhooks";
import { linesOf, request } from "../adapters/wire.ts";
import { refundAuthorized, secret } from "../fixtures.ts";

/** The servers that are compared. */
export type Kind =
  | "Express"
  | "octokit"
  | "stripe"
  | "standardwebhooks"
  | `receiver, ${Sender}`
  | "verifyEvent"
  | `${"receiver" | "hand-written"}, ${"SQLite" | "PostgreSQL"}`;

/** Senders of which both a library and the receiver verify the same requests. */
export type Sender = "github" | "stripe" | "standard-webhooks";

/** For the schemes whose secret is text as it is. */
export const TEXT_SECRET = "whsec_only-the-two-of-us-know-it";

const NOTE = "x".repeat(700);

/** The sender of the requests that a kind verifies; ours for durable ones. */
function sendingProviderOf(kind: Kind): Sender | undefined {
  if (kind === "octokit" || kind === "receiver, github") return "github";
  if (kind === "stripe" || kind === "receiver, stripe") return "stripe";
  return kind.includes("SQL") ? undefined : "standard-webhooks";
}

/** Builds the bytes of a genuine request of about 1 KB. */
export function wireOf(kind: Kind, id: string): Buffer {
  const { headers, body } = attemptOf(sendingProviderOf(kind), id);
  const lines = linesOf(
    { "content-type": "application/json", "user-agent": "bench", ...headers },
    body,
  );
  return request(lines, body);
}

function attemptOf(
  sender: Sender | undefined,
  id: string,
): { headers: Record<string, string>; body: Uint8Array } {
  switch (sender) {
    case "github": {
      const event = {
        action: "opened",
        number: 7,
        pull_request: { id: 279147437, node_id: id, state: "open", title: "a change", body: NOTE },
        repository: { id: 186853002, full_name: "merchant/shop", private: true },
        sender: { login: "octocat", id: 21031067, type: "User" },
      };
      const body = Buffer.from(JSON.stringify(event));
      const digest = createHmac("sha256", TEXT_SECRET).update(body).digest("hex");
      return {
        body,
        headers: {
          "x-github-event": "pull_request",
          "x-github-delivery": id,
          "x-hub-signature-256": `sha256=${digest}`,
        },
      };
    }
    case "stripe": {
      const created = Math.floor(Date.now() / 1000);
      const object = {
        id: `pi_${id}`,
        object: "payment_intent",
        amount: 1050,
        currency: "eur",
        status: "succeeded",
      };
      const event = {
        id,
        object: "event",
        api_version: "2025-09-30.clover",
        created,
        livemode: false,
        pending_webhooks: 1,
        type: "payment_intent.succeeded",
        data: { object: { ...object, metadata: { note: NOTE } } },
      };
      const payload = JSON.stringify(event);
      const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: TEXT_SECRET });
      return { body: Buffer.from(payload), headers: { "stripe-signature": header } };
    }
    case "standard-webhooks": {
      const now = new Date();
      const data = {
        id: `in_${id}`,
        amount: 1050,
        currency: "eur",
        lines: [{ quantity: 2, price: "a" }],
        note: NOTE,
      };
      const text = JSON.stringify({ type: "invoice.paid", timestamp: now.toISOString(), data });
      return {
        body: Buffer.from(text),
        headers: {
          "webhook-id": id,
          "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
          "webhook-signature": new Webhook(secret).sign(id, now, text),
        },
      };
    }
    case undefined: {
      const event = { ...refundAuthorized(id), metadata: { note: NOTE } };
      const { headers, body } = signedAttempt({ provider: reference, secrets: [secret], event });
      return { headers: { ...headers }, body };
    }
    default:
      return sender satisfies never;
  }
}
