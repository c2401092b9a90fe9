import { checkTolerance } from "./caller.ts";
import { DIGEST_BYTES } from "./hmac.ts";
import type { HmacDescription, SignatureForm } from "./hmac-description.ts";
import { checkMinSecretBytes } from "./secret.ts";

/** A header name (RFC 9110 section 5.1). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const NAME = /^[a-z0-9-]{1,64}$/;
const PAIR_NAME = /^[A-Za-z0-9_]{1,32}$/;
const PREFIX = /^[\x21-\x7e]{0,32}$/;
/** ASCII without what an id or a timestamp is made of. */
const SEPARATOR = /^[\n\x20-\x2c./\x3a-\x40\x5b-\x5e`\x7b-\x7e]{1,4}$/;

const MEMBERS: readonly (keyof HmacDescription)[] = [
  "name",
  "algorithm",
  "encoding",
  "headers",
  "form",
  "signed",
  "separator",
  "toleranceSeconds",
  "minSecretBytes",
];

/**
 * Judges a description that may come from a document.
 *
 * @throws {TypeError} A member is missing, unknown or out of its bounds; the signed text lacks the
 *   body or could be split in two ways; an id or a timestamp is sent unsigned or signed unsent.
 */
export function checkDescription(description: HmacDescription): void {
  demand(isRecord(description), "the description must be an object");
  demandMembers(description, MEMBERS, "the description");
  const { name, algorithm, encoding, toleranceSeconds, minSecretBytes } = description;
  demand(isText(name, NAME), '"name" must be 1 to 64 characters of a-z, 0-9 and "-"');
  demand(
    typeof algorithm === "string" && Object.hasOwn(DIGEST_BYTES, algorithm),
    '"algorithm" must be sha256, sha384 or sha512',
  );
  demand(encoding === "base64" || encoding === "hex", '"encoding" must be base64 or hex');
  checkHeaders(description.headers);
  checkForm(description.form);
  checkSigned(description);
  if (minSecretBytes !== undefined) checkMinSecretBytes(minSecretBytes);
  if (toleranceSeconds !== undefined) {
    demand(description.signed.includes("timestamp"), '"toleranceSeconds" needs a signed timestamp');
    checkTolerance(toleranceSeconds);
  }
}

function checkHeaders(headers: HmacDescription["headers"]): void {
  demand(isRecord(headers), '"headers" must be an object');
  demandMembers(headers, ["signature", "timestamp", "id"], '"headers"');
  const { signature, timestamp, id } = headers;
  demand(signature !== undefined, '"headers" must name the header of the signature');
  const names = [signature, timestamp, id].filter((name) => name !== undefined);
  for (const name of names) demand(isText(name, FIELD_NAME), "a header's name must be a token");
  demand(
    new Set(names.map((name) => name.toLowerCase())).size === names.length,
    '"headers" must name different headers',
  );
}

function checkForm(form: SignatureForm): void {
  demand(isRecord(form), '"form" must be an object');
  switch (form.kind) {
    case "single":
      demandMembers(form, ["kind", "prefix"], '"form"');
      demand(isText(form.prefix, PREFIX), '"prefix" must be at most 32 printable characters');
      return;
    case "list":
      demandMembers(form, ["kind", "prefix", "separator"], '"form"');
      demand(isText(form.prefix, PREFIX), '"prefix" must be at most 32 printable characters');
      demand(
        form.separator === " " || form.separator === ",",
        'the separator of a list must be " " or ","',
      );
      demand(!form.prefix.includes(form.separator), '"prefix" must not hold the separator');
      return;
    case "pairs":
      demandMembers(form, ["kind", "timestamp", "signature"], '"form"');
      demand(
        isText(form.timestamp, PAIR_NAME) && isText(form.signature, PAIR_NAME),
        'a pair\'s name must be 1 to 32 characters of A-Z, a-z, 0-9 and "_"',
      );
      demand(form.timestamp !== form.signature, '"form" must have two different names');
      return;
    default:
      form satisfies never;
      throw new TypeError('"form" must be of kind single, list or pairs');
  }
}

function checkSigned({ signed, separator, headers, form }: HmacDescription): void {
  demand(Array.isArray(signed), '"signed" must be a list of parts');
  for (const part of signed) {
    demand(
      part === "id" || part === "timestamp" || part === "body",
      'a part of "signed" must be id, timestamp or body',
    );
  }
  demand(new Set(signed).size === signed.length, '"signed" must hold no part twice');
  // A signature that leaves the body out is genuine for every body.
  demand(signed.includes("body"), '"signed" must hold the body');
  demand(
    signed.includes("id") === (headers.id !== undefined),
    "an id must be both signed and named as a header, or neither",
  );
  demand(
    form.kind !== "pairs" || headers.timestamp === undefined,
    "the timestamp of pairs stands in the signature's header",
  );
  demand(
    signed.includes("timestamp") === (form.kind === "pairs" || headers.timestamp !== undefined),
    "a timestamp must be both signed and sent, or neither",
  );
  demand(
    separator === "" ? !signed.includes("id") : isText(separator, SEPARATOR),
    '"separator" must be 1 to 4 characters that no id and no timestamp holds; it may be empty only where no id is signed',
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function demandMembers(value: object, known: readonly string[], at: string): void {
  for (const member of Object.keys(value)) {
    // A misspelt member would otherwise be a default that nobody chose.
    demand(known.includes(member), `${at} has an unknown member ${JSON.stringify(member)}`);
  }
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new TypeError(message);
}
