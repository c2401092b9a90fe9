import { checkMinSecretBytes } from "./secret.ts";

/** The encoding of bytes in a header: padded base64 of the standard alphabet, or lower-case hexadecimal. */
export type Encoding = "base64" | "hex";

/** The hash functions for HMAC (RFC 2104). SHA-1 is left out on purpose. */
export type HmacAlgorithm = "sha256" | "sha384" | "sha512";

/** Bytes of a digest. */
export const DIGEST_BYTES: Readonly<Record<HmacAlgorithm, number>> = {
  sha256: 32,
  sha384: 48,
  sha512: 64,
};

/** A part of the signed text. */
export type SignedPart = "id" | "timestamp" | "body";

/**
 * The form of the signature header.
 *
 * - `single`: one signature after `prefix`, which may be empty: `sha256=…`. Signing takes one secret; verifying
 *   still tries several.
 * - `list`: several, each after `prefix`, between separators: `v1,… v1,…`. Entries with another prefix are skipped.
 * - `pairs`: the timestamp and one or more signatures as `name=value` between commas: `t=…,v1=…,v1=…`. Other names
 *   are skipped; the timestamp appears once.
 */
export type SignatureForm =
  | { readonly kind: "single"; readonly prefix: string }
  | { readonly kind: "list"; readonly prefix: string; readonly separator: " " | "," }
  | { readonly kind: "pairs"; readonly timestamp: string; readonly signature: string };

/**
 * An HMAC scheme as JSON, so that a profile can define one without code.
 *
 * The body is always signed. An id or a timestamp is either sent (in a header or as a pair) and signed, or absent: a
 * value that is not signed is not reported.
 */
export interface HmacDescription {
  /** For logs: 1 to 64 characters of `[a-z0-9-]`. */
  readonly name: string;
  readonly algorithm: HmacAlgorithm;
  readonly encoding: Encoding;
  /** Names as they are sent; they are read in any case. */
  readonly headers: {
    readonly signature: string;
    readonly timestamp?: string;
    readonly id?: string;
  };
  readonly form: SignatureForm;
  /** The parts of the signed text in their order, each at most once, `body` exactly once. */
  readonly signed: readonly SignedPart[];
  /**
   * The text between the parts: 1 to 4 ASCII characters that no id or timestamp can contain, so that the signed text
   * splits in one way only. It may be empty between `timestamp` and `body`, and if only the body is signed; a
   * timestamp without a separator has exactly ten digits (the years 2001 to 2286), for the same reason.
   */
  readonly separator: string;
  /** In whole seconds, inclusive; 300 by default. Only with a timestamp. */
  readonly toleranceSeconds?: number;
  /**
   * Fewest bytes of a secret: an integer from 1 to 64, 24 by default. A lower number admits keys that a stranger with
   * one signed attempt can search for offline.
   */
  readonly minSecretBytes?: number;
}

/** A header name (RFC 9110 section 5.1). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const NAME = /^[a-z0-9-]{1,64}$/;
const PAIR_NAME = /^[A-Za-z0-9_]{1,32}$/;
const PREFIX = /^[\x21-\x7e]{0,32}$/;
/** ASCII without the characters of ids and timestamps. */
const SEPARATOR = /^[\n\x20-\x2c./\x3a-\x40\x5b-\x5e`\x7b-\x7e]{1,4}$/;

const MEMBERS =
  "name algorithm encoding headers form signed separator toleranceSeconds minSecretBytes";

/**
 * Checks a description that may come from a document.
 *
 * @throws {TypeError} A member is missing, unknown or out of its bounds; the signed text lacks the body or could be
 *   split in two ways; an id or a timestamp is sent unsigned or signed unsent.
 */
export function checkDescription(description: HmacDescription): void {
  demandMembers(description, MEMBERS, "the description");
  const { name, algorithm, encoding, headers, form, signed } = description;
  demand(isText(name, NAME), '"name" must be 1 to 64 characters of a-z, 0-9 and "-"');
  demand(
    typeof algorithm === "string" && Object.hasOwn(DIGEST_BYTES, algorithm),
    '"algorithm" must be sha256, sha384 or sha512',
  );
  demand(encoding === "base64" || encoding === "hex", '"encoding" must be base64 or hex');
  demandMembers(headers, "signature timestamp id", '"headers"');
  demand(headers.signature !== undefined, '"headers" must name the header of the signature');
  const names = [headers.signature, headers.timestamp, headers.id].filter(
    (one) => one !== undefined,
  );
  demand(
    names.every((one) => isText(one, FIELD_NAME)),
    "a header's name must be a token",
  );
  demand(
    new Set(names.map((one) => one.toLowerCase())).size === names.length,
    '"headers" must name different headers',
  );
  checkForm(form);
  checkSigned(description);
  if (description.minSecretBytes !== undefined) checkMinSecretBytes(description.minSecretBytes);
  if (description.toleranceSeconds === undefined) return;
  demand(signed.includes("timestamp"), '"toleranceSeconds" needs a signed timestamp');
  checkTolerance(description.toleranceSeconds);
}

/** @throws {TypeError} Not a whole number of seconds: NaN or Infinity would silently accept every age. */
export function checkTolerance(toleranceSeconds: number): void {
  demand(
    Number.isSafeInteger(toleranceSeconds) && toleranceSeconds >= 0,
    'invalid "toleranceSeconds": expected a non-negative integer',
  );
}

function checkForm(form: SignatureForm): void {
  switch (form?.kind) {
    case "single":
      demandMembers(form, "kind prefix", '"form"');
      demand(isText(form.prefix, PREFIX), '"prefix" must be at most 32 printable characters');
      return;
    case "list":
      demandMembers(form, "kind prefix separator", '"form"');
      demand(isText(form.prefix, PREFIX), '"prefix" must be at most 32 printable characters');
      demand(
        form.separator === " " || form.separator === ",",
        'the separator of a list must be " " or ","',
      );
      demand(!form.prefix.includes(form.separator), '"prefix" must not contain the separator');
      return;
    case "pairs":
      demandMembers(form, "kind timestamp signature", '"form"');
      demand(
        isText(form.timestamp, PAIR_NAME) && isText(form.signature, PAIR_NAME),
        'a pair\'s name must be 1 to 32 characters of A-Z, a-z, 0-9 and "_"',
      );
      demand(form.timestamp !== form.signature, '"form" must have two different names');
      return;
    default:
      form satisfies never;
      demand(false, '"form" must be an object of kind single, list or pairs');
  }
}

function checkSigned({ signed, separator, headers, form }: HmacDescription): void {
  demand(
    Array.isArray(signed) &&
      signed.every((part: unknown) => part === "id" || part === "timestamp" || part === "body"),
    '"signed" must be a list of id, timestamp and body',
  );
  demand(new Set(signed).size === signed.length, '"signed" must contain no part twice');
  // A signature that leaves the body out is genuine for every body.
  demand(signed.includes("body"), '"signed" must contain the body');
  demand(
    signed.includes("id") === (headers.id !== undefined),
    "an id must be both signed and named as a header, or neither",
  );
  const isPairs = form.kind === "pairs";
  demand(
    !isPairs || headers.timestamp === undefined,
    "the timestamp of pairs is part of the signature's header",
  );
  demand(
    signed.includes("timestamp") === (isPairs || headers.timestamp !== undefined),
    "a timestamp must be both signed and sent, or neither",
  );
  demand(
    separator === "" ? !signed.includes("id") : isText(separator, SEPARATOR),
    '"separator" must be 1 to 4 characters that no id and no timestamp contains; it may be empty only if no id is signed',
  );
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

/** A misspelt member would otherwise silently mean a default. */
function demandMembers(value: object, known: string, at: string): void {
  demand(
    typeof value === "object" && value !== null && !Array.isArray(value),
    `${at} must be an object`,
  );
  for (const member of Object.keys(value)) {
    demand(
      known.split(" ").includes(member),
      `${at} has an unknown member ${JSON.stringify(member)}`,
    );
  }
}

function demand(isMet: boolean, message: string): void {
  if (!isMet) throw new TypeError(message);
}
