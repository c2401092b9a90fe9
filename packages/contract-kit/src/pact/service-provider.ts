import { parseAmount } from "@countersign/rules";
import type { Profile, WebhookEvent } from "@countersign/schemas";
import {
  validateEvent,
  validateTokenError,
  validateTokenResponse,
} from "@countersign/schemas/writers";
import { schemeOf, type SignatureScheme } from "@countersign/signatures";
import type { HttpAnswer, HttpCall, Send } from "../http.ts";
import { answerFaults } from "../harness/judge-answer.ts";
import { captureDeliveries } from "./captured-deliveries.ts";
import type { PactMessage, PactProvider, PactStateHandler } from "./pact-provider.ts";
import { ACCESS_TOKEN, basic, CLIENT_ID, CLIENT_SECRET } from "./placeholders.ts";
import { askScope, openMerchant, type ServiceSession } from "./service-session.ts";
import { serviceSetups } from "./service-setup.ts";

export interface ServiceProviderOptions {
  /** Carries the interface's calls. */
  readonly send: Send;
  /** Carries the calls of `/sandbox/`. Default: `send`. */
  readonly controls?: Send;
  /** An access token with every scope. */
  readonly token: string;
  readonly profile: Profile;
  /** The address that deliveries are captured on: one that the service can reach. Default `127.0.0.1`. */
  readonly listen?: string;
  /** Milliseconds that a delivery may take. Default 5 000. */
  readonly deliveryMs?: number;
}

/**
 * `countersign-service`, or another one with the controls of `/sandbox/`, as the provider of pacts. Each
 * interaction has a merchant of its own; messages are what is delivered to a listener of this machine.
 */
export async function serviceProvider(
  options: ServiceProviderOptions,
): Promise<PactProvider & { readonly close: () => void }> {
  const { send, controls = send, profile, deliveryMs = 5000 } = options;
  const captured = await captureDeliveries(options.listen);
  const scheme = schemeOf(profile.signature);
  let interactions = 0;
  let session: ServiceSession | undefined;
  let token: string = ACCESS_TOKEN;
  let event: { readonly path: string; readonly type: string } | undefined;

  const handle = async (
    name: keyof typeof serviceSetups,
    params: Readonly<Record<string, unknown>>,
  ) => {
    const opened = await openMerchant(controls, { token: options.token });
    session = opened;
    ({ token } = opened);
    const path = `/${interactions++}`;
    event = { path, type: String(params["type"]) };
    // The pact's parameters are those of the table by which it was written.
    const setup = serviceSetups[name] as (
      context: object,
      given: object,
    ) => ReturnType<PactStateHandler>;
    const context = {
      session: opened,
      profile,
      another: () => openMerchant(controls, { token: options.token }),
      narrow: async (scope: string) => {
        const authorization = basic(opened.clientId, opened.clientSecret);
        token = await askScope(send, { path: profile.token.path, authorization, scope });
      },
      callback: { url: captured.url + path, secretKey: SECRET_KEY },
    };
    return setup(context, params);
  };

  return {
    name: "countersign-service",
    send,
    states: Object.fromEntries(
      // The keys of the table are its states.
      (Object.keys(serviceSetups) as (keyof typeof serviceSetups)[]).map(
        (name): [string, PactStateHandler] => [name, (params) => handle(name, params)],
      ),
    ),
    message: async () => {
      const wanted = event;
      if (wanted === undefined) throw new Error("the interaction has no state");
      const attempt = await captured.first(
        ({ path, body }) => path === wanted.path && typeOf(body) === wanted.type,
        deliveryMs,
      );
      const { "content-type": contentType = "", ...headers } = attempt.headers;
      return { body: attempt.body, metadata: { contentType, ...headers } };
    },
    prepare: (call) => {
      const { authorization } = call.headers;
      if (authorization === undefined) return Promise.resolve(call);
      const put = authorization
        .replace(ACCESS_TOKEN, token)
        .replace(
          basic(CLIENT_ID, CLIENT_SECRET),
          basic(session?.clientId ?? "", session?.clientSecret ?? ""),
        );
      return Promise.resolve({ ...call, headers: { ...call.headers, authorization: put } });
    },
    judge: (call, answer) => judge(call, answer, profile),
    judgeMessage: (message) => judgeMessage(message, scheme),
    close: captured.close,
  };
}

const SECRET_KEY = "a-secret-of-24-characters-or-more";

function judge(call: HttpCall, answer: HttpAnswer, profile: Profile): readonly string[] {
  const body = parsed(answer.body);
  const { method, path } = call;
  if (path.split("?")[0] === profile.token.path) {
    const validation = answer.status < 400 ? validateTokenResponse(body) : validateTokenError(body);
    return validation.ok ? [] : validation.errors.map(lineOf);
  }
  const contentType = answer.headers["content-type"] ?? "";
  const judged = answerFaults({ method, path, status: answer.status, contentType, body }, profile);
  // An answer of the controls in the service's place has a code of theirs, and no schema knows it.
  const isInjected = Buffer.from(answer.body).includes('"INJECTED_FAULT"');
  return isInjected ? judged.filter((line) => !line.startsWith("/errorDetails/errorCode")) : judged;
}

function judgeMessage({ body, metadata }: PactMessage, scheme: SignatureScheme): readonly string[] {
  const event = parsed(body);
  const validation = validateEvent(event);
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
  const parsedAmount = parseAmount(String(data.amount.value));
  return parsedAmount.ok ? [] : [`/data/amount/value is no amount of cents (${parsedAmount.code})`];
}

function lineOf({ pointer, message }: { pointer: string; message: string }): string {
  return `${pointer === "" ? "the body" : pointer} ${message}`;
}

function typeOf(body: Uint8Array): unknown {
  const event = parsed(body);
  return typeof event === "object" && event !== null && "type" in event ? event.type : undefined;
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
