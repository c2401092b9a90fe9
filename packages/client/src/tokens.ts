import { validateTokenResponse } from "@countersign/schemas/readers";
import type { TokenResponse, Validation } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { until, type Clock } from "./clock.ts";
import { failed, type Result } from "./errors.ts";
import { exchange, type Request } from "./exchange.ts";
import type { ClientOptions, Settings } from "./options.ts";

/**
 * Gets the client's access token, another than `refused` if there is one. Never rejects. Fails once the signal
 * aborts; a request in flight continues for other calls.
 */
export type GetToken = (signal: AbortSignal, refused?: string) => Promise<Result<string>>;

/**
 * Returns the source of tokens that the client's options name.
 *
 * @param closing Aborts a running request.
 * @throws {TypeError} The options have no usable token or credentials, or both.
 */
export function tokenSource(
  options: ClientOptions,
  settings: Settings,
  closing: AbortSignal,
): GetToken {
  const { token, clientId, clientSecret } = options;
  if (token === undefined) {
    const grant = grantRequest(options, settings.profile.token);
    return keepToken(() => exchange(settings, grant, closing), settings.clock);
  }
  if (clientId !== undefined || clientSecret !== undefined)
    throw new TypeError('client: expected "token" or "clientId" and "clientSecret", not both');
  if (typeof token === "function") return (signal) => ownToken(token, signal);
  if (!isBearerToken(token))
    throw new TypeError('client: invalid "token": expected 1 to 4096 characters of RFC 6750');
  return async () => ({ ok: true, value: token });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** True if a text is valid in an `Authorization` field (RFC 6750, section 2.1). */
function isBearerToken(token: unknown): token is string {
  return isText(token) && token.length <= 4096 && /^[A-Za-z0-9._~+/-]+=*$/.test(token);
}

function unavailable(reason: string): Result<never> {
  return failed({ code: "CS_TOKEN_UNAVAILABLE", reason });
}

/** Calls the caller's own function. Its error is dropped: it may contain a secret. */
async function ownToken(
  obtain: (signal: AbortSignal) => string | Promise<string>,
  signal: AbortSignal,
): Promise<Result<string>> {
  try {
    const token = await until((async () => obtain(signal))(), signal);
    if (isBearerToken(token)) return { ok: true, value: token };
    return unavailable("the token function returned no access token");
  } catch {
    return unavailable("the token function threw");
  }
}

/** Longer than a call takes, and rarer than a provider limits token requests. */
const RENEW_EARLY_MS = 60_000;
const RENEW_AGAIN_MS = 5000;

/**
 * Keeps the token of the token endpoint. It is renewed in the last minute of its life, or in the last tenth if that is
 * shorter, while calls still use the old one. However many calls wait, one request is in flight.
 */
function keepToken(grant: () => Promise<Result<TokenResponse>>, clock: Clock): GetToken {
  let kept: { readonly token: string; readonly expiresAt: number; renewAt: number } | undefined;
  let inFlight: Promise<Result<string>> | undefined;

  const request = async (): Promise<Result<string>> => {
    // The lifetime counts from before the request, not from the answer's arrival.
    const askedAt = clock.elapsed();
    const granted = await grant();
    if (granted.ok) {
      const { access_token: token, expires_in: seconds } = granted.value;
      const expiresAt = askedAt + seconds * 1000;
      kept = { token, expiresAt, renewAt: expiresAt - Math.min(RENEW_EARLY_MS, seconds * 100) };
      return { ok: true, value: token };
    }
    // The kept token has some life left: not every call until then has to request the next one.
    if (kept !== undefined) kept.renewAt = clock.elapsed() + RENEW_AGAIN_MS;
    const { failure } = granted;
    if (failure.code === "CS_CALL_REFUSED") return failed({ ...failure, code: "CS_TOKEN_REFUSED" });
    return unavailable([failure.code, failure.reason].filter(Boolean).join(" "));
  };
  const renew = (): Promise<Result<string>> =>
    (inFlight ??= request().finally(() => {
      inFlight = undefined;
    }));

  return async (signal, refused) => {
    if (kept?.token === refused) kept = undefined;
    const now = clock.elapsed();
    if (kept === undefined || now >= kept.expiresAt)
      return (await until(renew(), signal)) ?? unavailable("aborted");
    if (now >= kept.renewAt) void renew();
    return { ok: true, value: kept.token };
  };
}

/** A token with client credentials (RFC 6749, section 4.4): HTTP Basic, a form as the body (S 5.2). */
function grantRequest(
  { clientId, clientSecret, scopes = [] }: ClientOptions,
  { path }: Profile["token"],
): Request<TokenResponse> {
  if (!isText(clientId) || !isText(clientSecret))
    throw new TypeError('client: missing "clientId" and "clientSecret", or "token"');
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  const pair = `${formEncode(clientId)}:${formEncode(clientSecret)}`;
  const basic = Buffer.from(pair).toString("base64");
  return {
    method: "POST",
    path,
    headers: {
      authorization: `Basic ${basic}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    },
    body: form.toString(),
    secrets: [clientSecret, basic],
    validate: validateToken,
  };
}

/** RFC 6749, section 2.3.1 and appendix B: both halves are form-encoded before they are joined. */
function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

/** RFC 6749: the type's case does not count (section 5.1), and the scope may be left out (3.3). */
function validateToken(value: unknown): Validation<TokenResponse> {
  // The spread of anything but an object has none of the members.
  const { token_type: type, ...others } = { token_type: undefined, ...(value as object) };
  const isBearer = String(type).toLowerCase() === "bearer";
  return validateTokenResponse({ scope: "", ...others, token_type: isBearer ? "Bearer" : type });
}
