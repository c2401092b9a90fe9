import { createHmac } from "node:crypto";
import { signedAttempt } from "@countersign/receiver/testing";
import { Stripe } from "stripe";
import { linesOf, request } from "../adapters/wire.ts";
import { refundAuthorized, secret } from "../fixtures.ts";

/** The servers that are compared. */
export type Kind =
  | `${"countersign" | "hand-written"}${"" | ", SQLite" | ", PostgreSQL"}`
  | "octokit"
  | "standardwebhooks"
  | "stripe";

/** For the schemes whose secret is text as it is. */
export const TEXT_SECRET = "only-the-two-of-us-know-it";

/** Builds the bytes of a genuine request of about 1 KB, as each kind verifies it. */
export function wireOf(kind: Kind, id: string): Buffer {
  const event = { ...refundAuthorized(id), metadata: { note: "x".repeat(820) } };
  const { headers, body } = signedAttempt({ secrets: [secret], event });
  return request(linesOf({ ...headers, ...headersOf(kind, id, body) }, body), body);
}

function headersOf(kind: Kind, id: string, body: Uint8Array): Record<string, string> {
  if (kind === "octokit") {
    const digest = createHmac("sha256", TEXT_SECRET).update(body).digest("hex");
    return {
      "x-github-event": "push",
      "x-github-delivery": id,
      "x-hub-signature-256": `sha256=${digest}`,
    };
  }
  if (kind === "stripe") {
    const payload = Buffer.from(body).toString();
    const options = { payload, secret: TEXT_SECRET };
    return { "stripe-signature": Stripe.webhooks.generateTestHeaderString(options) };
  }
  return {};
}
