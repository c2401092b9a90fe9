import { createHmac } from "node:crypto";
import { Stripe } from "stripe";
import { signedAttempt } from "@countersign/receiver/testing";
import { refundAuthorized, secret } from "../fixtures.ts";

/** What answers behind Express 5. `bare` reads nothing: it is what Express itself costs. */
export const KINDS = [
  "bare",
  "hand-written",
  "countersign",
  "octokit",
  "standardwebhooks",
  "stripe",
] as const;

export type Kind = (typeof KINDS)[number];

/** For the schemes that take text as it stands. */
export const TEXT_SECRET = "only-the-two-of-us-know-it";

/** The bytes of a genuine request of about 1 KB, as each kind verifies it. */
export function wireOf(kind: Kind, id: string): Buffer {
  const event = { ...refundAuthorized(id), metadata: { note: "x".repeat(820) } };
  const { headers, body } = signedAttempt({ secrets: [secret], event });
  const lines = Object.entries({ ...headers, ...headersOf(kind, id, body) });
  const head = [
    "POST /webhooks HTTP/1.1",
    "Host: localhost",
    `Content-Length: ${String(body.length)}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");
  return Buffer.concat([Buffer.from(head), body]);
}

function headersOf(kind: Kind, id: string, body: Uint8Array): Record<string, string> {
  switch (kind) {
    case "octokit": {
      const digest = createHmac("sha256", TEXT_SECRET).update(body).digest("hex");
      return {
        "x-github-event": "push",
        "x-github-delivery": id,
        "x-hub-signature-256": `sha256=${digest}`,
      };
    }
    case "stripe":
      return {
        "stripe-signature": Stripe.webhooks.generateTestHeaderString({
          payload: Buffer.from(body).toString(),
          secret: TEXT_SECRET,
        }),
      };
    case "bare":
    case "hand-written":
    case "countersign":
    case "standardwebhooks":
      return {};
    default:
      return kind satisfies never;
  }
}
