import { createHash } from "node:crypto";
import { isBytes } from "./bytes.ts";
import { MAX_SECRETS } from "./grammar.ts";
import type { SecretUse } from "./scheme.ts";
import { SealedSecret } from "./sealed-secret.ts";
import type { PlainSecret, Secret } from "./secret.ts";

/** The most imported keys that outlive the list they came in. */
const MAX_KEYS = 256;

/** Imports one secret. `at` names its place in the caller's list for messages. */
export type ImportSecret<Key> = (secret: PlainSecret, use: SecretUse, at: string) => Key;

/** The keys of a list of secrets, in its order. */
export type KeysOf<Key> = (secrets: readonly Secret[], use: SecretUse) => readonly Key[];

interface Imported<Key> {
  readonly secrets: readonly Secret[];
  readonly keys: readonly Key[];
}

/**
 * Imports each secret once: an HMAC whose key is imported anew costs several times as much.
 *
 * A list is remembered weakly, so its secrets are not kept longer than the caller keeps them; a
 * list that the caller has changed since is read again. A new list of known secrets, as a look-up
 * by tenant returns, finds its keys by the SHA-256 of each secret: at most 256 of them, and the
 * least recently used goes first.
 */
export function cachedKeys<Key>(importSecret: ImportSecret<Key>): KeysOf<Key> {
  const lists = {
    sign: new WeakMap<readonly Secret[], Imported<Key>>(),
    verify: new WeakMap<readonly Secret[], Imported<Key>>(),
  };
  const recent = new Map<string, Key>();

  function keyOf(secret: PlainSecret, use: SecretUse, at: string): Key {
    const name = fingerprint(secret, use);
    if (name === undefined) return importSecret(secret, use, at);
    const key = recent.get(name) ?? importSecret(secret, use, at);
    recent.delete(name);
    recent.set(name, key);
    if (recent.size > MAX_KEYS) {
      for (const oldest of recent.keys()) {
        recent.delete(oldest);
        break;
      }
    }
    return key;
  }

  return (secrets, use) => {
    const known = lists[use].get(secrets);
    if (known !== undefined && sameMembers(known.secrets, secrets)) return known.keys;
    if (!Array.isArray(secrets)) throw new TypeError('"secrets" must be a list of secrets');
    if (secrets.length === 0) throw new TypeError('"secrets" must hold at least one secret');
    if (secrets.length > MAX_SECRETS) {
      throw new TypeError(`"secrets" must hold at most ${MAX_SECRETS} secrets`);
    }
    const copy: readonly Secret[] = Array.from(secrets);
    const keys = copy.map((secret, index) =>
      keyOf(SealedSecret.open(secret), use, `secrets[${index}]`),
    );
    lists[use].set(secrets, { secrets: copy, keys });
    return keys;
  };
}

function sameMembers(known: readonly Secret[], secrets: readonly Secret[]): boolean {
  if (known.length !== secrets.length) return false;
  for (let index = 0; index < known.length; index++) {
    if (known[index] !== secrets[index]) return false;
  }
  return true;
}

/** A name for a secret that does not reveal it; `undefined` for what is no secret at all. */
function fingerprint(secret: PlainSecret, use: SecretUse): string | undefined {
  const raw: unknown = typeof secret === "string" ? secret : secret?.raw;
  if (typeof raw !== "string" && !isBytes(raw)) return undefined;
  const kind = typeof secret === "string" ? "text" : typeof raw === "string" ? "raw" : "bytes";
  return createHash("sha256").update(`${use} ${kind} `).update(raw).digest("base64");
}
