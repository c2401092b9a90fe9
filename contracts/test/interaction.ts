import { createClient, type Client, type ClientOptions } from "@countersign/client";
import {
  matcher,
  schemaNamed,
  standardSchemas,
  type Matcher,
} from "@countersign/contract-kit/derive";
import { Matchers, type Pact } from "@pact-foundation/pact";
import { request as requestOf } from "undici";
import { expect, onTestFinished } from "vitest";

const schemas = standardSchemas();

/** Stands in a pact for the token that a state grants: pacts contain no secret. */
const ACCESS_TOKEN = "ACCESS_TOKEN";

/** A provider state with its parameters; `docs/guides/states.md` has all of them. */
export interface Given {
  readonly state: string;
  readonly params: Readonly<Record<string, string | number | boolean>>;
}

export const given = (state: string, params: Given["params"] = {}): Given => ({ state, params });

/** An interaction over HTTP, and the consumer's part in it. */
export interface HttpInteraction {
  /** Unique in its pact. */
  readonly description: string;
  readonly requirement: string;
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
  state: Given = given("a merchant"),
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
export function like(name: string, example: unknown): Matcher {
  return matcher(schemaNamed(schemas, name), example);
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
      ...like("problem", example),
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

/** Headers of every call of the interface (S 1). */
export const common = {
  "Content-Type": "application/json",
  Accept: "application/json",
  Authorization: fromState("Bearer ${accessToken}", `Bearer ${ACCESS_TOKEN}`),
};

type Call = (client: Client) => Promise<unknown>;
type Consume = (url: string) => Promise<void>;

/** Opens this repository's client, which tries once: an interaction happens once. */
export function client(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  const own = { baseUrl, maxAttempts: 1, token: ACCESS_TOKEN };
  const made = createClient({ ...own, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** Makes a call with the client, which must read at least this answer. */
export const reads =
  (call: Call, answer: object): Consume =>
  async (url) => {
    expect(await call(client(url))).toMatchObject(answer);
  };

/** Makes a call with the client, which must report the refusal. */
export const isRefused =
  (
    call: Call,
    refused: { status: number; errorCode: string; code?: string },
    token?: string,
  ): Consume =>
  async (url) => {
    const made = client(url, token === undefined ? {} : { token });
    await expect(call(made)).rejects.toMatchObject({ code: "CS_CALL_REFUSED", ...refused });
  };

export const refusedCall = (
  told: Named,
  request: HttpInteraction["request"],
  [status, errorCode]: readonly [number, string],
  call: Call,
): HttpInteraction => ({
  ...told,
  request,
  answer: refusal(status, errorCode),
  consume: isRefused(call, { status, errorCode }),
});

/** A call that the client would not make, and the member that is wrong. */
export const invalidCall = (
  told: Named,
  request: HttpInteraction["request"],
  [errorCode, pointer, code = errorCode]: readonly [string, string, string?],
): HttpInteraction => ({
  ...told,
  request,
  answer: refusal(400, errorCode, { errors: { [pointer]: code } }),
});
