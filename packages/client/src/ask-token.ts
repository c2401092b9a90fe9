import { validateTokenError, validateTokenResponse } from "@countersign/schemas/readers";
import { readJson } from "@countersign/rules";
import type { TokenResponse, Validation } from "@countersign/schemas";
import { exchange, type Incoming, type Wire } from "./exchange.ts";
import type { Failure } from "./failure.ts";
import { isJson, readJsonAnswer } from "./read-json-answer.ts";
import { redactor } from "./redactor.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { Issue } from "./tokens.ts";

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Path of the token endpoint, relative to the base URL. */
  readonly path: string;
}

/**
 * Asks for a token with client credentials (RFC 6749, section 4.4): HTTP Basic, a form as the body
 * (S 5.2).
 */
export function askToken(wire: Wire, credentials: Credentials, closing: AbortSignal): Issue {
  const { clientId, clientSecret, scopes, path } = credentials;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  const basic = Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`);
  const request = {
    method: "POST",
    path,
    headers: {
      authorization: `Basic ${basic.toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    },
    body: form.toString(),
  } as const;
  const { limits, time } = wire.settings;
  return async () => {
    const askedAt = time.now();
    const exchanged = await exchange(wire, request, closing);
    if (!exchanged.ok) return unavailable(exchanged.failure.code);
    const { answer } = exchanged;
    if (answer.status >= 400) {
      const redact = redactor([clientSecret, basic.toString("base64")]);
      const error = errorOf(answer, limits.depth);
      const failure: Failure = {
        code: "CS_TOKEN_REFUSED",
        status: answer.status,
        error: error === undefined ? undefined : redact(error),
        retryAfterMs: retryAfterMs(answer.retryAfter, time.now()),
      };
      return { ok: false, failure };
    }
    const read = readJsonAnswer(answer, { depth: limits.depth, validate: validateToken });
    if (answer.status >= 300 || !read.ok) return unavailable("CS_ANSWER_UNREADABLE");
    const { access_token: token, expires_in: seconds } = read.value;
    return { ok: true, token, expiresAt: askedAt + seconds * 1000 };
  };
}

function unavailable(reason: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code: "CS_TOKEN_UNAVAILABLE", reason } };
}

/** RFC 6749: the type's case does not count (section 5.1), and the scope may be left out (3.3). */
function validateToken(value: unknown): Validation<TokenResponse> {
  if (typeof value !== "object" || value === null) return validateTokenResponse(value);
  const type = "token_type" in value ? value.token_type : undefined;
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  return validateTokenResponse({ scope: "", ...value, ...(isBearer && { token_type: "Bearer" }) });
}

function errorOf({ mediaType, body }: Incoming, depth: number): string | undefined {
  const reading = isJson(mediaType) ? readJson(body, { depth }) : undefined;
  const validation = reading?.ok === true ? validateTokenError(reading.value) : undefined;
  return validation?.ok === true ? validation.value.error : undefined;
}

/** RFC 6749, section 2.3.1 and appendix B: both halves are form-encoded before they are joined. */
function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
