import { matcher, standardSchemas, type Matcher } from "@countersign/contract-kit/derive";
import type { EventType } from "@countersign/schemas";
import { Matchers, type Pact } from "@pact-foundation/pact";
import { request as requestOf } from "undici";
import { expect } from "vitest";

const schemas = standardSchemas();

/**
 * The states of `countersign-service` that its pacts name, with their parameters. Each begins with a new
 * merchant, whose access token is that of the call. Each state lists the values that expressions can use.
 */
interface ServiceStates {
  /** Nothing but a merchant. */
  readonly "a merchant": NoParams;
  /** `paymentId`: a debit of 80.00. */
  readonly "a payment": PaymentParams;
  /** `paymentId`, of which all is refunded. */
  readonly "a payment that is wholly refunded": NoParams;
  /** `paymentId`: the refund's own. */
  readonly "a refund": NoParams;
  /** `paymentId`: the payment; the refund is of 10.50, without a reference. */
  readonly "a refund with a requestKey": { readonly requestKey: string };
  /** `paymentId`: another payment; the key is a debit's. */
  readonly "a debit with a requestKey": { readonly requestKey: string };
  /** `paymentId`. */
  readonly "a payment of another merchant": NoParams;
  /** `customerId`. */
  readonly "a customer": CustomerParams;
  /** `customerId`. */
  readonly "a customer of another merchant": NoParams;
  /** `subscriptionKey`: to ALL. */
  readonly "a subscription": NoParams;
  /** `subscriptionKey`. */
  readonly "a closed subscription": NoParams;
  /** `subscriptionKey`. */
  readonly "a subscription of another merchant": NoParams;
  /** As many as the profile allows. */
  readonly "all subscriptions are taken": NoParams;
  /** `padding`: text that makes any body larger than the profile's limit. */
  readonly "a body that is too large": NoParams;
  /** The token has no scope but this one. */
  readonly "a token": { readonly scope: "payments" | "core" };
  /** A client may ask for tokens; its id and secret take the placeholders' place. */
  readonly "a client": NoParams;
  /** The next call is answered with a status, and does nothing. */
  readonly "a service in trouble": TroubleParams;
  /** An event of this type has been delivered: the last one that happens. */
  readonly "an event": EventParams;
}

type NoParams = Readonly<Record<string, never>>;

interface PaymentParams {
  /** `settled`: two weeks ago. `held`: now, so that the three business days have not passed. */
  readonly status: "processing" | "settled" | "held" | "failed" | "covered";
}

interface CustomerParams {
  readonly status: "CREATED" | "ACTIVE" | "INACTIVE";
  /** True if an account is linked. */
  readonly linked: boolean;
}

interface TroubleParams {
  /** Method and path, as the sandbox names what it can disturb. */
  readonly route:
    | "POST /v1/refunds"
    | "GET /v1/customers"
    | "POST /v1/webhook/subscribe"
    | "PUT /v1/webhook/unsubscribe";
  readonly status: 429 | 500 | 503;
  readonly retryAfterSeconds: number;
}

interface EventParams {
  readonly type: EventType;
  /** Optional members of its data: present or absent. */
  readonly optional: "present" | "absent";
}

/** A provider state with its parameters, as the provider's table has it. */
export interface Given {
  readonly state: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
}

export function given<Name extends keyof ServiceStates>(
  state: Name,
  params: ServiceStates[Name],
): Given {
  return { state, params: { ...params } };
}

/** An interaction over HTTP, and the consumer's part in it. */
export interface HttpInteraction {
  /** Unique in its pact. */
  readonly description: string;
  readonly requirement: string;
  /** Default `MUST`. */
  readonly given: Given;
  readonly request: {
    readonly method: "GET" | "POST" | "PUT";
    readonly path: unknown;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    /** A body that is not JSON: its media type is that of `headers`. */
    readonly text?: string;
  };
  readonly answer: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
  };
  /** Makes the call and verifies its result. Default: a bare request, for calls that the client refuses to make. */
  readonly consume?: (url: string) => Promise<void>;
}

export type Named = Pick<HttpInteraction, "description" | "requirement" | "given">;

export const named = (
  description: string,
  requirement: string,
  state: Given = given("a merchant", {}),
): Named => ({ description, requirement, given: state });

/** Plays an interaction against Pact's own server, which writes it down if it is met as described. */
export async function play(pact: Pact, interaction: HttpInteraction): Promise<void> {
  const { description, requirement, request, answer } = interaction;
  const { consume = (url) => send(url, request, answer.status) } = interaction;
  const { state, params } = interaction.given;
  await pact
    .addInteraction()
    .given(state, params)
    .uponReceiving(description)
    .reference("requirement", "id", requirement)
    // Paths with expressions are taken too, which Pact's types do not know.
    .withRequest(request.method, request.path as string, (builder) => {
      builder.headers(request.headers as Record<string, string>);
      if (request.query !== undefined) builder.query(request.query);
      if (request.body !== undefined) builder.jsonBody(request.body);
      if (request.text !== undefined) withText(builder, request.headers, request.text);
    })
    .willRespondWith(answer.status, (builder) => {
      builder.headers((answer.headers ?? {}) as Record<string, string>);
      if (answer.body !== undefined) builder.jsonBody(answer.body);
    })
    .executeTest(({ url }) => consume(url));
}

async function send(
  url: string,
  { method, path, headers, query, body, text }: HttpInteraction["request"],
  status: number,
): Promise<void> {
  // As JSON first: Pact reads no undefined member.
  const members = JSON.parse(JSON.stringify(body ?? null)) as object;
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(Matchers.reify(members)));
  const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
  const answer = await requestOf(`${url}${String(Matchers.reify(path))}${search}`, {
    method,
    // Expressions of the state have examples.
    headers: Matchers.reify(headers),
    ...(sent !== undefined && { body: sent }),
  });
  await answer.body.dump();
  expect(answer.statusCode).toBe(status);
}

/** Pact's builder takes text that is not JSON as bytes, whose media type it guesses and does not find. */
function withText(builder: object, headers: Readonly<Record<string, unknown>>, text: string): void {
  // The builder's own target; its types omit it.
  const { interaction } = builder as {
    readonly interaction: { readonly withRequestBody: (text: string, type: string) => boolean };
  };
  interaction.withRequestBody(text, String(headers["Content-Type"]));
}

/** Matchers of a schema along an example. */
export function like(path: string, example: unknown): Matcher {
  return matcher(schemas.document(path), example);
}

export function fromState(expression: string, example: string): unknown {
  return Matchers.fromProviderState(expression, example);
}

export const json = {
  "Content-Type": Matchers.regex("application/json(;.*)?", "application/json"),
};

const problemType = {
  "Content-Type": Matchers.regex("application/problem\\+json(;.*)?", "application/problem+json"),
};

interface ProblemShape {
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Codes of the request's invalid members by their pointers. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A refusal: exactly this status, code and these invalid members, with any message. */
export function refusal(
  status: number,
  errorCode: string,
  { headers = {}, errors, more = {} }: ProblemShape = {},
): HttpInteraction["answer"] {
  const example = {
    type: "about:blank",
    title: "Refused",
    status,
    errorDetails: { errorCode, errorMessage: "It was refused." },
  };
  return {
    status,
    headers: { ...problemType, ...headers },
    body: {
      ...like("resources/problem.schema.json", example),
      status: Matchers.equal(status),
      errorDetails: {
        errorCode: Matchers.equal(errorCode),
        errorMessage: Matchers.like("It was refused."),
      },
      ...(errors && {
        errors: Object.entries(errors).map(([pointer, code]) => ({
          pointer: Matchers.equal(pointer),
          code: Matchers.equal(code),
        })),
      }),
      ...more,
    },
  };
}
