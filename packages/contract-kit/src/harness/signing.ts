import { createHash, createHmac } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { type Message, schemeOf, type Secret, type SignatureScheme } from "@countersign/signatures";
import { withHeader, type Header } from "./message.ts";

type WithTime = (headers: readonly Header[], change: (time: string) => string) => readonly Header[];

interface SignedMessage {
  readonly id: string;
  readonly timestamp: number | string;
  readonly body: Uint8Array;
}

type Part = NonNullable<ProviderDocument["signature"]["signed"]>[number];

/** The form of a provider's signatures, so that one part of an attempt can be changed. */
export class Signing {
  /** Names of the headers in lower case; `undefined` if the scheme has no such header. */
  readonly names: {
    readonly id: string | undefined;
    readonly timestamp: string | undefined;
    readonly signature: string;
  };
  /** Names of all headers of the scheme. */
  readonly all: readonly string[];
  /** With the time's text changed, wherever the scheme writes it; `undefined` if it has none. */
  readonly withTime: WithTime | undefined;
  /** True if a change of it must break the signature. */
  readonly covers: { readonly id: boolean; readonly timestamp: boolean };
  /** In seconds; 0 if no time is signed. */
  readonly toleranceSeconds: number;
  /** The separator of several signatures in the header, if it may have them: each names its version then. */
  readonly separator: string | undefined;
  readonly encoding: "base64" | "hex" | "base64url";
  readonly #provider: ProviderDocument;
  readonly #signed: readonly Part[];
  readonly #scheme: SignatureScheme;

  /** @throws {TypeError} The provider signs in another way than by an HMAC over id, time and body in headers. */
  constructor(provider: ProviderDocument) {
    const { id, timestamp, signature } = provider;
    const { carrier, algorithm, signed = [], encoding = "hex" } = signature;
    const at = nameOf(carrier[0]?.at);
    const isPlain = signed.every((part) =>
      typeof part === "string" ? PARTS.includes(part) : "text" in part,
    );
    if (
      !algorithm.startsWith("hmac-") ||
      !isPlain ||
      signature.per !== undefined ||
      at === undefined
    )
      throw new TypeError(
        `provider ${provider.name} cannot be attacked: its signature is no HMAC over id, time and body in a header`,
      );
    this.#scheme = schemeOf(provider);
    this.#provider = provider;
    this.#signed = signed;
    this.names = {
      id: nameOf(id?.at),
      timestamp: timestamp?.at.includes("#") === true ? undefined : nameOf(timestamp?.at),
      signature: at,
    };
    this.all = Object.values(this.names).filter((name) => name !== undefined);
    this.withTime = withTimeOf(provider);
    this.covers = { id: id !== undefined, timestamp: timestamp !== undefined };
    this.toleranceSeconds = timestamp?.toleranceSeconds ?? 0;
    this.separator = carrier[0]?.separator;
    this.encoding = encoding;
  }

  /** @param secrets Each adds its signature. */
  sign(message: Message, secrets: readonly Secret[]): readonly Header[] {
    return Object.entries(this.#scheme.sign(message, secrets).headers);
  }

  /** Returns a secret of the scheme's form that no receiver has. */
  stranger(name: string): Secret {
    const bytes = createHash("sha256").update(`a stranger's: ${name}`).digest();
    const { secret, signature } = this.#provider;
    if (signature.key === "whsec") return `whsec_${bytes.toString("base64")}`;
    const [prefix = ""] = [secret?.prefix ?? []].flat();
    return prefix + bytes.toString(signature.key === "base64" ? "base64" : "hex");
  }

  /** Returns the bytes of a secret's key; `undefined` for private keys of other kinds. */
  keyOf(secret: Secret): Uint8Array | undefined {
    if (typeof secret !== "string") return "raw" in secret ? Buffer.from(secret.raw) : undefined;
    const { key } = this.#provider.signature;
    if (key === "hex" || key === "base64") return Buffer.from(secret, key);
    if (key !== "whsec") return Buffer.from(secret);
    if (secret.startsWith("whsec_")) return Buffer.from(secret.slice("whsec_".length), "base64");
    return /^wh[sp]k_/.test(secret) ? undefined : Buffer.from(secret.replace(/^raw:/, ""));
  }

  /** Returns the bytes that are signed. */
  textOf({ id, timestamp, body }: SignedMessage): Buffer {
    const values = new Map<string, string | Uint8Array>([
      ["id", id],
      ["timestamp", String(timestamp)],
      ["body", body],
    ]);
    const { join = "" } = this.#provider.signature;
    const pieces = this.#signed.flatMap((part, index) => [
      index === 0 ? "" : join,
      typeof part === "string" ? (values.get(part) ?? "") : "text" in part ? part.text : "",
    ]);
    return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  }

  /** Returns the digest of a text by a key of any bytes, also one that no scheme allows. */
  mac(text: Uint8Array, key: Uint8Array | string): Buffer {
    const hash = this.#provider.signature.algorithm.replace("hmac-", "");
    return createHmac(hash, key).update(text).digest();
  }
}

const PARTS: readonly string[] = ["id", "timestamp", "body"];

/** The name of a place's header in lower case. */
function nameOf(place: string | undefined): string | undefined {
  return /^header:([^#]+)/.exec(place ?? "")?.[1]?.toLowerCase();
}

function withTimeOf({ timestamp, signature }: ProviderDocument): WithTime | undefined {
  const [, name, pair] = /^header:([^#]+)(?:#(.+))?$/.exec(timestamp?.at ?? "") ?? [];
  if (name === undefined) return undefined;
  const header = name.toLowerCase();
  if (pair === undefined) return (headers, change) => withHeader(headers, header, change);
  const { separator = ",", equals = "=" } = signature.carrier[0] ?? {};
  const before = pair + equals;
  const changed = (entry: string, change: (time: string) => string): string =>
    entry.startsWith(before) ? before + change(entry.slice(before.length)) : entry;
  return (headers, change) =>
    withHeader(headers, header, (text) =>
      text
        .split(separator)
        .map((entry) => changed(entry, change))
        .join(separator),
    );
}
