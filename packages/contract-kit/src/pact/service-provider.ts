import { type Profile, valueAt, type WebhookEvent } from "@countersign/schemas";
import { providerOf } from "@countersign/schemas/provider-of";
import { parseAmount } from "@countersign/rules";
import {
  validateEvent,
  validateTokenError,
  validateTokenResponse,
} from "@countersign/schemas/writers";
import { schemeOf, type SignatureScheme } from "@countersign/signatures";
import { parseJson } from "../values.ts";
import { hostReceiver, type Endpoint, type ReceivedAttempt } from "../harness/endpoints.ts";
import { answerFaults } from "../provider/answer-schema.ts";
import { changeState, type Values } from "../provider/provider-states.ts";
import type { HttpAnswer, HttpCall, Send } from "../http-send.ts";
import type { StateChanges } from "../target.ts";
import type { PactMessage, PactProvider } from "./pact-file.ts";

export interface ServiceProviderOptions {
  /** Sends the interface's calls: nothing else reaches the tested service. */
  readonly send: Send;
  /** An access token with every scope. */
  readonly token: string;
  readonly states: StateChanges;
  readonly profile: Profile;
  /** The address that deliveries are captured on: one that the service can reach. Default `127.0.0.1`. */
  readonly listen?: string | undefined;
}

const SECRET_KEY = "a-secret-of-24-characters-or-more";

/** States of payments in which a refund enters each state. */
const REFUNDS: Readonly<Record<string, string>> = {
  "refund.pending": "processing",
  "refund.authorized": "settled",
  "refund.failed": "failed",
};

/**
 * `countersign-service`, of any make, as the provider of pacts. Its state-change URL prepares the states; messages
 * are what is delivered to a listener of this machine.
 */
export async function serviceProvider({
  send,
  token,
  states,
  profile,
  listen = "127.0.0.1",
}: ServiceProviderOptions): Promise<PactProvider & { readonly close: () => void }> {
  const receiver = await hostReceiver({ host: listen });
  const scheme = schemeOf(providerOf(profile));
  let event: { readonly type: unknown; readonly endpoint: Endpoint } | undefined;

  /** A call of the interface, which must succeed. */
  const call = async (path: string, accessToken: unknown, body: string): Promise<void> => {
    const headers = {
      authorization: `Bearer ${String(accessToken)}`,
      accept: "application/json",
      "content-type": "application/json",
    };
    const answer = await send({ method: "POST", path, headers, body });
    if (answer.status < 300) return;
    throw new Error(`POST ${path} → ${answer.status} ${Buffer.from(answer.body).toString()}`);
  };
  /** Subscribes by the interface, and lets something happen whose event is the interaction's. */
  const happen = async (params: Values): Promise<Values> => {
    const { type, optional } = params;
    const merchant = await changeState(states, "a merchant");
    const { accessToken = token } = merchant;
    const endpoint = receiver.open();
    event = { type, endpoint };
    const subscriptionDetails = { type: "ALL" };
    const json = { url: endpoint.url, secretKey: SECRET_KEY, subscriptionDetails };
    await call("/v1/webhook/subscribe", accessToken, JSON.stringify(json));
    const status = REFUNDS[String(type)];
    if (status === undefined) {
      await changeState(states, "an event", { ...params, accessToken });
      return merchant;
    }
    const { paymentId } = await changeState(states, "a payment", { status, accessToken });
    const reference = optional === "present" ? { clientReferenceId: "order-1042" } : {};
    const refund = { paymentId, requestKey: "the-first", ...reference };
    // The amount is written as text: JSON.stringify would not write 10.50.
    const amount = '"amount":{"currency":"USD","value":10.50}';
    await call("/v1/refunds", accessToken, `${JSON.stringify(refund).slice(0, -1)},${amount}}`);
    return merchant;
  };

  return {
    name: "countersign-service",
    send,
    enter: async (state, params) => {
      const values =
        state === "an event" ? await happen(params) : await changeState(states, state, params);
      return { accessToken: token, ...values };
    },
    message: async () => {
      if (event === undefined) throw new Error("the interaction has no state");
      const { type, endpoint } = event;
      const isWanted = ({ body }: ReceivedAttempt): boolean =>
        valueAt(parseJson(body), "/type") === type;
      await endpoint.until((all) => all.some(isWanted));
      const attempt = endpoint.attempts.find(isWanted);
      if (attempt === undefined) throw new Error("no such delivery came in time");
      const { "content-type": contentType = "", ...headers } = attempt.headers;
      return { body: attempt.body, metadata: { contentType, ...headers } };
    },
    judge: (asked, answer) => judge(asked, answer, profile),
    judgeMessage: (message) => judgeMessage(message, scheme),
    close: receiver.close,
  };
}

function judge(call: HttpCall, answer: HttpAnswer, profile: Profile): readonly string[] {
  const body = parseJson(answer.body);
  if (call.path.split("?")[0] === profile.token.path) {
    const validation = answer.status < 400 ? validateTokenResponse(body) : validateTokenError(body);
    return validation.ok ? [] : validation.errors.map(lineOf);
  }
  const contentType = answer.headers["content-type"] ?? "";
  const { method, path } = call;
  const { schema, form } = answerFaults(
    { method, path, status: answer.status, contentType, body },
    { profile },
  );
  // An answer that a state has put in the service's place has a code that no schema knows.
  const isInjected = Buffer.from(answer.body).includes('"INJECTED_FAULT"');
  const faults = [...form, ...schema];
  return isInjected ? faults.filter((line) => !line.startsWith("/errorDetails/errorCode")) : faults;
}

function judgeMessage({ body, metadata }: PactMessage, scheme: SignatureScheme): readonly string[] {
  const validation = validateEvent(parseJson(body));
  // Any other text than a secret of the scheme's own form is raw.
  const secrets = [{ raw: SECRET_KEY }];
  const verified = scheme.verify({ headers: metadata, body }, secrets, { now: Date.now() });
  return [
    ...(validation.ok ? amountFaults(validation.value) : validation.errors.map(lineOf)),
    ...(verified.ok ? [] : [`the signature is not genuine (${verified.code})`]),
  ];
}

/** The validators leave an amount's digits to its text. */
function amountFaults({ data }: WebhookEvent): readonly string[] {
  if (!("amount" in data)) return [];
  const parsed = parseAmount(String(data.amount.value));
  return parsed.ok ? [] : [`/data/amount/value is not an amount in cents (${parsed.code})`];
}

function lineOf({ pointer, message }: { pointer: string; message: string }): string {
  return `${pointer === "" ? "the body" : pointer} ${message}`;
}
