import { Webhooks } from "@octokit/webhooks";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { refusal } from "../receivers/answer.ts";
import type { Arrived } from "../receivers/arrived.ts";
import { type Conduct, secrets } from "../receivers/conduct.ts";
import { fitsSchema } from "../receivers/fits-schema.ts";

// A receiver by hand, whose signatures a library of npm verifies: all else is ours to do right.

/** The headers as a framework of Node.js hands them to a library: what is repeated is joined. */
function headersOf({ rawHeaders }: Arrived): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
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

const hub = new Webhooks({ secret: secrets[0], additionalSecrets: [secrets[1]] });

export const onOctokit: Partial<Conduct> = {
  ...envelopeAlone,
  async judgeSignature(arrived) {
    const header = headersOf(arrived)["x-hub-signature-256"] ?? "";
    try {
      return (await hub.verify(arrived.body.toString(), header)) ? undefined : "mismatch";
    } catch {
      return "missing";
    }
  },
};
