import { readJson } from "@countersign/rules";
import { validateTokenRequest } from "@countersign/schemas/writers";
import type { Request, Response } from "express";
import type { IncomingMessage } from "node:http";
import type { ClientRecord } from "../../store/tables/merchants.ts";
import { type ClientCredentials, authenticateClient, grantToken } from "../../use-cases/tokens.ts";
import { type Answer, checkBody, writeAnswer } from "../answer.ts";
import { acceptsJson, mediaTypeOf } from "../body.ts";
import { sourceOf } from "../limits.ts";
import { factsOf } from "../log.ts";
import { refuse } from "../problem.ts";
import type { HttpContext } from "../route.ts";

/** The largest body of a token request, in bytes: strangers send them too. */
export const TOKEN_BODY_BYTES = 4096;

/** `POST /v1/tokens`: OAuth 2 client credentials (S 5.2; RFC 6749, sections 4.4 and 5). */
export function serveTokens(context: HttpContext) {
  return async (request: Request, response: Response): Promise<void> => {
    try {
      const answer = await answerOf(context, request, response);
      if (context.checksAnswers) checkBody(context.policy, "token", answer.body);
      writeAnswer(response, answer);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      factsOf(response).errorCode = error.error;
      const answer = refusalOf(error);
      if (context.checksAnswers) checkBody(context.policy, "tokenError", answer.body);
      writeAnswer(response, answer);
    }
  };
}

async function answerOf(
  context: HttpContext,
  request: Request,
  response: Response,
): Promise<Answer> {
  if (!acceptsJson(request.headers.accept)) throw refuse("NOT_ACCEPTABLE");
  const isForm = requireMediaType(request);
  const { authorization } = request.headers;
  const clientOfHeader =
    authorization === undefined ? undefined : await verify(context, request, basic(authorization));
  const isAuthenticated = clientOfHeader !== undefined;
  const limit = Math.min(TOKEN_BODY_BYTES, context.policy.limits.bodyBytes);
  const bytes = await context.bodies.read({ request, response, limit, isAuthenticated });
  const sent = isForm ? readForm(bytes) : readMembers(bytes, context.policy.limits.depth);
  const { scopes, ...inBody } = readTokenRequest(sent);
  const client = clientOfHeader ?? (await verify(context, request, credentialsOf(inBody)));
  if (isAuthenticated && (inBody.id !== undefined || inBody.secret !== undefined)) {
    throw new TokenRefused("invalid_request", "the client authenticates in two ways");
  }
  const outcome = await grantToken(context, { client, scopes });
  if (!outcome.ok) throw new TokenRefused(outcome.error);
  context.rates?.issued(outcome.token);
  return {
    status: 200,
    headers: { pragma: "no-cache" },
    body: {
      access_token: outcome.token,
      token_type: "Bearer",
      expires_in: outcome.expiresInSeconds,
      scope: outcome.scopes.join(" "),
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

/** The parameters of RFC 6749, section 4.4.2. Others are ignored, as section 3.2 requires. */
const PARAMETERS = ["grant_type", "scope", "client_id", "client_secret"] as const;

/** @returns True for a form, false for JSON. */
function requireMediaType({ headers }: IncomingMessage): boolean {
  const mediaType = mediaTypeOf(headers["content-type"]);
  if (mediaType === "application/x-www-form-urlencoded") return true;
  if (mediaType === "application/json") return false;
  const message = "The body must be a form or application/json in UTF-8, without content coding.";
  throw refuse("UNSUPPORTED_MEDIA_TYPE", { message });
}

/** @throws {TokenRefused} `invalid_client` */
async function verify(
  context: HttpContext,
  request: Request,
  credentials: ClientCredentials,
): Promise<ClientRecord> {
  const { rates } = context;
  const sent = { source: sourceOf(request), ...credentials };
  const find = () => authenticateClient(context, credentials);
  const client = await (rates === undefined ? find() : rates.authenticate(sent, find));
  if (client === undefined) throw new TokenRefused("invalid_client");
  return client;
}

interface TokenRequest {
  /** The client's credentials, if they are in the body. */
  readonly id: string | undefined;
  readonly secret: string | undefined;
  /** Default: every scope of the client. */
  readonly scopes: readonly string[] | undefined;
}

/** @throws {TokenRefused} RFC 6749, section 5.2. */
function readTokenRequest(sent: Parameters): TokenRequest {
  const { grant_type: grantType } = sent;
  if (grantType === undefined) throw new TokenRefused("invalid_request", "grant_type is missing");
  if (grantType !== "client_credentials") throw new TokenRefused("unsupported_grant_type");
  const validation = validateTokenRequest(sent);
  if (!validation.ok) {
    const pointers = validation.errors.map(({ pointer }) => pointer).join(", ");
    throw new TokenRefused("invalid_request", `not well-formed: ${pointers}`);
  }
  const { client_id: id, client_secret: secret, scope } = validation.value;
  return { id, secret, scopes: scope?.split(" ") };
}

type Parameters = Partial<Record<(typeof PARAMETERS)[number], unknown>>;

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
  const value = reading.ok ? reading.value : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TokenRefused("invalid_request", "the body is not a JSON object");
  }
  return value;
}

/** @throws {TokenRefused} `invalid_client`: one of them is missing. */
function credentialsOf({ id, secret }: Omit<TokenRequest, "scopes">): ClientCredentials {
  if (id === undefined || secret === undefined) throw new TokenRefused("invalid_client");
  return { clientId: id, clientSecret: secret };
}

/** Reads credentials from HTTP Basic (RFC 6749, section 2.3.1). @throws {TokenRefused} `invalid_client` */
function basic(field: string): ClientCredentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(field)?.[1] ?? "";
  const [, id, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  if (id === undefined || secret === undefined) throw new TokenRefused("invalid_client");
  try {
    return { clientId: formDecode(id), clientSecret: formDecode(secret) };
  } catch {
    throw new TokenRefused("invalid_client");
  }
}

/** Decodes one half of a Basic pair, which is form-encoded. @throws {URIError} It is not valid. */
function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
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
