import { bodyVariants } from "./explain-bodies.ts";
import { type Cause, type Explanation, explained, type Mistake } from "./explain-causes.ts";
import { attemptVariants, secretVariants, type Variant } from "./explain-variants.ts";
import { headerRecord } from "./headers.ts";
import type { Provider } from "./provider.ts";
import type { Attempt, Refused, SignatureScheme, Verification, VerifyOptions } from "./scheme.ts";
import { schemeOf } from "./scheme-of.ts";
import type { Secret } from "./secret.ts";

export { bodyVariants } from "./explain-bodies.ts";
export { type Cause, explained, type Explanation } from "./explain-causes.ts";
export { secretVariants } from "./explain-variants.ts";

export interface ExplainOptions extends Omit<VerifyOptions, "decoys"> {
  /** Secrets of other endpoints and environments, by names that may be shown. */
  readonly otherSecrets?: Readonly<Record<string, Secret>>;
}

/** Most bodies, of the most likely ones, that are tried together with another change. */
const MAX_PAIRED_BODIES = 40;
/** Largest body of which two mistakes are undone together: an HMAC of a larger one takes too long for so many trials. */
const MAX_PAIRED_BYTES = 65_536;

/**
 * Explains why an attempt does not verify, for development: undoes usual mistakes until the scheme accepts it. Pure.
 * Returns an empty list if the attempt verifies, and several causes if only all of them together explain it. An
 * unusable secret is a cause too, not an error.
 *
 * @throws {TypeError} The document, the clock or the tolerance is unusable.
 */
export function explain(
  attempt: Attempt,
  secrets: readonly Secret[],
  provider: Provider,
  { otherSecrets = {}, ...options }: ExplainOptions,
): readonly Explanation[] {
  const scheme = lenientScheme(provider);
  const headers = headerRecord(attempt.headers);
  const own = { ...attempt, headers, places: undefined, checked: undefined };
  const refusal = scheme.checkHeaders(attempt.headers);
  if (!refusal.ok && /HEADER_(?:MISSING|DUPLICATE)$/.test(refusal.code))
    return [explainRefusal(refusal, attempt, provider)];

  const unusable: string[] = [];
  const known = secrets.flatMap((secret, index) => {
    const at = `secrets[${index}]`;
    const problem = problemOf(scheme, secret, at);
    if (problem !== undefined) unusable.push(problem);
    return secretVariants(secret, at);
  });
  const others = Object.entries(otherSecrets).map(([name, value]) => {
    const statement = `the attempt is signed with the secret of ${name}`;
    return { value, mistake: { cause: "secret-other" as const, statement } };
  });
  const keys = [...known, ...others].filter(({ value }) => problemOf(scheme, value) === undefined);
  const trials = { scheme, provider, keys, options };
  const found = search(own, trials);
  if (found === undefined) {
    const first = keys.find(({ mistake }) => mistake === undefined);
    const verification = first && scheme.verify(own, [first.value], options);
    const reason = refusal.ok ? verification : refusal;
    const explanation =
      reason === undefined || reason.ok
        ? explained("secret-unusable", "No secret is configured.")
        : explainRefusal(reason, attempt, provider);
    const [problem] = unusable;
    const isSecret = explanation.cause.startsWith("secret-");
    return [
      problem !== undefined && isSecret ? explained("secret-unusable", `${problem}.`) : explanation,
    ];
  }
  const { mistakes, verification } = found;
  const isSecretRight = !mistakes.some(({ cause }) => cause.startsWith("secret-"));
  const prefix = isSecretRight ? "Your secret is right, but " : "";
  const causes = mistakes.map(({ cause, statement }) =>
    explained(cause, `${prefix}${statement}.`.replace(/^the /, "The ")),
  );
  return verification.ok ? causes : [...causes, explainRefusal(verification, attempt, provider)];
}

/** Returns the provider's scheme, with secrets of any length and without a prefix. */
function lenientScheme(provider: Provider): SignatureScheme {
  const { where = "" } = provider.secret ?? {};
  return schemeOf({ ...provider, secret: { where, minBytes: 1 } });
}

function problemOf(scheme: SignatureScheme, secret: Secret, at = ""): string | undefined {
  try {
    scheme.check([secret], "verify");
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replace("secrets[0]", at);
  }
}

interface Trials {
  readonly scheme: SignatureScheme;
  readonly provider: Provider;
  readonly keys: readonly Variant<Secret>[];
  readonly options: VerifyOptions;
}

interface Found {
  readonly mistakes: readonly Mistake[];
  readonly verification: Verification;
}

/** Undoes at most two mistakes at a time, one before two, until the signature is genuine. */
function search(attempt: Attempt, { scheme, provider, keys, options }: Trials): Found | undefined {
  const bodies: readonly Variant<Uint8Array>[] = [
    { value: attempt.body },
    ...bodyVariants(attempt.body),
  ];
  const attempts: readonly Variant<Partial<Attempt>>[] = [
    { value: {} },
    ...attemptVariants(attempt, provider),
  ];
  for (const most of attempt.body.length > MAX_PAIRED_BYTES ? [0, 1] : [0, 1, 2]) {
    for (const body of most === 2 ? bodies.slice(0, MAX_PAIRED_BODIES) : bodies) {
      for (const { value, mistake } of attempts) {
        for (const key of keys) {
          const mistakes = [key.mistake, body.mistake, mistake].filter((one) => one !== undefined);
          if (mistakes.length !== most) continue;
          const trial = { ...attempt, ...value, body: body.value };
          const verification = scheme.verify(trial, [key.value], options);
          if (isProved(verification, most === 0)) return { mistakes, verification };
        }
      }
    }
  }
  return undefined;
}

/** True if the signature is genuine, and only the time or, of the unchanged attempt, a claim is refused. */
const isProved = (verification: Verification, isUnchanged: boolean): boolean =>
  verification.ok ||
  /_(?:TOO_OLD|TOO_NEW|CONDITION_UNMET)$/.test(verification.code) ||
  (isUnchanged && verification.code === "CS_SIGNATURE_TOKEN_INVALID");

/** Explains a refusal that no usual mistake accounts for. */
function explainRefusal(
  { code, facts }: Refused,
  { headers, body }: Attempt,
  provider: Provider,
): Explanation {
  if (code.endsWith("_MISMATCH")) return explainMismatch(headers, body);
  const { header = "", place = header, clockDifferenceSeconds: ahead = 0 } = facts;
  const { title, timestamp: { unit = "s", toleranceSeconds = 0 } = {} } = provider;
  const isMilliseconds = /(?:^|=)\d{13}(?:$|[,;])/.test(headerRecord(headers)[header] ?? "");
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
    ID_INVALID: ["id-changed", `The id in ${header} is not a valid id.`],
    TIMESTAMP_INVALID: isMilliseconds
      ? [
          "timestamp-milliseconds",
          `The timestamp in ${place} is in milliseconds, not in the unit ${unit}.`,
        ]
      : ["timestamp-invalid", `The timestamp in ${place} is not in the unit ${unit}.`],
    TIMESTAMP_TOO_OLD: ["timestamp-too-old", age],
    TIMESTAMP_TOO_NEW: ["timestamp-ahead", age],
    VERSION_UNSUPPORTED: [
      "signature-version",
      `The attempt carries no signature of the kind that the configured secrets of ${title} verify.`,
    ],
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
  const text = Buffer.from(body.subarray(0, MAX_PAIRED_BYTES)).toString();
  if (body.length === 0 && length !== 0)
    return explained("body-missing", "The body is empty.", length !== undefined);
  if (text === "[object Object]")
    return explained("body-parsed", `The body is "${text}": parsed JSON converted to text.`);
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
