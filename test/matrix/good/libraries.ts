import { Webhooks } from "@octokit/webhooks";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { refusal } from "../receivers/answer.ts";
import type { Arrived } from "../receivers/arrived.ts";
import { type Conduct, secrets } from "../receivers/conduct.ts";
import { fitsSchema } from "../receivers/fits-schema.ts";

// A receiver by hand, whose signatures a library of npm verifies: all else is ours to do right.

/** The headers as Node.js hands them to a library: what stands twice is joined. */
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

/** Whether one of the verifiers takes the attempt: they throw where they do not. */
function anyTakes(verifiers: readonly (() => unknown)[]): boolean {
  return verifiers.some((verify) => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  });
}

export const onStandardWebhooks: Partial<Conduct> = {
  judgeSignature(arrived) {
    const headers = headersOf(arrived);
    const isGenuine = anyTakes(
      secrets.map((secret) => () => new StandardWebhook(secret).verify(arrived.body, headers)),
    );
    return isGenuine ? undefined : "mismatch";
  },
};

export const onSvix: Partial<Conduct> = {
  judgeSignature(arrived) {
    const headers = headersOf(arrived);
    const isGenuine = anyTakes(
      secrets.map((secret) => () => new SvixWebhook(secret).verify(arrived.body, headers)),
    );
    return isGenuine ? undefined : "mismatch";
  },
};

/** Neither scheme signs an id of its own: the envelope's is the only one. */
const envelopeAlone: Pick<Conduct, "judgeEvent"> = {
  judgeEvent: (event) =>
    fitsSchema(event, { isClosed: false }) ? undefined : refusal(422, "schema"),
};

export const onStripe: Partial<Conduct> = {
  ...envelopeAlone,
  judgeSignature(arrived) {
    const header = headersOf(arrived)["stripe-signature"] ?? "";
    const { signature } = Stripe.webhooks;
    const isGenuine = anyTakes(
      secrets.map((secret) => () => signature?.verifyHeader(arrived.body, header, secret, 300)),
    );
    return isGenuine ? undefined : "mismatch";
  },
};

const hubs = secrets.map((secret) => new Webhooks({ secret }));

export const onOctokit: Partial<Conduct> = {
  ...envelopeAlone,
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
