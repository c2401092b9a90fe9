import { DIGEST_BYTES, type HmacDescription, type SignatureForm } from "./hmac-description.ts";
import { decode, type Key } from "./keys.ts";
import { type ReadSignatures, type Refused, refused } from "./scheme.ts";

/** Most signatures in one attempt. */
const MAX_SIGNATURES = 8;
const ED25519_SIGNATURE_BYTES = 64;

/** The forms of a description, and the one of Standard Webhooks: a list of `v1,…` (HMAC) and `v1a,…` (ed25519). */
export type HeaderForm = SignatureForm | { readonly kind: "versions" };

export const VERSIONS = { hmac: "v1,", ed25519: "v1a," } as const;

type Entry =
  | { readonly kind: Key["kind"] | "timestamp"; readonly text: string }
  | { readonly kind: "other" };

const PRINTABLE = /^[\x20-\x7e]*$/;
const PAIR = /^[A-Za-z0-9_]{1,32}=/;
/** Any version is a word before a comma; the text after it belongs to that version. */
const VERSION = /^[A-Za-z0-9_-]{1,32},/;
const OTHER: Entry = { kind: "other" };

/** Creates the parser of a signature header. `header` is its name for refusals. */
export function signatureReader(
  { algorithm, encoding }: Pick<HmacDescription, "algorithm" | "encoding">,
  form: HeaderForm,
  header: string,
): (value: string) => ReadSignatures | Refused {
  const digestBytes = DIGEST_BYTES[algorithm];
  const separator = separatorOf(form);
  const timestampsExpected = form.kind === "pairs" ? 1 : 0;
  const refuse = (code: Refused["code"]): Refused => refused(code, { header });

  return (value) => {
    // Node and the Web join a repeated header with a comma and a space.
    if (value.includes(", ")) return refuse("CS_SIGNATURE_HEADER_DUPLICATE");
    if (!PRINTABLE.test(value)) return refuse("CS_SIGNATURE_HEADER_INVALID");
    const tokens = form.kind === "single" ? [value] : value.split(separator);
    if (tokens.length > MAX_SIGNATURES + timestampsExpected) return refuse("CS_SIGNATURE_TOO_MANY");

    const hmac: Uint8Array[] = [];
    const ed25519: Uint8Array[] = [];
    const kinds: Key["kind"][] = [];
    const timestamps: string[] = [];
    for (const token of tokens) {
      const entry = readEntry(form, token);
      if (entry === undefined) return refuse("CS_SIGNATURE_MALFORMED");
      if (entry.kind === "other") continue;
      if (entry.kind === "timestamp") {
        timestamps.push(entry.text);
        continue;
      }
      kinds.push(entry.kind);
      const isHmac = entry.kind === "hmac";
      const bytes = decode(entry.text, isHmac ? encoding : "base64");
      const length = isHmac ? digestBytes : ED25519_SIGNATURE_BYTES;
      if (bytes?.length === length) (isHmac ? hmac : ed25519).push(bytes);
    }
    if (timestamps.length !== timestampsExpected) return refuse("CS_SIGNATURE_MALFORMED");
    return { hmac, ed25519, kinds, timestamp: timestamps[0] };
  };
}

/** Returns the value of a signature header. */
export function printSignatures(
  form: HeaderForm,
  signatures: readonly { readonly kind: Key["kind"]; readonly text: string }[],
  timestamp: number,
): string {
  switch (form.kind) {
    case "versions":
      return signatures.map(({ kind, text }) => VERSIONS[kind] + text).join(" ");
    case "single":
    case "list":
      return signatures.map(({ text }) => form.prefix + text).join(separatorOf(form));
    case "pairs": {
      const pairs = signatures.map(({ text }) => `${form.signature}=${text}`);
      return [`${form.timestamp}=${timestamp}`, ...pairs].join(separatorOf(form));
    }
    default:
      return form satisfies never;
  }
}

function separatorOf(form: HeaderForm): string {
  if (form.kind === "versions") return " ";
  return form.kind === "list" ? form.separator : ",";
}

/** Returns `undefined` if the token is not in the form at all. */
function readEntry(form: HeaderForm, token: string): Entry | undefined {
  switch (form.kind) {
    case "versions":
      if (token.startsWith(VERSIONS.hmac)) return { kind: "hmac", text: token.slice(3) };
      if (token.startsWith(VERSIONS.ed25519)) return { kind: "ed25519", text: token.slice(4) };
      return VERSION.test(token) ? OTHER : undefined;
    case "single":
      return token.startsWith(form.prefix)
        ? { kind: "hmac", text: token.slice(form.prefix.length) }
        : undefined;
    case "list":
      if (token === "") return undefined;
      return token.startsWith(form.prefix)
        ? { kind: "hmac", text: token.slice(form.prefix.length) }
        : OTHER;
    case "pairs": {
      if (!PAIR.test(token)) return undefined;
      const equals = token.indexOf("=");
      const name = token.slice(0, equals);
      const text = token.slice(equals + 1);
      if (name === form.timestamp) return { kind: "timestamp", text };
      return name === form.signature ? { kind: "hmac", text } : OTHER;
    }
    default:
      return form satisfies never;
  }
}
