import { Webhooks } from "@octokit/webhooks";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import type { TrueFinding } from "../matrix.ts";
import { type Conduct, secrets } from "../receivers/conduct.ts";
import { fitsSchema } from "../receivers/fits-schema.ts";
import { type Arrived, refusal } from "../receivers/http.ts";

// The receiver by hand, with a library from npm that verifies signatures.

/** The headers as Node.js hands them to a library: repeated ones are joined. */
function headersOf({ rawHeaders }: Arrived): Record<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const before = headers.get(name);
    const value = rawHeaders[index + 1] ?? "";
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** Accepts an attempt if the library verifies it with one of the secrets; it throws if not. */
const judgedBy = (
  verify: (secret: string, body: Buffer, headers: Record<string, string>) => unknown,
): Pick<Conduct, "judgeSignature"> => ({
  judgeSignature(arrived) {
    const isGenuine = secrets.some((secret) => {
      try {
        verify(secret, arrived.body, headersOf(arrived));
        return true;
      } catch {
        return false;
      }
    });
    return isGenuine ? undefined : "mismatch";
  },
});

/** These schemes sign no id of their own: only the envelope has one. */
const envelopeOnly: Pick<Conduct, "judgeEvent"> = {
  judgeEvent: (event) => (fitsSchema(event) ? undefined : refusal(422, "schema")),
};

export const onStandardWebhooks = judgedBy((secret, body, headers) =>
  new StandardWebhook(secret).verify(body, headers),
);
export const onSvix = judgedBy((secret, body, headers) =>
  new SvixWebhook(secret).verify(body, headers),
);
export const onStripe: Partial<Conduct> = {
  ...envelopeOnly,
  ...judgedBy((secret, body, headers) =>
    Stripe.webhooks.signature?.verifyHeader(body, headers["stripe-signature"] ?? "", secret, 300),
  ),
};

const hubs = secrets.map((secret) => new Webhooks({ secret }));
export const onOctokit: Partial<Conduct> = {
  ...envelopeOnly,
  async judgeSignature(arrived) {
    const header = headersOf(arrived)["x-hub-signature-256"] ?? "";
    try {
      const verdicts = hubs.map((hub) => hub.verify(arrived.body.toString(), header));
      return (await Promise.all(verdicts)).includes(true) ? undefined : "mismatch";
    } catch {
      return "missing";
    }
  },
};

// True findings at the versions in the lockfile. GENUINE is the signature over `ID.1795305600.BODY`, or over
// `1795305600.BODY`, by the receiver's own secret; FOREIGN is anybody's.

const PARSED =
  "the library reads the timestamp with `parseInt` and prints it again before verifying, so any text around its digits passes, as do 01795305600, +1795305600, 1795305600.0 and 1795305600e0.";

/** `standardwebhooks` and `svix` read headers alike. */
export const standardWebhooksFindings: readonly TrueFinding[] = [
  {
    requirement: "R-VERIFY-TAMPERED",
    why: PARSED,
    bytes: ["webhook-id: ID", "webhook-timestamp: 1795305600a", "webhook-signature: v1,GENUINE"],
  },
  {
    requirement: "R-HEADER-ONCE",
    why: "Node.js joins a repeated header with a comma and a space, and the library splits signatures at spaces: a foreign one passes next to the genuine one, in either order. Of a repeated timestamp it reads the first.",
    bytes: [
      "webhook-id: ID",
      "webhook-timestamp: 1795305600",
      "webhook-signature: v1,FOREIGN",
      "webhook-signature: v1,GENUINE",
    ],
  },
];

export const stripeFindings: readonly TrueFinding[] = [
  {
    requirement: "R-VERIFY-TAMPERED",
    why: PARSED,
    bytes: ["Stripe-Signature: t=1795305600a,v1=GENUINE"],
  },
  {
    requirement: "R-VERIFY-STALE",
    why: "the library bounds only the past: at 1795305600 a genuine signature ten years ahead passes, and then for ten years.",
    bytes: ["Stripe-Signature: t=2110665900,v1=GENUINE"],
  },
  {
    requirement: "R-HEADER-ONCE",
    why: "Node.js joins a repeated header with a comma and a space, and the library splits parts at commas: it reads both headers as one.",
    bytes: [
      "Stripe-Signature: t=1795305600,v1=GENUINE",
      "Stripe-Signature: t=1795305600,v1=FOREIGN",
    ],
  },
];
