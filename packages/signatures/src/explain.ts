import { type Cause, type Explanation, explained, type Mistake } from "./explain-causes.ts";
import { bodyVariants, secretVariants, urlVariants, type Variant } from "./explain-variants.ts";
import { headerRecord } from "./headers.ts";
import type { KeyForm, Provider } from "./provider.ts";
import type { Attempt, Refused, SignatureScheme, Verification, VerifyOptions } from "./scheme.ts";
import { schemeOf } from "./scheme-of.ts";
import type { Secret } from "./secret.ts";

export { type Cause, explained, type Explanation } from "./explain-causes.ts";
export { bodyVariants, secretVariants } from "./explain-variants.ts";

export type ExplainOptions = Omit<VerifyOptions, "decoys">;

/**
 * Explains why an attempt does not verify, for development: undoes one usual mistake after the other until the scheme
 * accepts it. Pure. Returns an empty list if the attempt verifies, and two causes if the timestamp's age would refuse it
 * too. An unusable secret is a cause, not an error.
 *
 * @throws {TypeError} The document, the clock or the tolerance is unusable.
 */
export function explain(
  attempt: Attempt,
  secrets: readonly Secret[],
  provider: Provider,
  options: ExplainOptions,
): readonly Explanation[] {
  // Secrets of any length and without a prefix: a sender may use them.
  const { where = "" } = provider.secret ?? {};
  const scheme = schemeOf({ ...provider, secret: { where, minBytes: 1 } });
  const headers = headerRecord(attempt.headers);
  const own = { ...attempt, headers, places: undefined, checked: undefined };
  const refusal = scheme.checkHeaders(attempt.headers);
  if (!refusal.ok && /HEADER_(?:MISSING|DUPLICATE)$/.test(refusal.code))
    return [explainRefusal(refusal, attempt, provider)];

  const problems = secrets.map((secret, index) => problemOf(scheme, secret, index));
  const known = secrets.flatMap((secret, index) =>
    problems[index] === undefined ? secretVariants(secret, `secrets[${index}]`) : [],
  );
  const usable = known.filter(({ value }) => problemOf(scheme, value) === undefined);
  const keys: readonly Variant<readonly Secret[]>[] =
    options.key !== undefined && secrets.length === 0
      ? [{ value: [] }]
      : usable.map((one) => ({ ...one, value: [one.value] }));
  let first: Verification | undefined;
  for (const trial of trialsOf(own, keys)) {
    const verification = scheme.verify(trial.attempt, trial.secrets, options);
    first ??= trial.mistake === undefined ? verification : undefined;
    if (!isProved(verification, trial.mistake)) continue;
    const { mistake } = trial;
    const causes = mistake === undefined ? [] : [explainMistake(mistake, provider)];
    return verification.ok ? causes : [...causes, explainRefusal(verification, attempt, provider)];
  }
  const reason = refusal.ok ? first : refusal;
  const explanation =
    reason === undefined || reason.ok
      ? explained("secret-unusable", "No secret is configured.")
      : explainRefusal(reason, attempt, provider);
  const problem = problems.find((one) => one !== undefined);
  return problem !== undefined && explanation.cause.startsWith("secret-")
    ? [explained("secret-unusable", `${problem}.`)]
    : [explanation];
}

function problemOf(scheme: SignatureScheme, secret: Secret, index = 0): string | undefined {
  try {
    scheme.check([secret], "verify");
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.replace("secrets[0]", `secrets[${index}]`);
  }
}

interface Trial {
  readonly attempt: Attempt;
  readonly secrets: readonly Secret[];
  readonly mistake: Mistake | undefined;
}

/** Yields the attempt as it is, and then with one mistake undone: of a secret, of its body, of its URL. */
function* trialsOf(
  attempt: Attempt,
  keys: readonly Variant<readonly Secret[]>[],
): Generator<Trial> {
  const own = keys.filter(({ mistake }) => mistake === undefined);
  const doubtful = keys.filter(({ mistake }) => mistake !== undefined);
  for (const { value, mistake } of [...own, ...doubtful])
    yield { attempt, secrets: value, mistake };
  for (const { value: body, mistake } of bodyVariants(attempt.body))
    for (const { value } of own) yield { attempt: { ...attempt, body }, secrets: value, mistake };
  for (const { value: url, mistake } of urlVariants(attempt.url, headerRecord(attempt.headers)))
    for (const { value } of own) yield { attempt: { ...attempt, url }, secrets: value, mistake };
}

/** Secrets by the form of their key; Standard Webhooks has several forms, which its fix names. */
const FORMS: Partial<Record<KeyForm, string>> = {
  text: "text, which is used as it is",
  hex: "hexadecimal digits, which are decoded",
  base64: "base64, which is decoded",
};

function explainMistake({ cause, statement }: Mistake, provider: Provider): Explanation {
  const prefix = cause.startsWith("secret-") ? "" : "Your secret is right, but ";
  const explanation = explained(cause, `${prefix}${statement}.`.replace(/^the /, "The "));
  const form = cause === "secret-encoding" && FORMS[provider.signature.key ?? "text"];
  if (!form) return explanation;
  const fix = `The secret of ${provider.title} is ${form}: configure it in this form, or change how your sender reads it.`;
  return { ...explanation, fix };
}

/** True if the signature is genuine, and only the time or, of the unchanged attempt, a claim is refused. */
const isProved = (verification: Verification, mistake: Mistake | undefined): boolean =>
  verification.ok ||
  /_(?:TOO_OLD|TOO_NEW|CONDITION_UNMET)$/.test(verification.code) ||
  (mistake === undefined && verification.code === "CS_SIGNATURE_TOKEN_INVALID");

/** Explains a refusal that no usual mistake accounts for. */
function explainRefusal(
  { code, facts }: Refused,
  { headers, body }: Attempt,
  provider: Provider,
): Explanation {
  if (code.endsWith("_MISMATCH")) return explainMismatch(headers, body);
  const { header = "", place = header, clockDifferenceSeconds: ahead = 0 } = facts;
  const { title, timestamp: { unit = "s", toleranceSeconds = 0 } = {} } = provider;
  const age = `The timestamp is ${Math.abs(ahead)} s ${ahead < 0 ? "old" : "ahead of this clock"}, and the tolerance is ${toleranceSeconds} s.`;
  const value: readonly [Cause, string] = [
    "value-missing",
    `The value at ${place} is not what ${title} sends (${code}).`,
  ];
  const known: Partial<Record<string, readonly [Cause, string]>> = {
    HEADER_MISSING: [
      "header-missing",
      `The header ${header} is missing${similarTo(header, headers)}.`,
    ],
    HEADER_DUPLICATE: [
      "header-joined",
      `The header ${header} arrived twice, or was joined with another value.`,
    ],
    TIMESTAMP_INVALID: [
      "timestamp-invalid",
      `The timestamp in ${place} is not in the unit ${unit}.`,
    ],
    TIMESTAMP_TOO_OLD: ["timestamp-too-old", age],
    TIMESTAMP_TOO_NEW: ["timestamp-ahead", age],
    VERSION_UNSUPPORTED: [
      "signature-version",
      `The attempt carries no signature of the kind that the configured secrets of ${title} verify.`,
    ],
    ID_INVALID: value,
    PLACE_MISSING: value,
    PLACE_INVALID: value,
    CONDITION_UNMET: value,
    TOKEN_INVALID: ["token-invalid", `The claim at ${place} is not as expected.`],
  };
  const [cause, sentence] = known[code.slice("CS_SIGNATURE_".length)] ?? [
    "signature-form",
    `The signature in ${place} is not in the form of ${title} (${code}).`,
  ];
  return explained(cause, sentence);
}

/** Names the most likely cause of a signature that nothing explains. */
function explainMismatch(headers: Attempt["headers"], body: Uint8Array): Explanation {
  const announced = headerRecord(headers)["content-length"];
  const length = announced === undefined ? undefined : Number(announced);
  const text = Buffer.from(body.subarray(0, 65_536)).toString();
  if (body.length === 0 && length !== 0)
    return explained("body-missing", "The body is empty.", length !== undefined);
  if (text === "[object Object]")
    return explained("body-missing", `The body is "${text}": parsed JSON converted to text.`);
  if (length !== undefined && length !== body.length)
    return explained(
      "body-length",
      `The sender announced ${length} bytes (Content-Length), and ${body.length} arrived.`,
    );
  const [cause, sentence] = text.includes("\uFFFD")
    ? ([
        "body-charset",
        "The body contains U+FFFD: its bytes were probably decoded with a wrong character set.",
      ] as const)
    : ([
        "secret-other",
        "No configured secret made this signature, and no usual change of the request explains it: the secret probably belongs to another endpoint or environment (test or live), or the body's content was changed.",
      ] as const);
  return explained(cause, sentence, false);
}

/** Names a header that may be the missing one under another name: `webhook_id`, `svix-id`. */
function similarTo(missing: string, headers: Attempt["headers"]): string {
  const end = missing.slice(missing.lastIndexOf("-") + 1);
  const other = Object.keys(headerRecord(headers)).find(
    (name) => /sign|webhook|svix|hook/.test(name) && name.endsWith(end),
  );
  return other === undefined ? "" : `, but ${other} is present`;
}
