import { createPublicKey, createSecretKey } from "node:crypto";
import type { Cause, Mistake } from "./explain-causes.ts";
import { decode, type ImportSecret, type Key } from "./keys.ts";
import type { SecretUse } from "./scheme.ts";
import { type PlainSecret, SealedSecret, type Secret } from "./secret.ts";

/** A key that the sender may have used. */
export interface KeyVariant {
  readonly key: Pick<Key, "kind" | "object">;
  /** Absent for the key as configured. */
  readonly mistake?: Mistake;
}

/** A secret's key, or the message of the error if the secret cannot be read. */
interface Reading {
  readonly key?: Key;
  readonly unusable?: string;
}

/** Lists the keys that usual mistakes make of a secret, the configured one first. */
export function keyVariants(
  secret: Secret,
  at: string,
  importSecret: ImportSecret,
): { readonly variants: readonly KeyVariant[]; readonly unusable: string | undefined } {
  const plain = SealedSecret.open(secret);
  const read = (one: PlainSecret, use: SecretUse = "verify"): Reading => {
    try {
      return { key: importSecret(one, use, at, 1) };
    } catch (error) {
      return { unusable: error instanceof TypeError ? error.message : String(error) };
    }
  };
  const variants: KeyVariant[] = [];
  const add = (cause: Cause, statement: string, key: KeyVariant["key"]): void =>
    void variants.push({ key, mistake: { cause, statement } });

  const { key: configured, unusable } = read(plain);
  if (configured !== undefined) variants.push({ key: configured });
  const text = typeof plain === "string" ? plain : plain?.raw;
  if (typeof text !== "string") return { variants, unusable };

  const clean = text
    .trim()
    .replaceAll(/^["'`]|["'`]$/g, "")
    .trim();
  // Clean text is not read again: { raw: "whsec_…" } would become another key.
  const cleaned = clean === text ? undefined : read(clean).key;
  if (cleaned !== undefined) add(...nameMistake(text, at), cleaned);
  const own = read(clean, "sign").key;
  if (own?.kind === "ed25519") {
    const key = { kind: own.kind, object: createPublicKey(own.object) };
    add("secret-private", `${at} is the sender's private key`, key);
  }
  const addBytes = (cause: Cause, statement: string, bytes: Uint8Array): void =>
    add(cause, statement, { kind: "hmac", object: createSecretKey(bytes) });
  addBytes(
    "secret-newline",
    "the sender's own secret ends with a newline",
    Buffer.from(`${clean}\n`),
  );
  addBytes("secret-quotes", "the sender's own secret is in quotes", Buffer.from(`"${clean}"`));
  const bare = clean.replace(/^(?:whsec_|raw:)/, "");
  for (const [use, bytes] of [
    [`uses the text of ${at} as it is, with its prefix`, Buffer.from(clean)],
    [`uses the text of ${at} after its prefix`, Buffer.from(bare)],
    [`decodes ${at} from base64`, decode(bare, "base64")],
    [`decodes ${at} from base64url`, decode(bare, "base64url")],
    [`decodes ${at} from hexadecimal`, decode(bare.toLowerCase(), "hex")],
  ] as const)
    if (bytes !== undefined) addBytes("secret-encoding", `the sender ${use}`, bytes);
  return { variants, unusable };
}

function nameMistake(text: string, at: string): readonly [Cause, string] {
  if (/^\s*["'`]/.test(text)) return ["secret-quotes", `${at} is in quotes`];
  return /[\r\n]$/.test(text)
    ? ["secret-newline", `${at} ends with a newline`]
    : ["secret-whitespace", `${at} contains whitespace or a byte order mark`];
}
