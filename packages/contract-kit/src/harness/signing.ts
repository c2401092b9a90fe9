import { createHash, createHmac } from "node:crypto";
import type { Profile } from "@countersign/schemas";
import {
  type HmacDescription,
  type Message,
  schemeOf,
  type Secret,
  type SignatureScheme,
} from "@countersign/signatures/stated";
import { withHeader, type Header } from "./message.ts";

type WithTime = (headers: readonly Header[], change: (time: string) => string) => readonly Header[];

interface SignedMessage extends Omit<Message, "timestamp"> {
  readonly timestamp: number | string;
}

/** The symmetric scheme of Standard Webhooks. */
const STANDARD: HmacDescription = {
  name: "standard-webhooks",
  algorithm: "sha256",
  encoding: "base64",
  headers: { id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature" },
  form: { kind: "list", prefix: "v1,", separator: " " },
  signed: ["id", "timestamp", "body"],
  separator: ".",
};

/** The form of the profile's signatures, so that one part of an attempt can be changed. */
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
  /** The separator of several signatures in the header, if it may have them: each names its version then. */
  readonly separator: string | undefined;
  readonly encoding: "base64" | "hex";
  readonly #description: HmacDescription;
  readonly #scheme: SignatureScheme;

  constructor({ signature: profile }: Profile) {
    const description = profile.scheme === "standard-webhooks" ? STANDARD : profile.description;
    const { headers, form, signed } = description;
    const { id, timestamp, signature } = headers;
    this.#scheme = schemeOf(profile);
    this.#description = description;
    this.names = {
      id: id?.toLowerCase(),
      timestamp: timestamp?.toLowerCase(),
      signature: signature.toLowerCase(),
    };
    this.all = Object.values(this.names).filter((name) => name !== undefined);
    this.withTime = withTimeOf(description);
    this.covers = { id: signed.includes("id"), timestamp: signed.includes("timestamp") };
    this.separator =
      form.kind === "list" ? form.separator : form.kind === "pairs" ? "," : undefined;
    this.encoding = description.encoding;
  }

  /** @param secrets Each adds its signature. */
  sign(message: Message, secrets: readonly Secret[]): readonly Header[] {
    return Object.entries(this.#scheme.sign(message, secrets));
  }

  /** Returns a secret of the scheme's form that no receiver has. */
  stranger(name: string): Secret {
    const bytes = createHash("sha256").update(`a stranger's: ${name}`).digest();
    return this.#description === STANDARD
      ? `whsec_${bytes.toString("base64")}`
      : bytes.toString("hex");
  }

  /** Returns the bytes of a secret's key; `undefined` for private keys of other kinds. */
  keyOf(secret: Secret): Uint8Array | undefined {
    if (typeof secret !== "string") return "raw" in secret ? Buffer.from(secret.raw) : undefined;
    if (this.#description !== STANDARD) return Buffer.from(secret);
    if (secret.startsWith("whsec_")) return Buffer.from(secret.slice("whsec_".length), "base64");
    return /^wh[sp]k_/.test(secret) ? undefined : Buffer.from(secret.replace(/^raw:/, ""));
  }

  /** Returns the bytes that are signed. */
  textOf({ id, timestamp, body }: SignedMessage): Buffer {
    const { signed, separator } = this.#description;
    const parts = { id, timestamp: String(timestamp), body };
    const pieces = signed.flatMap((part, index) =>
      index === 0 ? [parts[part]] : [separator, parts[part]],
    );
    return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  }

  /** Returns the digest of a text by a key of any bytes, also one that no scheme allows. */
  mac(text: Uint8Array, key: Uint8Array | string): Buffer {
    return createHmac(this.#description.algorithm, key).update(text).digest();
  }
}

function withTimeOf({ headers: names, form }: HmacDescription): WithTime | undefined {
  const { timestamp } = names;
  if (timestamp !== undefined)
    return (headers, change) => withHeader(headers, timestamp.toLowerCase(), change);
  if (form.kind !== "pairs") return undefined;
  const pair = new RegExp(`(?<=(?:^|,)${form.timestamp}=)[^,]*`);
  return (headers, change) =>
    withHeader(headers, names.signature.toLowerCase(), (value) => value.replace(pair, change));
}
