import { createHash, createHmac } from "node:crypto";
import type { Profile } from "@countersign/schemas";
import { type HmacDescription, type Message, schemeOf, type Secret } from "@countersign/signatures";
import { withHeader, type Header } from "./message.ts";

/** The form of the profile's signature headers, so that one of them can be changed. */
type WithTime = (headers: readonly Header[], change: (time: string) => string) => readonly Header[];

export interface Signing {
  /** @param secrets Each adds its signature. */
  readonly sign: (message: Message, secrets: readonly Secret[]) => readonly Header[];
  readonly names: {
    /** `undefined` if the scheme has no such header. */
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
  /** The separator of several signatures in the header, if it may have them. */
  readonly separator: string | undefined;
  /** True if each signature names its version. */
  readonly isVersioned: boolean;
  /** A secret of the scheme's form that no receiver has. */
  readonly stranger: (name: string) => Secret;
  /** The bytes of a secret's key; `undefined` for private keys of other kinds. */
  readonly keyOf: (secret: Secret) => Uint8Array | undefined;
  /** The bytes that are signed. */
  readonly textOf: (message: SignedMessage) => Buffer;
  /** The signature's hash. */
  readonly algorithm: string;
  readonly encoding: "base64" | "hex";
  /** The encoded signature by a key of any bytes, also one that no scheme allows. */
  readonly mac: (message: SignedMessage, by: { readonly key: Uint8Array | string }) => string;
}

interface SignedMessage extends Omit<Message, "timestamp"> {
  readonly timestamp: number | string;
}

export function signingOf(profile: Profile): Signing {
  const signing = partsOf(profile);
  return { ...signing, all: Object.values(signing.names).filter((name) => name !== undefined) };
}

function partsOf({ signature }: Profile): Omit<Signing, "all"> {
  const scheme = schemeOf(signature);
  const sign: Signing["sign"] = (message, secrets) => Object.entries(scheme.sign(message, secrets));
  if (signature.scheme === "standard-webhooks") {
    return {
      sign,
      names: { id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature" },
      withTime: (headers, change) => withHeader(headers, "webhook-timestamp", change),
      covers: { id: true, timestamp: true },
      separator: " ",
      isVersioned: true,
      stranger: (name) => `whsec_${madeBytes(name).toString("base64")}`,
      keyOf: standardKeyOf,
      textOf: ({ id, timestamp, body }) =>
        Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]),
      algorithm: "sha256",
      encoding: "base64",
      mac: ({ id, timestamp, body }, { key }) =>
        createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64"),
    };
  }
  const { headers, form, signed, separator, algorithm, encoding } = signature.description;
  const textOf = ({ id, timestamp, body }: SignedMessage): Buffer => {
    const parts = { id, timestamp: String(timestamp), body };
    const pieces = signed.flatMap((part, index) =>
      index === 0 ? [parts[part]] : [separator, parts[part]],
    );
    return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  };
  const listSeparator =
    form.kind === "list" ? form.separator : form.kind === "pairs" ? "," : undefined;
  return {
    sign,
    names: {
      id: headers.id?.toLowerCase(),
      timestamp: headers.timestamp?.toLowerCase(),
      signature: headers.signature.toLowerCase(),
    },
    withTime: withTimeOf(signature.description),
    covers: { id: signed.includes("id"), timestamp: signed.includes("timestamp") },
    separator: listSeparator,
    isVersioned: form.kind !== "single",
    stranger: (name) => madeBytes(name).toString("hex"),
    keyOf: (secret) => (typeof secret === "string" ? Buffer.from(secret) : rawOf(secret)),
    textOf,
    algorithm,
    encoding,
    mac: (message, { key }) => createHmac(algorithm, key).update(textOf(message)).digest(encoding),
  };
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

function standardKeyOf(secret: Secret): Uint8Array | undefined {
  if (typeof secret !== "string") return rawOf(secret);
  if (secret.startsWith("whsec_")) return Buffer.from(secret.slice("whsec_".length), "base64");
  return /^wh[sp]k_/.test(secret) ? undefined : Buffer.from(secret.replace(/^raw:/, ""));
}

function rawOf(secret: Exclude<Secret, string>): Uint8Array | undefined {
  return "raw" in secret ? Buffer.from(secret.raw) : undefined;
}

function madeBytes(name: string): Buffer {
  return createHash("sha256").update(`a stranger's: ${name}`).digest();
}
