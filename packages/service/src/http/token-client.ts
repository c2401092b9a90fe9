import { TokenRefused } from "./token-refused.ts";

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * How the client authenticates: HTTP Basic (RFC 6749, section 2.3.1) or members of the body, never
 * both.
 *
 * @throws {TokenRefused} `invalid_request`: both. `invalid_client`: neither, or Basic that is no pair
 *   of encoded texts.
 */
export function clientOf(
  authorization: string | undefined,
  body: { readonly id: string | undefined; readonly secret: string | undefined },
): Credentials {
  const inBody = body.id !== undefined || body.secret !== undefined;
  if (authorization !== undefined && inBody) {
    throw new TokenRefused("invalid_request", "the client authenticates in two ways");
  }
  if (authorization !== undefined) return basic(authorization);
  if (body.id === undefined || body.secret === undefined) throw new TokenRefused("invalid_client");
  return { clientId: body.id, clientSecret: body.secret };
}

function basic(field: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(field)?.[1] ?? "";
  const [, id, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  if (id === undefined || secret === undefined) throw new TokenRefused("invalid_client");
  try {
    return { clientId: formDecode(id), clientSecret: formDecode(secret) };
  } catch {
    throw new TokenRefused("invalid_client");
  }
}

/** Both halves are form-encoded before they are joined. @throws {URIError} They are not. */
function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
