import { github, reference, standardWebhooks, stripe } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import { linesOf, request } from "../adapters/wire.ts";
import { refundAuthorized, secret } from "../fixtures.ts";

/** Senders of which both a library and the receiver verify the same requests. */
type Sender = "github" | "stripe" | "standard-webhooks";

/** The servers that are compared. */
export type Kind =
  | "Express"
  | "octokit"
  | "stripe"
  | "standardwebhooks"
  | `receiver, ${Sender}`
  | "verifyEvent"
  | `${"receiver" | "hand-written"}, ${"SQLite" | "PostgreSQL"}`;

/** For the schemes whose secret is text as it is. */
export const TEXT_SECRET = "whsec_only-the-two-of-us-know-it";

const NOTE = "x".repeat(700);
const price = { amount: 1050, currency: "eur" };

/** Builds the bytes of a genuine request of about 1 KB. Each vendor's library accepts what our schemes sign. */
export function wireOf(kind: Kind, id: string): Buffer {
  const { headers, body } = signedAttempt(sentTo(kind, id));
  const more = { "content-type": "application/json", "user-agent": "bench" };
  return request(linesOf({ ...more, ...headers }, body), body);
}

function sentTo(kind: Kind, id: string): Parameters<typeof signedAttempt>[0] {
  const timestamp = new Date().toISOString();
  if (kind.includes("SQL")) {
    const event = { ...refundAuthorized(id), metadata: { note: NOTE } };
    return { provider: reference, secrets: [secret], event };
  }
  if (kind === "octokit" || kind === "receiver, github") {
    const event = {
      action: "opened",
      number: 7,
      pull_request: { id: 279147437, node_id: id, state: "open", title: "a change", body: NOTE },
      repository: { id: 186853002, full_name: "merchant/shop", private: true },
      sender: { login: "octocat", id: 21031067, type: "User" },
    };
    const headers = { "X-GitHub-Event": "pull_request", "X-GitHub-Delivery": id };
    return { provider: github, secrets: [TEXT_SECRET], event, headers };
  }
  if (kind === "stripe" || kind === "receiver, stripe") {
    const object = { id: `pi_${id}`, object: "payment_intent", ...price, metadata: { note: NOTE } };
    const event = {
      id,
      object: "event",
      api_version: "2025-09-30.clover",
      created: Math.floor(Date.now() / 1000),
      livemode: false,
      pending_webhooks: 1,
      type: "payment_intent.succeeded",
      data: { object },
    };
    return { provider: stripe, secrets: [TEXT_SECRET], event };
  }
  const data = { id: `in_${id}`, ...price, lines: [{ quantity: 2, price: "a" }], note: NOTE };
  const event = { type: "invoice.paid", timestamp, data };
  return { provider: standardWebhooks, secrets: [secret], event, id };
}
