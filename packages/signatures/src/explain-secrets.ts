import { createPublicKey, createSecretKey } from "node:crypto";
import { decodeBase64, type ImportSecret, type Key } from "./keys.ts";
import { type PlainSecret, SealedSecret, type Secret } from "./secret.ts";

/** A key that the sender may have used. */
export interface KeyVariant {
  /** `undefined` for the key as configured. */
  readonly cause:
    | "secret-newline"
    | "secret-quotes"
    | "secret-whitespace"
    | "secret-encoding"
    | "secret-private"
    | "secret-other"
    | undefined;
  /** The mistake, as a sentence. */
  readonly mistake: string;
  readonly at: string;
  readonly key: Pick<Key, "kind" | "object">;
}

/** Lists the keys that usual mistakes make of a secret, the configured one first. */
export function keyVariants(
  secret: Secret,
  at: string,
  importSecret: ImportSecret,
): { readonly variants: readonly KeyVariant[]; readonly unusable: string | undefined } {
  const plain = SealedSecret.open(secret);
  const variants: KeyVariant[] = [];
  const add = (cause: KeyVariant["cause"], mistake: string, key: KeyVariant["key"]): void =>
    void variants.push({ cause, mistake, at, key });
  const addBytes = (cause: KeyVariant["cause"], mistake: string, bytes: Uint8Array): void => {
    if (bytes.length > 0) add(cause, mistake, { kind: "hmac", object: createSecretKey(bytes) });
  };
  /** Returns the error's message if the secret cannot be read. */
  const addImported = (
    cause: KeyVariant["cause"],
    mistake: string,
    one: PlainSecret,
  ): string | undefined => {
    try {
      add(cause, mistake, importSecret(one, "verify", at, 1));
      return undefined;
    } catch (error) {
      return error instanceof TypeError ? error.message : String(error);
    }
  };

  const unusable = addImported(undefined, "", plain);
  const text = typeof plain === "string" ? plain : typeof plain?.raw === "string" ? plain.raw : "";
  if (text === "") return { variants, unusable };
  const clean = text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, "$2")
    .trim()
    .replace(/^\uFEFF/, "");
  const bare = clean.replace(/^(?:whsec_|raw:)/, "");
  if (clean !== text) {
    const { cause, mistake } = nameMistake(text);
    addImported(cause, `${at} ${mistake}`, clean);
  }
  if (clean.startsWith("whsk_")) {
    try {
      const { kind, object } = importSecret(clean, "sign", at, 1);
      add("secret-private", `${at} is the sender's private key`, {
        kind,
        object: createPublicKey(object),
      });
    } catch {
      // Not a private key either: the other causes remain.
    }
  }
  if (/^wh[sp]k_/.test(clean)) return { variants, unusable };
  const own = "the sender's own secret";
  addBytes("secret-newline", `${own} ends with a newline`, Buffer.from(`${clean}\n`));
  addBytes("secret-quotes", `${own} is in quotes`, Buffer.from(`"${clean}"`));
  const isHex = /^(?:[0-9a-fA-F]{2})+$/.test(bare);
  const isUrlSafe = /^[A-Za-z0-9_-]+$/.test(bare);
  const uses: Readonly<Record<string, Uint8Array | undefined>> = {
    [`uses the text of ${at} as it is, with its prefix`]: Buffer.from(clean),
    [`uses the text of ${at} after its prefix`]: Buffer.from(bare),
    [`decodes ${at} from base64`]: decodeBase64(bare),
    [`decodes ${at} from base64url`]: isUrlSafe ? Buffer.from(bare, "base64url") : undefined,
    [`decodes ${at} from hexadecimal`]: isHex ? Buffer.from(bare, "hex") : undefined,
  };
  for (const [use, bytes] of Object.entries(uses))
    if (bytes !== undefined) addBytes("secret-encoding", `the sender ${use}`, bytes);
  return { variants, unusable };
}

function nameMistake(text: string): Pick<KeyVariant, "cause" | "mistake"> {
  if (/^\s*["'`]/.test(text)) return { cause: "secret-quotes", mistake: "is in quotes" };
  return /[\r\n]$/.test(text)
    ? { cause: "secret-newline", mistake: "ends with a newline" }
    : { cause: "secret-whitespace", mistake: "contains whitespace or a byte order mark" };
}
