import type { Attempt as SignedAttempt, Secret, SignatureScheme } from "@countersign/signatures";
import { MistakeError, withCode } from "../mistake.ts";
import type { GivenSecret, ReceiverOptions, SecretsOption, TenantSecrets } from "../options.ts";
import type { Deadline } from "./admission.ts";
import { failed, type FailureCode, type Outcome, rejected } from "./outcome.ts";
import type { Credentials, FindCredentials, ProviderParts } from "./parts.ts";
import { warnProcess } from "../runtime.ts";

/**
 * Checks the secrets and the URL now; the answer of a function is checked with each attempt.
 *
 * @throws {MistakeError} `CS_SECRET_INVALID` The scheme could not verify with them.
 */
export function checkSecrets(
  secrets: SecretsOption | undefined,
  { provider, scheme }: Pick<ProviderParts, "provider" | "scheme">,
  caller: string,
): Credentials | FindCredentials {
  if (typeof secrets === "function") {
    const watched = watchTenants();
    return async ({ headers, path, url }) => {
      const from = path ?? (url === undefined ? undefined : pathOf(url));
      return watched(tenantSecrets(await secrets({ headers, path: from })));
    };
  }
  const isSigned = provider.signature.signed?.includes("secret") === true;
  if (scheme.needsKey && !isSigned && (secrets === undefined || secrets.length === 0)) {
    return { tenant: "", secrets: [], labels: [], decoys: false };
  }
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new MistakeError(
      `${caller}: "secrets" must have at least one secret, or be a function.${shownAt(provider)}`,
      "CS_SECRET_INVALID",
    );
  const answer = { tenant: "", ...labelled(secrets, caller, provider), decoys: false };
  const check = (): ReturnType<SignatureScheme["check"]> => scheme.check(answer.secrets, "verify");
  for (const { warning } of withCode({ code: "CS_SECRET_INVALID", caller }, check))
    if (warning !== undefined) warnProcess("CS_SECRET_DOUBTFUL", `${caller}: ${warning}`);
  return answer;
}

/** Returns the path of a request's target or URL as it was sent, without scheme, authority and query. */
function pathOf(url: string): string {
  const [, path = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? [];
  return path === "" ? "/" : path;
}

const shownAt = ({ title = "", secret }: Partial<ProviderParts["provider"]>): string =>
  secret === undefined ? "" : ` ${title} shows it at: ${secret.where}`;

/** @throws {MistakeError} `CS_SECRET_INVALID` a secret is `undefined`. */
export function labelled(
  given: readonly (GivenSecret | undefined)[],
  caller: string,
  provider: Partial<ProviderParts["provider"]> = {},
): Pick<Credentials, "secrets" | "labels"> {
  const secrets: Secret[] = [];
  const labels: (string | undefined)[] = [];
  for (const [index, one] of given.entries()) {
    const isLabelled = typeof one === "object" && "secret" in one;
    const secret = isLabelled ? one.secret : one;
    if (secret === undefined)
      throw new MistakeError(
        `${caller}: secrets[${String(index)}] is undefined: is its environment variable set?${shownAt(provider)}`,
        "CS_SECRET_INVALID",
      );
    secrets.push(secret);
    labels.push(isLabelled ? one.label : undefined);
  }
  return { secrets, labels };
}

/** Most secrets whose tenants are compared. */
const MAX_WATCHED = 1000;

/** Warns once if tenants share a secret: whoever has one attempt could send it as another tenant's. */
function watchTenants(): (found: Credentials) => Credentials {
  const tenantOf = new Map<string, string>();
  let isShared = false;
  return (found) => {
    for (const secret of isShared ? [] : found.secrets) {
      if (typeof secret !== "string") continue;
      const tenant = tenantOf.get(secret);
      if (tenant === undefined && tenantOf.size < MAX_WATCHED) tenantOf.set(secret, found.tenant);
      if (tenant === undefined || tenant === found.tenant) continue;
      isShared = true;
      warnProcess(
        "CS_TENANT_UNPROVED",
        '"secrets" returned one secret for several tenants: the signature does not prove whose event it is. ' +
          'Give each tenant its own secret, or return the tenant "" and read the tenant from what is signed',
      );
    }
    return found;
  };
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
  return { tenant: answer.tenant, ...labelled(answer.secrets, "secrets"), decoys: true };
}

/** Calls a function of the app within the attempt's time. A source that is down is the receiver's failure, never a refusal. */
export async function ask<Answer>(
  { option, code }: { readonly option: "secrets" | "keyOf"; readonly code: FailureCode },
  call: () => Promise<Answer>,
  deadline: Deadline<Outcome>,
): Promise<Answer | Outcome> {
  const late = (): Outcome =>
    failed(code, new Error(`"${option}" did not answer within limits.answerMs`));
  try {
    return await deadline.during(late, call);
  } catch (error) {
    return failed(code, error);
  }
}

/** The value by which an attempt names its key, and that key. */
export interface NamedKey {
  readonly name: string;
  readonly text: string;
}

/** Looks up the key that an attempt names. */
export async function findKey(
  keys: KeyCache,
  attempt: SignedAttempt,
  deadline: Deadline<Outcome>,
  scheme: SignatureScheme,
): Promise<NamedKey | Outcome> {
  const name = scheme.keyPlace(attempt);
  if (typeof name === "object") return rejected(name.code, { facts: name.facts });
  const source = { option: "keyOf", code: "CS_KEY_UNAVAILABLE" } as const;
  const text = name && (await ask(source, () => keys.get(name), deadline));
  if (typeof text === "object") return text;
  return name === undefined || text === undefined ? rejected("CS_KEY_UNKNOWN") : { name, text };
}

/** Time for which the answer about a name is used, in milliseconds: a key that has verified an attempt, and any other. */
const PROVED_MS = 3_600_000;
const UNPROVED_MS = 60_000;
const MAX_KEYS = 100;
/** Look-ups at once, and the time after which one more is allowed. */
const BURST = 20;
const LOOKUP_MS = 1000;

type KeyOf = NonNullable<ReceiverOptions<unknown>["keyOf"]>;

interface Kept {
  readonly key: Promise<string | undefined>;
  readonly askedAt: number;
  until: number;
  /** True if this name's key has verified an attempt. */
  isProved: boolean;
}

/** @throws {TypeError} The app's function returned something else than a key. */
function keyText(key: unknown): string | undefined {
  if (key === undefined || key === null || typeof key === "string") return key ?? undefined;
  if (typeof key === "object") return JSON.stringify(key);
  throw new TypeError(
    '"keyOf" must return PEM or JWK text, a JWK, or undefined for an unknown key',
  );
}

/**
 * Keys that attempts name, such as certificates or a JWKS's keys, looked up by the user's function and kept.
 *
 * A stranger may send any number of names that the document allows. A key that has verified an attempt is evicted
 * after all others, and look-ups of strangers' names do not count when it is looked up again. A key that is new to this
 * process shares 20 look-ups, and one more a second, with all other new names: while strangers send more than that,
 * its attempts may be answered 503, until one of the sender's retries finds a look-up free.
 */
export class KeyCache {
  readonly #find: KeyOf;
  readonly #elapsed: () => number;
  readonly #kept = new Map<string, Kept>();
  /** When all look-ups are free again, of proved names and of new ones. */
  readonly #freeAt = { proved: 0, new: 0 };

  constructor(find: KeyOf, elapsed: () => number) {
    this.#find = find;
    this.#elapsed = elapsed;
  }

  /**
   * Returns the key of a value that the document allows, or `undefined` if its source knows none. Attempts that name
   * one key share its look-up.
   *
   * @throws the source is unavailable, or was asked too often.
   */
  get(value: string): Promise<string | undefined> {
    const now = this.#elapsed();
    const known = this.#kept.get(value);
    if (known !== undefined && now < known.until) return known.key;
    const isProved = known?.isProved === true;
    const kind = isProved ? "proved" : "new";
    const freeAt = Math.max(this.#freeAt[kind], now) + LOOKUP_MS;
    if (freeAt - now > BURST * LOOKUP_MS)
      return Promise.reject(
        new Error(`more than ${String(BURST)} look-ups of ${kind} keys at once`),
      );
    this.#freeAt[kind] = freeAt;
    const key = Promise.resolve(value).then(this.#find).then(keyText);
    const kept = { key, askedAt: now, until: now + UNPROVED_MS, isProved };
    this.#evictFor(value);
    this.#kept.set(value, kept);
    // A failed look-up is repeated by the next attempt.
    key.catch(() => {
      kept.until = 0;
    });
    return key;
  }

  /** Records that the key of this name has verified an attempt: no stranger can do that. */
  prove(value: string): void {
    const kept = this.#kept.get(value);
    if (kept === undefined) return;
    kept.isProved = true;
    kept.until = kept.askedAt + PROVED_MS;
  }

  #evictFor(value: string): void {
    this.#kept.delete(value);
    if (this.#kept.size < MAX_KEYS) return;
    const names = [...this.#kept.keys()];
    const evicted = names.find((name) => this.#kept.get(name)?.isProved !== true) ?? names[0];
    if (evicted !== undefined) this.#kept.delete(evicted);
  }
}
