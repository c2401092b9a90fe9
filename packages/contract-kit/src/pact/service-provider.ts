import { valueAt } from "@countersign/schemas";
import { parseJson } from "../values.ts";
import { hostReceiver, type Endpoint, type ReceivedAttempt } from "../harness/endpoints.ts";
import { changeState, post, type Values } from "../provider/provider-states.ts";
import type { Send } from "../http-send.ts";
import type { StateChanges } from "../target.ts";
import type { PactProvider } from "./pact-file.ts";

export interface ServiceProviderOptions {
  /** Base URL of the service. */
  readonly url: string;
  /** Sends the subscriptions and refunds that cause events. */
  readonly send: Send;
  /** An access token with every scope. */
  readonly token: string;
  readonly states: StateChanges;
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
  url,
  send,
  token,
  states,
  listen = "127.0.0.1",
}: ServiceProviderOptions): Promise<PactProvider & { readonly close: () => void }> {
  const receiver = await hostReceiver({ host: listen });
  let event: { readonly type: unknown; readonly endpoint: Endpoint } | undefined;

  /** A call of the interface, which must succeed. */
  const call = async (path: string, accessToken: unknown, body: string): Promise<void> => {
    const answer = await send(post(path, accessToken, body));
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
    const all = { secretKey: SECRET_KEY, subscriptionDetails: { type: "ALL" } };
    const json = JSON.stringify({ url: endpoint.url, ...all });
    await call("/v1/webhook/subscribe", accessToken, json);
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
    url,
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
    close: receiver.close,
  };
}
