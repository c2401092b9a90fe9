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
type LookUp = () => Promise<Caller | undefined>;

/**
 * Returns who makes a call, or refuses it with a challenge (S 5.1; RFC 6750, section 3). Tokens are looked up by their
 * SHA-256, so that the time of the look-up reveals nothing. A token in a query would appear in logs.
 *
 * @param limit Runs the look-up; refuses a wrong token if its source has sent too many. Default: not limited.
 */
export async function authenticate(
  authenticator: Authenticator,
  request: IncomingMessage,
  limit: (find: LookUp) => ReturnType<LookUp> = (find) => find(),
): Promise<Caller> {
  const [field = "", ...more] = request.headersDistinct["authorization"] ?? [];
  const isBearer = /^bearer(?: |$)/i.test(field);
  const isInQuery = (): boolean => queryOf(request.url).has("access_token");
  if (more.length > 0 || (isBearer && isInQuery()))
    throw refuse("INVALID_REQUEST", {
      message: "The call carries more than one access token.",
      headers: { "www-authenticate": 'Bearer realm="countersign", error="invalid_request"' },
    });
  if (!isBearer) throw challenge('Bearer realm="countersign"');
  const token = BEARER.exec(field)?.[1];
  const caller =
    token === undefined ? undefined : await limit(() => callerOf(authenticator, token));
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

const challenge = (field: string): Refused =>
  refuse("UNAUTHENTICATED", { headers: { "www-authenticate": field } });
