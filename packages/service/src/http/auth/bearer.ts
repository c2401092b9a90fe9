import type { IncomingMessage } from "node:http";
import { sha256Hex } from "../../secrets/vault.ts";
import { findToken, type TokenRecord } from "../../store/tables/tokens.ts";
import type { Context } from "../../use-cases/context.ts";
import { queryOf } from "../body.ts";
import { refuse, type Refused } from "../problem.ts";

// RFC 6750, section 2.1. The scheme's name is case-insensitive (RFC 9110, section 11.1).
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The merchant and client that a call's token belongs to. */
export type Caller = Pick<TokenRecord, "merchant" | "clientId" | "scopes">;

type Authenticator = Pick<Context, "driver" | "clock">;

/** Runs the look-up of a token, or refuses the call because its source has sent too many wrong tokens. */
export type LookUpLimit = (
  token: string,
  find: () => Promise<Caller | undefined>,
) => Promise<Caller | undefined>;

/**
 * Returns who makes a call (S 5.1; RFC 6750). Tokens are looked up by their SHA-256, so that the
 * time of the look-up reveals nothing about a token. Only the `Authorization` header is read: a token in
 * a query would appear in logs, one in a body would have to be read before its sender is known.
 *
 * @param limit Default: look-ups are not limited.
 * @throws {Refused} `UNAUTHENTICATED`, with the challenge of RFC 6750, section 3: without `error` if no
 *   token was sent, with `invalid_token` if it is malformed, unknown or expired.
 * @throws {Refused} `INVALID_REQUEST`, with `invalid_request`: two tokens were sent (section 3.1).
 */
export async function authenticate(
  authenticator: Authenticator,
  request: IncomingMessage,
  limit: LookUpLimit = (_token, find) => find(),
): Promise<Caller> {
  const [field = "", ...more] = request.headersDistinct["authorization"] ?? [];
  const isBearer = /^bearer(?: |$)/i.test(field);
  const isInQuery = (): boolean => queryOf(request.url).has("access_token");
  if (more.length > 0 || (isBearer && isInQuery())) throw twoTokens();
  if (!isBearer) throw challenge('Bearer realm="countersign"');
  const token = BEARER.exec(field)?.[1];
  const caller =
    token === undefined ? undefined : await limit(token, () => callerOf(authenticator, token));
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
  { driver, clock }: Authenticator,
  token: string,
): Promise<Caller | undefined> {
  const record = await findToken(driver, sha256Hex(token));
  const isExpired = record?.expiresAt != null && clock.now() >= record.expiresAt;
  return isExpired ? undefined : record;
}

function twoTokens(): Refused {
  return refuse("INVALID_REQUEST", {
    message: "The call carries more than one access token.",
    headers: { "www-authenticate": 'Bearer realm="countersign", error="invalid_request"' },
  });
}

function challenge(field: string): Refused {
  return refuse("UNAUTHENTICATED", { headers: { "www-authenticate": field } });
}
