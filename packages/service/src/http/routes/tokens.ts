import { readJson } from "@countersign/rules";
import type { TokenRequest } from "@countersign/schemas";
import { validateTokenRequest } from "@countersign/schemas/writers";
import type { Request, Response } from "express";
import type { ClientRecord } from "../../store/tables/merchants.ts";
import { type ClientCredentials, authenticateClient, grantToken } from "../../use-cases/tokens.ts";
import { type Answer, writeAnswer } from "../answer.ts";
import { acceptsJson, isObject, mediaTypeOf } from "../body.ts";
import { sourceOf } from "../limits.ts";
import { factsOf } from "../log.ts";
import { refuse } from "../problem.ts";
import type { HttpContext } from "../route.ts";

/** The largest body of a token request, in bytes: strangers send them too. */
const TOKEN_BODY_BYTES = 4096;

/** `POST /v1/tokens`: OAuth 2 client credentials (S 5.2; RFC 6749, sections 4.4 and 5). */
export function serveTokens(context: HttpContext) {
  return async (request: Request, response: Response): Promise<void> => {
    const answer = await answerOf(context, request, response).catch((error: unknown) => {
      if (!(error instanceof TokenRefused)) throw error;
      factsOf(response).errorCode = error.error;
      return refusalOf(error);
    });
    writeAnswer(response, answer);
  };
}

async function answerOf(
  context: HttpContext,
  request: Request,
  response: Response,
): Promise<Answer> {
  const { policy, bodies } = context;
  const { accept, authorization, "content-type": contentType } = request.headers;
  if (!acceptsJson(accept)) throw refuse("NOT_ACCEPTABLE");
  const mediaType = mediaTypeOf(contentType);
  const isForm = mediaType === "application/x-www-form-urlencoded";
  if (!isForm && mediaType !== "application/json") {
    const message = "The body must be a form or application/json in UTF-8, without content coding.";
    throw refuse("UNSUPPORTED_MEDIA_TYPE", { message });
  }
  const clientOfHeader =
    authorization === undefined ? undefined : await verify(context, request, basic(authorization));
  const isAuthenticated = clientOfHeader !== undefined;
  const limit = Math.min(TOKEN_BODY_BYTES, policy.limits.bodyBytes);
  const bytes = await bodies.read({ request, response, limit, isAuthenticated });
  const sent = readTokenRequest(isForm ? readForm(bytes) : readMembers(bytes, policy.limits.depth));
  const { client_id: clientId, client_secret: clientSecret, scope } = sent;
  const client = clientOfHeader ?? (await verify(context, request, { clientId, clientSecret }));
  if (isAuthenticated && (clientId !== undefined || clientSecret !== undefined))
    throw new TokenRefused("invalid_request", "the client authenticates in two ways");
  const granted = await grantToken(context, client, scope?.split(" "));
  if (granted === undefined) throw new TokenRefused("invalid_scope");
  return {
    status: 200,
    headers: { pragma: "no-cache" },
    body: {
      access_token: granted.token,
      token_type: "Bearer",
      expires_in: policy.token.lifetimeSeconds,
      scope: granted.scopes.join(" "),
    },
  };
}

function refusalOf({ error, description }: TokenRefused): Answer {
  const body = { error, ...(description !== undefined && { error_description: description }) };
  const { status } = tokenErrors[error];
  const pragma = "no-cache";
  if (error !== "invalid_client") return { status, headers: { pragma }, body };
  // RFC 6749, section 5.2: the challenge is a MUST after Basic, and names the scheme to use otherwise.
  const challenge = 'Basic realm="countersign", charset="UTF-8"';
  return { status, headers: { pragma, "www-authenticate": challenge }, body };
}

type Sent = { readonly [Name in keyof ClientCredentials]: string | undefined };

async function verify(
  context: HttpContext,
  request: Request,
  { clientId, clientSecret }: Sent,
): Promise<ClientRecord> {
  if (clientId === undefined || clientSecret === undefined)
    throw new TokenRefused("invalid_client");
  const client = await context.rates.authenticate({ source: sourceOf(request), clientId }, () =>
    authenticateClient(context, { clientId, clientSecret }),
  );
  if (client === undefined) throw new TokenRefused("invalid_client");
  return client;
}

/** The parameters of RFC 6749, section 4.4.2. Others are ignored, as section 3.2 requires. */
const PARAMETERS = ["grant_type", "scope", "client_id", "client_secret"] as const;
type Parameters = Partial<Record<(typeof PARAMETERS)[number], unknown>>;

function readTokenRequest(sent: Parameters): TokenRequest {
  const { grant_type: grantType } = sent;
  if (grantType === undefined) throw new TokenRefused("invalid_request", "grant_type is missing");
  if (grantType !== "client_credentials") throw new TokenRefused("unsupported_grant_type");
  const validation = validateTokenRequest(sent);
  if (validation.ok) return validation.value;
  const pointers = validation.errors.map(({ pointer }) => pointer).join(", ");
  throw new TokenRefused("invalid_request", `not well-formed: ${pointers}`);
}

function readForm(bytes: Buffer): Parameters {
  const form = new URLSearchParams(bytes.toString("utf8"));
  const parameters: Parameters = {};
  for (const name of PARAMETERS) {
    const [value, ...more] = form.getAll(name);
    if (more.length > 0) throw new TokenRefused("invalid_request", `${name} comes twice`);
    // RFC 6749, section 3.2: a parameter without a value counts as absent.
    if (value !== undefined && value !== "") parameters[name] = value;
  }
  return parameters;
}

function readMembers(bytes: Buffer, depth: number): Parameters {
  const reading = readJson(bytes, { depth });
  if (reading.ok && isObject(reading.value)) return reading.value;
  throw new TokenRefused("invalid_request", "the body is not a JSON object");
}

/** Reads credentials from HTTP Basic (RFC 6749, section 2.3.1), whose halves are form-encoded. */
function basic(field: string): Sent {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(field)?.[1] ?? "";
  const [, ...halves] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  try {
    const [clientId, clientSecret] = halves.map((half) =>
      decodeURIComponent(half.replaceAll("+", " ")),
    );
    return { clientId, clientSecret };
  } catch {
    return { clientId: undefined, clientSecret: undefined };
  }
}

/** The error codes of RFC 6749, section 5.2, that this service answers with. */
export const tokenErrors = {
  invalid_request: {
    status: 400,
    meaning:
      "A parameter is missing, repeated or malformed, or the client authenticates in two ways.",
  },
  invalid_client: {
    status: 401,
    meaning: "The client's id or secret is missing or wrong.",
  },
  invalid_scope: { status: 400, meaning: "The client does not have a requested scope." },
  unsupported_grant_type: { status: 400, meaning: "The grant is not client_credentials." },
} as const;

type TokenError = keyof typeof tokenErrors;

/** Ends a token request with the body of RFC 6749, section 5.2. */
class TokenRefused extends Error {
  readonly error: TokenError;
  /** For developers: printable ASCII, with nothing that was sent except names of parameters. */
  readonly description: string | undefined;
  constructor(error: TokenError, description?: string) {
    super(description ?? error);
    this.name = new.target.name;
    this.error = error;
    this.description = description;
  }
}
