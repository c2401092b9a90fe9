import type { SignatureErrorCode } from "./codes.ts";
import { decodeCanonical } from "./encoding.ts";
import { MAX_SIGNATURES } from "./grammar.ts";
import { DIGEST_BYTES } from "./hmac.ts";
import type { HmacDescription } from "./hmac-description.ts";

/** What a signature header carries: its well-formed signatures (at least one), and the pairs' timestamp. */
export interface ReadSignatures {
  readonly candidates: readonly Uint8Array[];
  readonly timestamp: string | undefined;
}

/** An entry of the header: a signature's text, the timestamp, or one that is passed over. */
type Entry =
  | { readonly kind: "signature"; readonly text: string }
  | { readonly kind: "timestamp"; readonly text: string }
  | { readonly kind: "other" };

const PRINTABLE = /^[\x20-\x7e]*$/;
const PAIR = /^[A-Za-z0-9_]{1,32}=/;

/** The signatures in the header's value, or why it cannot be read. */
export function readSignatures(
  description: HmacDescription,
  value: string,
): ReadSignatures | SignatureErrorCode {
  // Node and the Web join a repeated header with a comma and a space.
  if (value.includes(", ")) return "CS_SIGNATURE_HEADER_DUPLICATE";
  const { form, algorithm, encoding } = description;
  const tokens = form.kind === "single" ? [value] : value.split(separatorOf(form));
  const others = form.kind === "pairs" ? 1 : 0;
  if (tokens.length > MAX_SIGNATURES + others) return "CS_SIGNATURE_TOO_MANY";

  const candidates: Uint8Array[] = [];
  const timestamps: string[] = [];
  let supported = false;
  for (const token of tokens) {
    const entry = readEntry(form, token);
    if (entry === undefined) return "CS_SIGNATURE_MALFORMED";
    if (entry.kind === "timestamp") timestamps.push(entry.text);
    if (entry.kind !== "signature") continue;
    supported = true;
    const bytes = decodeCanonical(entry.text, encoding);
    if (bytes?.length === DIGEST_BYTES[algorithm]) candidates.push(bytes);
  }
  // A canonical digest is ASCII; what is passed over must at least be that.
  if (candidates.length < tokens.length && !PRINTABLE.test(value)) {
    return "CS_SIGNATURE_HEADER_INVALID";
  }
  if (timestamps.length !== others) return "CS_SIGNATURE_MALFORMED";
  if (!supported) return "CS_SIGNATURE_VERSION_UNSUPPORTED";
  if (candidates.length === 0) return "CS_SIGNATURE_MALFORMED";
  return { candidates, timestamp: timestamps[0] };
}

/** The header's value. */
export function printSignatures(
  form: HmacDescription["form"],
  signatures: readonly string[],
  timestamp: number,
): string {
  switch (form.kind) {
    case "single":
    case "list":
      return signatures.map((text) => form.prefix + text).join(separatorOf(form));
    case "pairs":
      return [
        `${form.timestamp}=${timestamp}`,
        ...signatures.map((text) => `${form.signature}=${text}`),
      ].join(separatorOf(form));
    default:
      return form satisfies never;
  }
}

function separatorOf(form: HmacDescription["form"]): string {
  return form.kind === "list" ? form.separator : ",";
}

/** `undefined` where the token is not in the form at all. */
function readEntry(form: HmacDescription["form"], token: string): Entry | undefined {
  switch (form.kind) {
    case "single":
      if (!token.startsWith(form.prefix)) return undefined;
      return { kind: "signature", text: token.slice(form.prefix.length) };
    case "list":
      if (token === "") return undefined;
      if (!token.startsWith(form.prefix)) return { kind: "other" };
      return { kind: "signature", text: token.slice(form.prefix.length) };
    case "pairs": {
      if (!PAIR.test(token)) return undefined;
      const equals = token.indexOf("=");
      const name = token.slice(0, equals);
      const text = token.slice(equals + 1);
      if (name === form.timestamp) return { kind: "timestamp", text };
      return name === form.signature ? { kind: "signature", text } : { kind: "other" };
    }
    default:
      return form satisfies never;
  }
}
