import { createHmac, timingSafeEqual, verify } from "node:crypto";
import { createScheme, type SchemeParts } from "./create-scheme.ts";
import { type BodyVariant, bodyVariants } from "./explain-bodies.ts";
import {
  type Explanation,
  explained,
  guess,
  type Mistake,
  timestampAge,
  timestampForm,
} from "./explain-causes.ts";
import { idsIn, type LenientHeaders, readLeniently, tokensIn } from "./explain-headers.ts";
import { type KeyVariant, keyVariants } from "./explain-secrets.ts";
import type { HmacAlgorithm } from "./hmac-description.ts";
import type { Attempt } from "./scheme.ts";
import { partsOf, type StatedScheme } from "./schemes.ts";
import type { Secret } from "./secret.ts";

export type { Cause, Explanation } from "./explain-causes.ts";

export interface ExplainOptions {
  /** The scheme that the receiver uses; Standard Webhooks by default. */
  readonly scheme?: StatedScheme;
  /** The receiver's clock when the attempt arrived, in **milliseconds** since the epoch. */
  readonly now: number;
  readonly toleranceSeconds?: number;
  /** Secrets of other endpoints and environments, by names that may be shown. */
  readonly otherSecrets?: Readonly<Record<string, Secret>>;
}

/** Most bodies, of the most likely ones, that are tried together with another change. */
const MAX_PAIRED_BODIES = 40;
/** Largest body of which two mistakes are undone together: an HMAC of a larger one takes too long for thousands of trials. */
const MAX_PAIRED_BYTES = 65_536;

/**
 * Explains why an attempt does not verify, for development: undoes usual mistakes until a signature matches. Pure.
 * Returns an empty list if the attempt verifies, and several causes if only all of them together explain it. An
 * unusable secret is a cause too, not an error.
 *
 * @throws {TypeError} The scheme's description, the clock or the tolerance is unusable.
 */
export function explain(
  attempt: Attempt,
  secrets: readonly Secret[],
  { scheme: stated = { scheme: "standard-webhooks" }, otherSecrets = {}, ...clock }: ExplainOptions,
): readonly Explanation[] {
  const parts = partsOf(stated);
  const headers = readLeniently(attempt.headers, parts);
  if (headers.problem !== undefined) {
    return [explained(headers.problem.cause, headers.problem.sentence)];
  }
  const keys = secrets.map((secret, index) => ({
    secret,
    ...keyVariants(secret, `secrets[${index}]`, parts.importSecret),
  }));
  const description = { ...parts.description, minSecretBytes: 1 };
  const scheme = createScheme({ ...parts, description });
  const isGenuine = keys.some(
    ({ secret, unusable }) => unusable === undefined && scheme.verify(attempt, [secret], clock).ok,
  );
  if (isGenuine) return [];

  const others = Object.entries(otherSecrets).flatMap(([name, secret]) =>
    keyVariants(secret, name, parts.importSecret)
      .variants.filter(({ mistake }) => mistake === undefined)
      .map(({ key }) => ({
        key,
        mistake: {
          cause: "secret-other" as const,
          statement: `the attempt is signed with the secret of ${name}`,
        },
      })),
  );
  const variants = keys.flatMap((one) => one.variants);
  const mistakes = search(attempt.body, headers, description, [...variants, ...others]);
  if (mistakes === undefined) {
    const configured = variants.filter(({ mistake }) => mistake === undefined);
    return [
      guess(attempt.body, headers, scheme.checkHeaders(attempt.headers), {
        kinds: configured.map(({ key }) => key.kind),
        unusable: keys.find((one) => one.unusable !== undefined)?.unusable,
      }),
    ];
  }
  const isSecretRight = !mistakes.some(({ cause }) => cause.startsWith("secret-"));
  const prefix = isSecretRight ? "Your secret is right, but " : "";
  const causes = mistakes.map(({ cause, statement }) =>
    explained(cause, `${prefix}${statement}.`.replace(/^the /, "The ")),
  );
  const { now, toleranceSeconds = description.toleranceSeconds ?? 300 } = clock;
  const time = timestampForm(headers) ?? timestampAge(headers, { now, toleranceSeconds });
  if (time !== undefined) causes.push(time);
  if (causes.length > 0) return causes;
  // Text, key and digest are right, and still the scheme refused the header.
  const { signature } = headers.names;
  return [
    explained(
      "signature-encoding",
      `The signature is right, but ${signature} is not written as the scheme says.`,
    ),
  ];
}

/** Undoes at most two mistakes at a time, one before two. Returns those that make a signature match. */
function search(
  body: Uint8Array,
  headers: LenientHeaders,
  description: SchemeParts["description"],
  keys: readonly KeyVariant[],
): readonly Mistake[] | undefined {
  const bodies: readonly BodyVariant[] = [{ bytes: body }, ...bodyVariants(body)];
  const ids: readonly { readonly id: string | undefined; readonly mistake?: Mistake }[] = [
    { id: headers.id },
    ...idsIn(body, headers).map((id) => ({
      id,
      mistake: {
        cause: "id-changed" as const,
        statement: `the id was changed: the sender signed ${id}, and ${headers.names.id} is ${headers.id}`,
      },
    })),
  ];
  const tokens = tokensIn(headers.signature);
  const { timestamp } = headers;
  for (const most of body.length > MAX_PAIRED_BYTES ? [0, 1] : [0, 1, 2]) {
    for (const { bytes, mistake } of most === 2 ? bodies.slice(0, MAX_PAIRED_BODIES) : bodies) {
      for (const { id, mistake: ofId } of ids) {
        for (const { key, mistake: ofKey } of keys) {
          const mistakes = [ofKey, mistake, ofId].filter((one) => one !== undefined);
          if (mistakes.length !== most) continue;
          const text = signedText(description, { id, timestamp, body: bytes });
          if (isMade(text, key, description.algorithm, tokens)) return mistakes;
        }
      }
    }
  }
  return undefined;
}

function signedText(
  { signed, separator }: SchemeParts["description"],
  values: {
    readonly id: string | undefined;
    readonly timestamp: string | undefined;
    readonly body: Uint8Array;
  },
): Uint8Array {
  const parts = signed.flatMap((part) => [Buffer.from(separator), Buffer.from(values[part] ?? "")]);
  return Buffer.concat(parts.slice(1));
}

function isMade(
  text: Uint8Array,
  { kind, object }: KeyVariant["key"],
  algorithm: HmacAlgorithm,
  tokens: readonly Uint8Array[],
): boolean {
  if (kind === "ed25519") {
    return tokens.some((token) => verify(null, text, object, token));
  }
  const digest = createHmac(algorithm, object).update(text).digest();
  // The sender chooses the tokens, and must not learn from the time how much of one is right.
  return tokens.some((token) => token.length === digest.length && timingSafeEqual(token, digest));
}
