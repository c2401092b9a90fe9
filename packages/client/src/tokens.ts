import { validateTokenError, validateTokenResponse } from "@countersign/schemas/readers";
import { readJson } from "@countersign/rules";
import type { TokenResponse, Validation } from "@countersign/schemas";
import { isJson, readSuccess, redactor, retryAfterMs } from "./answers.ts";
import { exchange, type Incoming, type Wire } from "./exchange.ts";
import { failed, type Result } from "./failures.ts";
import type { ClientOptions, Settings, TokenProvider } from "./options.ts";
import { startDeadline, until } from "./time.ts";

interface Issued {
  readonly token: string;
  readonly expiresAt: number | undefined;
}

/** Requests a token from its source. Never rejects. */
export type Issue = () => Promise<Result<Issued>>;

interface Held {
  readonly token: string;
  readonly expiresAt: number;
  /** Time from which a new token is requested while this one is still used. */
  renewAt: number;
}

const EARLIEST_MS = 60_000;
const AGAIN_MS = 5000;

/**
 * The access token of one client. It is renewed in the last minute of its life, or in the last
 * tenth if that is shorter, while calls still use the old one. However many calls wait, one request
 * is under way.
 */
export class Tokens {
  readonly #issue: Issue;
  readonly #now: () => number;
  #held: Held | undefined;
  #underWay: Promise<Result<string>> | undefined;

  constructor({ issue, now }: { readonly issue: Issue; readonly now: () => number }) {
    this.#issue = issue;
    this.#now = now;
  }

  /** Returns an unexpired token. Fails once the signal aborts; the request continues for other calls. */
  async get(signal: AbortSignal): Promise<Result<string>> {
    const held = this.#held;
    if (held !== undefined && this.#now() < held.expiresAt) {
      if (this.#now() >= held.renewAt) void this.#renew();
      return { ok: true, value: held.token };
    }
    return (await until(this.#renew(), signal)) ?? failed({ code: "CS_CALL_ABORTED" });
  }

  /** Drops a token that was answered 401, unless it has been replaced already. */
  refused(token: string): void {
    if (this.#held?.token === token) this.#held = undefined;
  }

  /** Resolves when no request is running. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  #renew(): Promise<Result<string>> {
    this.#underWay ??= this.#issued().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #issued(): Promise<Result<string>> {
    // The lifetime counts from before the request, not from the answer's arrival.
    const askedAt = this.#now();
    const outcome = await this.#issue();
    if (!outcome.ok) {
      // The token in use has some life left: not every call until then has to ask for the next one.
      if (this.#held !== undefined) this.#held.renewAt = this.#now() + AGAIN_MS;
      return outcome;
    }
    const { token, expiresAt = Number.POSITIVE_INFINITY } = outcome.value;
    const early = Math.min(EARLIEST_MS, (expiresAt - askedAt) / 10);
    this.#held = { token, expiresAt, renewAt: expiresAt - early };
    return { ok: true, value: token };
  }
}

/**
 * Returns the source of the client's tokens that its options name.
 *
 * @param closing Aborts a running request.
 * @throws {TypeError} The options have no usable token or credentials, or both.
 */
export function tokenSource(options: ClientOptions, wire: Wire, closing: AbortSignal): Issue {
  const { token, clientId, clientSecret, scopes = [] } = options;
  if (token !== undefined) {
    if (clientId !== undefined || clientSecret !== undefined)
      throw new TypeError('client: either "token" or "clientId" and "clientSecret", not both');
    if (typeof token === "function") return ownToken(token, wire.settings, closing);
    if (!isBearerToken(token)) throw new TypeError('client: "token" is no access token');
    return async () => ({ ok: true, value: { token, expiresAt: undefined } });
  }
  if (!isCredential(clientId) || !isCredential(clientSecret))
    throw new TypeError('client: "clientId" and "clientSecret", or "token", are required');
  return grantedToken(wire, { clientId, clientSecret, scopes }, closing);
}

function isCredential(text: unknown): text is string {
  return typeof text === "string" && text !== "";
}

/** True if a text is valid in an `Authorization` field (RFC 6750, section 2.1). */
function isBearerToken(token: unknown): token is string {
  const form = /^[A-Za-z0-9._~+/-]+=*$/;
  return typeof token === "string" && token.length <= 4096 && form.test(token);
}

/**
 * Asks the caller's own function for a token, by the attempt's deadline. An error of the function is
 * dropped: it may contain the secret that it was called with.
 */
function ownToken(
  provider: TokenProvider,
  { time, timeouts }: Pick<Settings, "time" | "timeouts">,
  closing: AbortSignal,
): Issue {
  return async () => {
    const deadline = startDeadline(time, timeouts.attemptMs);
    const signal = AbortSignal.any([closing, deadline.signal]);
    try {
      const asked = (async () => provider({ signal }))();
      const issued = await until(asked, signal);
      if (signal.aborted) return unavailable("CS_CALL_TIMEOUT");
      const { token, expiresAt } = issued ?? {};
      const isTime = expiresAt === undefined || Number.isFinite(expiresAt);
      if (!isBearerToken(token) || !isTime) return unavailable("CS_TOKEN_MALFORMED");
      return { ok: true, value: { token, expiresAt } };
    } catch {
      return unavailable("CS_TOKEN_PROVIDER_FAILED");
    } finally {
      deadline.end();
    }
  };
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

/**
 * Asks for a token with client credentials (RFC 6749, section 4.4): HTTP Basic, a form as the body
 * (S 5.2).
 */
function grantedToken(
  wire: Wire,
  { clientId, clientSecret, scopes }: Credentials,
  closing: AbortSignal,
): Issue {
  const { limits, profile, time } = wire.settings;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  const basic = Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`);
  const request = {
    method: "POST",
    path: profile.token.path,
    headers: {
      authorization: `Basic ${basic.toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    },
    body: form.toString(),
  } as const;
  return async () => {
    const askedAt = time.now();
    const exchanged = await exchange(wire, request, closing);
    if (!exchanged.ok) return unavailable(exchanged.failure.code);
    const answer = exchanged.value;
    if (answer.status >= 400) {
      const redact = redactor([clientSecret, basic.toString("base64")]);
      const error = errorIn(answer, limits.depth);
      return failed({
        code: "CS_TOKEN_REFUSED",
        status: answer.status,
        error: error === undefined ? undefined : redact(error),
        retryAfterMs: retryAfterMs(answer.retryAfter, time.now()),
      });
    }
    const read = readSuccess(answer, { depth: limits.depth, validate: validateToken });
    if (answer.status >= 300 || !read.ok) return unavailable("CS_ANSWER_UNREADABLE");
    const { access_token: token, expires_in: seconds } = read.value;
    return { ok: true, value: { token, expiresAt: askedAt + seconds * 1000 } };
  };
}

function unavailable(reason: string): Result<never> {
  return failed({ code: "CS_TOKEN_UNAVAILABLE", reason });
}

/** RFC 6749: the type's case does not count (section 5.1), and the scope may be left out (3.3). */
function validateToken(value: unknown): Validation<TokenResponse> {
  if (typeof value !== "object" || value === null) return validateTokenResponse(value);
  const type = "token_type" in value ? value.token_type : undefined;
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  return validateTokenResponse({ scope: "", ...value, ...(isBearer && { token_type: "Bearer" }) });
}

function errorIn({ mediaType, body }: Incoming, depth: number): string | undefined {
  const reading = isJson(mediaType) ? readJson(body, { depth }) : undefined;
  const validation = reading?.ok === true ? validateTokenError(reading.value) : undefined;
  return validation?.ok === true ? validation.value.error : undefined;
}

/** RFC 6749, section 2.3.1 and appendix B: both halves are form-encoded before they are joined. */
function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
