import { readJson } from "@countersign/rules";
import { validateTokenRequest } from "@countersign/schemas/writers";
import type { IncomingMessage } from "node:http";
import { clientOf } from "./token-client.ts";
import { mediaTypeOf } from "./media-type.ts";
import { readBody } from "./read-body.ts";
import { refuse } from "./refuse.ts";
import { TokenRefused } from "./token-refused.ts";
import type { TokenRequest } from "../use-cases/tokens.ts";

/** The parameters of RFC 6749, section 4.4.2. Others are left out of sight, as section 3.2 wants. */
const PARAMETERS = ["grant_type", "scope", "client_id", "client_secret"] as const;

/**
 * The request of a token, as a form or as JSON, with the client's credentials.
 *
 * @throws {TokenRefused} RFC 6749, section 5.2.
 * @throws {Refused} `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`: before it is a token request at all.
 */
export async function readTokenRequest(
  request: IncomingMessage,
  limits: { bodyBytes: number; depth: number },
): Promise<TokenRequest> {
  const mediaType = mediaTypeOf(request.headers["content-type"]);
  const isForm = mediaType === "application/x-www-form-urlencoded";
  if (!isForm && mediaType !== "application/json") {
    const message = "The body must be a form or application/json in UTF-8, without content coding.";
    throw refuse("UNSUPPORTED_MEDIA_TYPE", { message });
  }
  const bytes = await readBody(request, limits.bodyBytes);
  const sent = isForm ? readForm(bytes) : readMembers(bytes, limits.depth);
  const { grant_type: grantType } = sent;
  if (grantType === undefined) throw new TokenRefused("invalid_request", "grant_type is missing");
  if (grantType !== "client_credentials") throw new TokenRefused("unsupported_grant_type");
  const validation = validateTokenRequest(sent);
  if (!validation.ok) {
    const pointers = validation.errors.map(({ pointer }) => pointer).join(", ");
    throw new TokenRefused("invalid_request", `not well-formed: ${pointers}`);
  }
  const { client_id, client_secret, scope } = validation.value;
  const client = clientOf(request.headers.authorization, { id: client_id, secret: client_secret });
  return { ...client, scopes: scope?.split(" ") };
}

type Parameters = Partial<Record<(typeof PARAMETERS)[number], unknown>>;

function readForm(bytes: Buffer): Parameters {
  const form = new URLSearchParams(bytes.toString("utf8"));
  const parameters: Parameters = {};
  for (const name of PARAMETERS) {
    const [value, ...more] = form.getAll(name);
    if (more.length > 0) throw new TokenRefused("invalid_request", `${name} comes twice`);
    // RFC 6749, section 3.2: a parameter without a value counts as left out.
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
