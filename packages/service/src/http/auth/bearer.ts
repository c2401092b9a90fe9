import type { IncomingMessage } from "node:http";
import { sha256Hex } from "../../sha256.ts";
import { findMerchant } from "../../store/tables/merchants.ts";
import { findToken, type TokenRecord } from "../../store/tables/tokens.ts";
import type { Context } from "../../use-cases/context.ts";
import { refuse, type Refused } from "../problem.ts";
import { OutsideTokens } from "./outside-tokens.ts";

// RFC 6750, section 2.1. The scheme's name is case-insensitive (RFC 9110, section 11.1).
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Who makes a call. */
export type Caller = Pick<TokenRecord, "merchant" | "clientId" | "scopes">;

export interface Authenticator extends Pick<Context, "driver" | "clock"> {
  /** Default: this service's own tokens alone are taken. */
  readonly outsideTokens?: OutsideTokens | undefined;
}

/**
 * Who makes a call (S 5.1, rule 1; RFC 6750). Tokens are looked up by their SHA-256, so that how long
 * the look-up takes tells nothing about a token. They are taken from the `Authorization` field alone:
 * one in a query would stand in logs, one in a body would have to be read before it is known whose.
 *
 * @throws {Refused} `UNAUTHENTICATED`, with the challenge of RFC 6750, section 3: without `error` where
 *   no token came, with `invalid_token` where it is malformed, unknown or expired.
 * @throws {Refused} `INVALID_REQUEST`, with `invalid_request`: two tokens came (section 3.1).
 * @throws {IssuerUnavailableError} `CS_ISSUER_UNAVAILABLE`
 */
export async function authenticate(
  authenticator: Authenticator,
  request: IncomingMessage,
): Promise<Caller> {
  const [field = "", ...more] = request.headersDistinct["authorization"] ?? [];
  const isBearer = /^bearer(?: |$)/i.test(field);
  if (more.length > 0 || (isBearer && hasTokenInQuery(request))) throw twoTokens();
  if (!isBearer) throw challenge('Bearer realm="countersign"');
  const token = BEARER.exec(field)?.[1];
  const caller = token === undefined ? undefined : await callerOf(authenticator, token);
  if (caller === undefined) throw challenge('Bearer realm="countersign", error="invalid_token"');
  return caller;
}

/** @throws {Refused} `INSUFFICIENT_SCOPE` (RFC 6750, section 3.1). */
export function requireScope({ scopes }: Caller, scope: string): void {
  if (scopes.includes(scope)) return;
  const wanted = `Bearer realm="countersign", error="insufficient_scope", scope="${scope}"`;
  throw refuse("INSUFFICIENT_SCOPE", { headers: { "www-authenticate": wanted } });
}

async function callerOf(
  { driver, clock, outsideTokens }: Authenticator,
  token: string,
): Promise<Caller | undefined> {
  if (outsideTokens !== undefined && OutsideTokens.isOfForm(token)) {
    const identity = await outsideTokens.verify(token);
    const merchant = identity && (await findMerchant(driver, identity.merchantId));
    return identity && merchant && { ...identity, merchant };
  }
  const record = await findToken(driver, sha256Hex(token));
  const isExpired = record?.expiresAt != null && clock.now() >= record.expiresAt;
  return isExpired ? undefined : record;
}

function hasTokenInQuery({ url = "" }: IncomingMessage): boolean {
  const at = url.indexOf("?");
  return at >= 0 && new URLSearchParams(url.slice(at)).has("access_token");
}

function twoTokens(): Refused {
  return refuse("INVALID_REQUEST", {
    message: "The call carries an access token in more than one way.",
    headers: { "www-authenticate": 'Bearer realm="countersign", error="invalid_request"' },
  });
}

function challenge(field: string): Refused {
  return refuse("UNAUTHENTICATED", { headers: { "www-authenticate": field } });
}
