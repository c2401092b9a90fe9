import { createHmac, timingSafeEqual, verify } from "node:crypto";
import { createScheme, type SchemeParts } from "./create-scheme.ts";
import { bodyVariants } from "./explain-bodies.ts";
import {
  type Cause,
  type Explanation,
  explained,
  guess,
  timestampProblem,
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

/** One value that is signed or signs, as it arrived or with a mistake undone. */
interface Change<Value> {
  /** `undefined` for the value as it arrived. */
  readonly cause: Cause | undefined;
  readonly statement: string;
  readonly value: Value;
}

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
  const keys = secrets.map((secret, index) =>
    keyVariants(secret, `secrets[${index}]`, parts.importSecret),
  );
  const description = { ...parts.description, minSecretBytes: 1 };
  const scheme = createScheme({ ...parts, description });
  const isGenuine = secrets.some(
    (secret, index) =>
      keys[index]?.unusable === undefined && scheme.verify(attempt, [secret], clock).ok,
  );
  if (isGenuine) return [];

  const others = Object.entries(otherSecrets).flatMap(([name, secret]) =>
    keyVariants(secret, name, parts.importSecret)
      .variants.filter(({ cause }) => cause === undefined)
      .map(({ key }) => ({
        cause: "secret-other" as const,
        mistake: `the attempt is signed with the secret of ${name}`,
        key,
      })),
  );
  const variants = keys.flatMap((one) => one.variants);
  const changes = search(attempt.body, headers, description, [...variants, ...others]);
  if (changes === undefined) {
    const checked = scheme.checkHeaders(attempt.headers);
    return [
      guess(attempt.body, headers, {
        refusal: checked.ok ? undefined : checked,
        unusable: keys.find((one) => one.unusable !== undefined)?.unusable,
        kinds: new Set(
          variants.flatMap(({ cause, key }) => (cause === undefined ? [key.kind] : [])),
        ),
      }),
    ];
  }
  const isSecretRight = !changes.some(({ cause }) => cause?.startsWith("secret-"));
  const prefix = isSecretRight ? "Your secret is right, but " : "";
  const causes = changes.flatMap(({ cause, statement }) =>
    cause === undefined
      ? []
      : [explained(cause, `${prefix}${statement}.`.replace(/^the /, "The "))],
  );
  const { toleranceSeconds = description.toleranceSeconds ?? 300 } = clock;
  const time = timestampProblem(headers, { now: clock.now, toleranceSeconds });
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
  keys: readonly Pick<KeyVariant, "cause" | "mistake" | "key">[],
): readonly Change<unknown>[] | undefined {
  const bodies: Change<Uint8Array>[] = [
    { cause: undefined, statement: "", value: body },
    ...bodyVariants(body).map(({ cause, change, bytes }) => ({
      cause,
      statement:
        cause === "body-reserialized"
          ? `something re-serialised the JSON: the sender signed ${bytes.length} bytes, ${body.length} arrived, and ${change}`
          : `the body was changed on its way: ${change}`,
      value: bytes,
    })),
  ];
  const ids: Change<string | undefined>[] = [
    { cause: undefined, statement: "", value: headers.id },
    ...idsIn(body, headers).map((id) => ({
      cause: "id-changed" as const,
      statement: `the id was changed: the sender signed ${id}, and ${headers.names.id ?? ""} is ${headers.id ?? ""}`,
      value: id,
    })),
  ];
  const tokens = tokensIn(headers.signature);
  for (const most of [0, 1, 2]) {
    if (most === 2 && body.length > MAX_PAIRED_BYTES) return undefined;
    for (const one of most === 2 ? bodies.slice(0, MAX_PAIRED_BODIES) : bodies) {
      for (const id of ids) {
        for (const { cause, mistake, key } of keys) {
          const secret = { cause, statement: mistake, value: key };
          const changes = [secret, one, id].filter((change) => change.cause !== undefined);
          if (changes.length !== most) continue;
          const text = signedText(description, {
            id: id.value,
            timestamp: headers.timestamp,
            body: one.value,
          });
          if (isMade(text, key, description.algorithm, tokens)) return changes;
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
  const parts = signed.flatMap((part, index) => [
    Buffer.from(index === 0 ? "" : separator),
    part === "body" ? values.body : Buffer.from(values[part] ?? ""),
  ]);
  return Buffer.concat(parts);
}

function isMade(
  text: Uint8Array,
  { kind, object }: KeyVariant["key"],
  algorithm: HmacAlgorithm,
  tokens: readonly Uint8Array[],
): boolean {
  if (kind === "ed25519") {
    return tokens.some((token) => token.length === 64 && verify(null, text, object, token));
  }
  const digest = createHmac(algorithm, object).update(text).digest();
  const { length } = digest;
  return tokens.some((token) => token.length === length && timingSafeEqual(token, digest));
}
