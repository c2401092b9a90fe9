import { createHash, createHmac } from "node:crypto";
import type { Attempt, Sender } from "../harness/attempt-sender.ts";
import { type Header, valueOf, withHeader, without, withSignature } from "../harness/message.ts";

/** A genuine attempt, before an operation changes a part of it. */
export interface Base {
  readonly sender: Sender;
  readonly attempt: Attempt;
  /** Whole seconds. */
  readonly timestamp: number;
  /** An earlier genuine attempt, which the receiver has accepted. */
  readonly taken: Attempt;
}

/** One operation on one part of a signed attempt. `undefined` if the profile's scheme has no such part. */
export interface Operation {
  readonly requirement: string;
  /** The operation as the subject of a sentence. */
  readonly what: string;
  readonly change: (base: Base) => Partial<Attempt> | undefined;
}

export const op = (requirement: string, what: string, change: Operation["change"]): Operation => ({
  requirement,
  what,
  change,
});

/** The headers with another signature of the version that has keys of any bytes. */
export function resigned(
  { signing }: Sender,
  { headers }: Attempt,
  mac: string,
): readonly Header[] {
  return withHeader(headers, signing.names.signature, (value) =>
    withSignature(value.replace(/^v1a,/, "v1,"), () => mac),
  );
}

/** Signed by a key of any bytes. */
export function signedBy(base: Base, key: Uint8Array | string): Partial<Attempt> {
  const { signing } = base.sender;
  const mac = signing.mac(textOf(base), key).toString(signing.encoding);
  return { headers: resigned(base.sender, base.attempt, mac) };
}

function textOf({ attempt: { event, body }, sender, timestamp }: Base): Buffer {
  return sender.signing.textOf({ id: event.id, timestamp, body });
}

/** Parts that a signature covers in other schemes, and in older versions of this one. */
const texts: readonly (readonly [what: string, of: (base: Base) => Uint8Array | string])[] = [
  ["the signed text", textOf],
  ["only the body", ({ attempt }) => attempt.body],
  ["only the id", ({ attempt }) => attempt.event.id],
  ["only the time", ({ timestamp }) => String(timestamp)],
  ["no text", () => ""],
  ["the id and the body", ({ attempt }) => `${attempt.event.id}.${attempt.event.text}`],
  ["the time and the body", ({ attempt, timestamp }) => `${timestamp}.${attempt.event.text}`],
  [
    "the parts without separators",
    ({ attempt: { event }, timestamp }) => event.id + timestamp + event.text,
  ],
  [
    "the time before the id",
    ({ attempt: { event }, timestamp }) => `${timestamp}.${event.id}.${event.text}`,
  ],
];

/** Digests of a text and a key; without a list of what is hashed, an HMAC. */
const digests: readonly (readonly [
  what: string,
  hashed?: (text: Uint8Array, key: Uint8Array) => readonly Uint8Array[],
])[] = [
  ["HMAC with"],
  ["a digest without a key,", (text) => [text]],
  ["a digest of the key and it,", (text, key) => [key, text]],
  ["a digest of it and the key,", (text, key) => [text, key]],
];

/** Headers that other schemes sign the body in, with what is before the signature. */
const OTHER_HEADERS = [
  ["X-Hub-Signature", "sha1", "sha1="],
  ["X-Hub-Signature-256", "sha256", "sha256="],
  ["X-Signature", "sha256", ""],
  ["X-Webhook-Signature", "sha256", ""],
  ["X-Shopify-Hmac-Sha256", "sha256", ""],
] as const;

/** Signatures by other algorithms and over other parts, each in both encodings, and in other schemes' headers. */
export const weakMacs: readonly Operation[] = [
  ...["md5", "sha1", "sha224", "sha256", "sha512"].flatMap((hash) =>
    digests.flatMap(([how, hashed]) =>
      texts.flatMap(([what, of]) =>
        (["base64", "hex"] as const).map((encoding) => {
          const name = `a signature by ${how} ${hash} over ${what}, in ${encoding}`;
          // Unlikely ones, over other parts by other algorithms, are left to the second round.
          const isCommon =
            what === "the signed text" ||
            what === "only the body" ||
            (hash === "sha256" && how === "HMAC with");
          return op("R-VERIFY-MAC", name, (base) => {
            const key = keyOf(base);
            if (key === undefined || (!isCommon && base.sender.round !== 1)) return undefined;
            const text = Buffer.from(of(base));
            const mac = hashed
              ? createHash(hash)
                  .update(Buffer.concat(hashed(text, key)))
                  .digest()
              : createHmac(hash, key).update(text).digest();
            // Another encoding of the scheme's own signature belongs to another requirement.
            if (mac.equals(base.sender.signing.mac(textOf(base), key))) return undefined;
            return { headers: resigned(base.sender, base.attempt, mac.toString(encoding)) };
          });
        }),
      ),
    ),
  ),
  ...OTHER_HEADERS.map(([name, hash, prefix]) =>
    op("R-VERIFY-MAC", `a signature over the body in ${name}`, (base) => {
      const key = keyOf(base);
      const { names, all } = base.sender.signing;
      if (key === undefined || names.signature === name.toLowerCase()) return undefined;
      const encoding = name.startsWith("X-Shopify") ? "base64" : "hex";
      const mac = createHmac(hash, key).update(base.attempt.body).digest(encoding);
      return { headers: [...without(base.attempt.headers, all), [name, `${prefix}${mac}`]] };
    }),
  ),
];

function keyOf({ sender: { target, signing } }: Base): Uint8Array | undefined {
  const [secret] = target.secrets;
  return secret === undefined ? undefined : signing.keyOf(secret);
}

export type Spelling = readonly [what: string, spell: (mac: string) => string];

/** Parts of the signature, and others of its length. */
export function parts(isHex: boolean): readonly Spelling[] {
  const zeros = (mac: string): string =>
    isHex
      ? "0".repeat(mac.length)
      : Buffer.alloc(Buffer.from(mac, "base64").length).toString("base64");
  const changed = (mac: string, at: number): string => {
    const before = mac[at] ?? "";
    const other = before === "0" ? "1" : before === "1" ? "0" : before === "b" ? "c" : "b";
    return mac.slice(0, at) + other + mac.slice(at + 1);
  };
  // The last place whose bits all count: before the padding, and before what is dropped in decoding.
  const last = (mac: string): number => mac.replace(/=+$/, "").length - 2;
  return [
    ...[1, 4, 8, 16, 20, 32].map((length): Spelling => {
      return [`a signature's first ${length} characters`, (mac) => mac.slice(0, length)];
    }),
    ["a signature without its last bytes", (mac) => mac.slice(0, -4)],
    ["a signature without its first bytes", (mac) => mac.slice(4)],
    ["a signature's first 8 characters, and zeros", (mac) => mac.slice(0, 8) + zeros(mac).slice(8)],
    [
      "zeros, and a signature's last 8 characters",
      (mac) => zeros(mac).slice(0, -8) + mac.slice(-8),
    ],
    ...[0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9].map((share): Spelling => {
      const what = `a signature with a character changed at ${share * 100} %`;
      return [what, (mac) => changed(mac, Math.floor(share * (mac.length - 3)))];
    }),
    ["a signature with its last byte changed", (mac) => changed(mac, last(mac))],
    ["a signature of zeros", zeros],
    ["a signature of as many spaces", (mac) => " ".repeat(mac.length)],
    ["a signature backwards", (mac) => mac.split("").toReversed().join("")],
    ["a signature of wildcards", (mac) => "*".repeat(mac.length)],
    ...(isHex ? [] : [["a signature with its letters' case turned", withCaseTurned] as const]),
  ];
}

function withCaseTurned(mac: string): string {
  return mac.replaceAll(/[a-z]+|[A-Z]+/g, (letters) =>
    letters === letters.toUpperCase() ? letters.toLowerCase() : letters.toUpperCase(),
  );
}

/** A version's name, the separator, and the signature. */
const VERSIONED = /([A-Za-z0-9]+)([,=])([A-Za-z0-9+/]{38,}={0,2})/;

export const versions: readonly Operation[] = ["v0", "v2", "v1b", "v10", "v1a", "V1", "v", "1"].map(
  (version) =>
    op("R-VERIFY-VERSION", `the genuine signature under ${version}`, (base) => {
      const { headers } = base.attempt;
      const { signature } = base.sender.signing.names;
      const own = VERSIONED.exec(valueOf(headers, signature))?.[1];
      const spelt = (value: string): string => value.replace(VERSIONED, `${version}$2$3`);
      // Under its own name it is genuine.
      return own === version ? undefined : { headers: withHeader(headers, signature, spelt) };
    }),
);
