import type { ProviderDocument } from "@countersign/schemas/providers";
import {
  type CheckedHeaders,
  schemeOf,
  type Secret,
  type SignatureScheme,
} from "@countersign/signatures";
import { MistakeError, withCode } from "../mistake.ts";
import type { GivenSecret, SecretsOption, TenantSecrets } from "../options.ts";
import type { Deadline } from "./admission.ts";
import type { Attempt } from "./body.ts";
import type { Reading } from "./read-events.ts";
import { warnProcess } from "./failure-log.ts";
import { failed, type Outcome, rejected } from "./outcome.ts";
import type { Credentials, ReceiverParts } from "./parts.ts";

/** The proof of a genuine signature. */
export interface Verified {
  readonly tenant: string;
  /** Returns the HMAC of a text that the sender asks for, as some challenges do. */
  readonly sign: (text: string) => string;
  readonly signer: Signer;
}

/** The secret that signed an attempt, for an observer. */
export interface Signer {
  readonly secretIndex: number;
  readonly secretLabel?: string;
}

/** Verifies the signature with the secrets of the attempt's tenant, or with the key that the attempt names. */
export async function verify(
  { headers, method = "POST", path, url, receivedAt }: Attempt,
  { reading, checked }: { readonly reading: Reading; readonly checked: CheckedHeaders | undefined },
  deadline: Deadline<Outcome>,
  parts: ReceiverParts,
): Promise<Verified | Outcome> {
  const { scheme, findSecrets, failures, explain, claims } = parts;
  const { body, places } = reading;
  try {
    const given = { headers, path: path ?? (url === undefined ? undefined : pathOf(url)) };
    const found = deadline.during(secretsLate, () => findSecrets(given));
    const { tenant, secrets, labels, decoys } = found instanceof Promise ? await found : found;
    failures.hide(secrets);
    const attempt = { headers, body, url: signedUrl(url, parts), method, checked, places };
    const key = scheme.needsKey
      ? await findKey(scheme.keyPlace(attempt), deadline, parts)
      : undefined;
    if (typeof key === "object") return key;

    const now = receivedAt ?? parts.now();
    const verification = scheme.verify(attempt, secrets, { now, key, claims, decoys });
    if (decoys && secrets.length === 0) return rejected("CS_TENANT_UNKNOWN");
    if (verification.ok) {
      const { secretIndex } = verification;
      const label = labels[secretIndex];
      const signer = { secretIndex, ...(label !== undefined && { secretLabel: label }) };
      const sign = (text: string): string => {
        const secret = secrets.slice(secretIndex, secretIndex + 1);
        return (
          challengeScheme(parts.provider).sign({ body: new TextEncoder().encode(text) }, secret)
            .headers["x"] ?? ""
        );
      };
      return { tenant, sign, signer };
    }
    const explanation = await explain?.(attempt, secrets, now);
    const facts = { ...verification.facts, ...(explanation && { explanation }) };
    return rejected(verification.code, { facts });
  } catch (error) {
    // The merchant's own look-up failed, or returned an unusable secret.
    return failed("CS_SECRETS_UNAVAILABLE", error);
  }
}

/** Challenges are answered with HMAC-SHA256 in hexadecimal, whatever the sender's own signature covers. */
const challengeScheme = ({ name, title, signature }: ProviderDocument): SignatureScheme =>
  schemeOf({
    name,
    title,
    signature: {
      algorithm: "hmac-sha256",
      ...(signature.key !== undefined && { key: signature.key }),
      encoding: "hex",
      carrier: [{ at: "header:x" }],
      signed: ["body"],
    },
  });

const secretsLate = (): Outcome =>
  failed("CS_SECRETS_UNAVAILABLE", new Error('"secrets" did not answer within limits.answerMs'));

/** Looks up the key that an attempt names. A source that is down is the receiver's failure, never a refusal. */
async function findKey(
  name: ReturnType<SignatureScheme["keyPlace"]>,
  deadline: Deadline<Outcome>,
  { keys }: ReceiverParts,
): Promise<string | Outcome | undefined> {
  if (typeof name !== "string") return name && rejected(name.code, { facts: name.facts });
  const late = (): Outcome =>
    failed("CS_KEY_UNAVAILABLE", new Error('"keyOf" did not answer within limits.answerMs'));
  try {
    const key = await deadline.during(late, () => keys?.get(name));
    return key ?? rejected("CS_KEY_UNKNOWN");
  } catch (error) {
    return failed("CS_KEY_UNAVAILABLE", error);
  }
}

/** The URL as the sender knows it: the configured one with the request's query. `Host` is a stranger's choice. */
export function signedUrl(
  url: string | undefined,
  { publicUrl }: Pick<ReceiverParts, "publicUrl">,
): string | undefined {
  if (publicUrl === undefined) return url;
  const query = url?.indexOf("?") ?? -1;
  return query === -1 ? publicUrl : `${publicUrl}${(url ?? "").slice(query)}`;
}

/** Returns the path of a request's target or URL as it was sent, without scheme, authority and query. */
export function pathOf(url: string): string {
  const [, path = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? [];
  return path === "" ? "/" : path;
}

/**
 * Checks the secrets and the URL now; the answer of a function is checked with each attempt.
 *
 * @throws {MistakeError} `CS_SECRET_INVALID` The scheme could not verify with them.
 */
export function checkSecrets(
  secrets: SecretsOption | undefined,
  scheme: SignatureScheme,
  caller: string,
): ReceiverParts["findSecrets"] {
  if (typeof secrets === "function")
    return (request) => {
      const answer = secrets(request);
      return answer instanceof Promise ? answer.then(tenantSecrets) : tenantSecrets(answer);
    };
  if (scheme.needsKey && (secrets === undefined || secrets.length === 0)) {
    const none: Credentials = { tenant: "", secrets: [], labels: [], decoys: false };
    return () => none;
  }
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new MistakeError(
      `${caller}: "secrets" must have at least one secret, or be a function`,
      "CS_SECRET_INVALID",
    );
  const answer = { ...credentials("", secrets, caller), decoys: false };
  const check = (): ReturnType<SignatureScheme["check"]> => scheme.check(answer.secrets, "verify");
  for (const { warning } of withCode({ code: "CS_SECRET_INVALID", caller }, check))
    if (warning !== undefined) warnProcess("CS_SECRET_DOUBTFUL", `${caller}: ${warning}`);
  return () => answer;
}

function credentials(
  tenant: string,
  given: readonly (GivenSecret | undefined)[],
  caller: string,
): Credentials {
  const secrets: Secret[] = [];
  const labels: (string | undefined)[] = [];
  for (const [index, one] of given.entries()) {
    const labelled = typeof one === "object" && "secret" in one;
    const secret = labelled ? one.secret : one;
    if (secret === undefined)
      throw new MistakeError(
        `${caller}: secrets[${String(index)}] is undefined: is its environment variable set?`,
        "CS_SECRET_INVALID",
      );
    secrets.push(secret);
    labels.push(labelled ? one.label : undefined);
  }
  return { tenant, secrets, labels, decoys: true };
}

/** Plain JavaScript may return anything; the receiver answers 503 until the function is corrected. */
function tenantSecrets(answer: TenantSecrets): Credentials {
  if (Array.isArray(answer))
    throw new TypeError(
      '"secrets" must return { tenant, secrets }, not a list: without a tenant, one merchant could ' +
        'use up the event ids of another. Return { tenant: "", secrets } if there is only one',
    );
  if (typeof answer?.tenant !== "string" || !Array.isArray(answer.secrets))
    throw new TypeError('"secrets" must return { tenant, secrets }: a text and a list of secrets');
  // Stores write both as another character: two tenants would share one space of ids.
  if (!answer.tenant.isWellFormed() || answer.tenant.includes("\0"))
    throw new TypeError('"secrets" must return a well-formed "tenant" without NUL');
  return credentials(answer.tenant, answer.secrets, "secrets");
}

/**
 * Checks the option `url`.
 *
 * @throws {MistakeError} `CS_OPTION_INVALID` It is missing though the provider signs it, or is not an http or https URL without a query.
 */
export function checkUrl(
  url: string | undefined,
  scheme: SignatureScheme,
  caller: string,
): string | undefined {
  if (url === undefined) {
    if (!scheme.needsUrl) return undefined;
    throw new MistakeError(
      `${caller}: ${scheme.title} signs the URL: set "url" to the public URL that its dashboard has`,
    );
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!/^https?:$/.test(parsed?.protocol ?? "") || /[?#]/.test(url))
    throw new MistakeError(
      `${caller}: "url" must be the public http or https URL of this endpoint, without a query`,
    );
  return url;
}
