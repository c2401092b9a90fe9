import { matcher, standardSchemas, type Matcher } from "@countersign/contract-kit/derive";
import { type ServiceStates } from "@countersign/contract-kit/pact";
import { Matchers, type Pact } from "@pact-foundation/pact";
import { request as requestOf } from "undici";
import { expect } from "vitest";

const schemas = standardSchemas();

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
    /** A body that is no JSON: its media type is that of `headers`. */
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

/** Pact's builder takes text that is no JSON as bytes, whose media type it guesses and does not find. */
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
