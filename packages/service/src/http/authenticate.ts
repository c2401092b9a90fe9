import type { IncomingMessage } from "node:http";
import { sha256Hex } from "../sha256.ts";
import { findToken } from "../store/operations/tokens/find-token.ts";
import type { TokenRecord } from "../store/records.ts";
import type { Context } from "../use-cases/context.ts";
import { refuse } from "./refuse.ts";
import type { Refused } from "./refused.ts";

// RFC 6750, section 2.1. The scheme's name is case-insensitive (RFC 9110, section 11.1).
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Who makes a call (S 5.1, rule 1; RFC 6750). Tokens are looked up by their SHA-256, so that how long
 * the look-up takes tells nothing about a token.
 *
 * @throws {Refused} `UNAUTHENTICATED`, with the challenge of RFC 6750, section 3: without `error` where
 *   no token came, with `invalid_token` where it is malformed, unknown or expired.
 */
export async function authenticate(
  { driver, clock }: Pick<Context, "driver" | "clock">,
  request: IncomingMessage,
): Promise<TokenRecord> {
  const field = request.headers.authorization ?? "";
  if (!/^bearer(?: |$)/i.test(field)) throw challenge('Bearer realm="countersign"');
  const sent = BEARER.exec(field)?.[1];
  const token = sent === undefined ? undefined : await findToken(driver, sha256Hex(sent));
  const isExpired = token?.expiresAt != null && clock.now() >= token.expiresAt;
  if (token === undefined || isExpired) {
    throw challenge('Bearer realm="countersign", error="invalid_token"');
  }
  return token;
}

/** @throws {Refused} `INSUFFICIENT_SCOPE` (RFC 6750, section 3.1). */
export function requireScope(token: TokenRecord, scope: string): void {
  if (token.scopes.includes(scope)) return;
  const wanted = `Bearer realm="countersign", error="insufficient_scope", scope="${scope}"`;
  throw refuse("INSUFFICIENT_SCOPE", { headers: { "www-authenticate": wanted } });
}

function challenge(field: string): Refused {
  return refuse("UNAUTHENTICATED", { headers: { "www-authenticate": field } });
}
