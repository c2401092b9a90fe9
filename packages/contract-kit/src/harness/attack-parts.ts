import { createHash, createHmac } from "node:crypto";
import type { Attempt, Bench, BenchEvent } from "./bench.ts";
import { valueOf, withHeader, without, withSignature } from "./request.ts";

/** A genuine attempt, before an operation changes a part of it. */
export interface Base {
  readonly bench: Bench;
  readonly event: BenchEvent;
  readonly attempt: Attempt;
  /** Whole seconds. */
  readonly timestamp: number;
  /** An earlier genuine attempt, which the receiver has accepted. */
  readonly taken: Attempt;
}

/** One operation on one part of a signed attempt. `undefined` if the profile's scheme has no such part. */
export interface Operation {
  readonly requirement: string;
  /** As the subject of a sentence. */
  readonly what: string;
  readonly change: (base: Base) => Partial<Attempt> | undefined;
}

export const op = (requirement: string, what: string, change: Operation["change"]): Operation => ({
  requirement,
  what,
  change,
});

/** The genuine headers with a signature made from the signed text in another way. */
export function signedBy(
  { attempt, event, timestamp, bench }: Base,
  macFrom: (text: Buffer) => string,
): Partial<Attempt> {
  const { signing } = bench;
  const mac = macFrom(signing.textOf({ id: event.id, timestamp, body: event.body }));
  return {
    headers: withHeader(attempt.headers, signing.names.signature, (value) =>
      withSignature(value.replace(/^v1a,/, "v1,"), () => mac),
    ),
  };
}

export function macOf(
  { bench: { signing } }: Base,
  { text, key }: { readonly text: Buffer; readonly key: Uint8Array | string },
): string {
  return createHmac(signing.algorithm, key).update(text).digest(signing.encoding);
}

/** Parts that a signature covers in other schemes, and in older versions of this one. */
const texts: readonly (readonly [
  what: string,
  of: (base: Base, text: Buffer) => Buffer | string,
])[] = [
  ["the signed text", (_base, text) => text],
  ["only the body", ({ event }) => event.body],
  ["only the id", ({ event }) => event.id],
  ["only the time", ({ timestamp }) => String(timestamp)],
  ["no text", () => ""],
  ["the id and the body", ({ event }) => joined(`${event.id}.`, event.body)],
  ["the time and the body", ({ event, timestamp }) => joined(`${timestamp}.`, event.body)],
  [
    "the parts without separators",
    ({ event, timestamp }) => joined(`${event.id}${timestamp}`, event.body),
  ],
  [
    "the time before the id",
    ({ event, timestamp }) => joined(`${timestamp}.${event.id}.`, event.body),
  ],
];

const joined = (before: string, body: Buffer): Buffer => Buffer.concat([Buffer.from(before), body]);

const digests: readonly (readonly [
  what: string,
  of: (hash: string, text: Buffer | string, key: Uint8Array) => Buffer,
])[] = [
  ["HMAC with", (hash, text, key) => createHmac(hash, key).update(text).digest()],
  ["a digest without a key,", (hash, text) => createHash(hash).update(text).digest()],
  [
    "a digest of the key and it,",
    (hash, text, key) => createHash(hash).update(key).update(text).digest(),
  ],
  [
    "a digest of it and the key,",
    (hash, text, key) => createHash(hash).update(text).update(key).digest(),
  ],
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
    digests.flatMap(([how, digest]) =>
      texts.flatMap(([what, textOf]) =>
        (["base64", "hex"] as const).map((encoding) =>
          op(
            "R-VERIFY-MAC",
            `a signature by ${how} ${hash} over ${what}, in ${encoding}`,
            (base) => {
              const key = keyOf(base);
              // Unlikely ones, over other parts by other algorithms, are left to the second round.
              const isCommon =
                what === "the signed text" ||
                what === "only the body" ||
                (hash === "sha256" && how === "HMAC with");
              if (key === undefined || (!isCommon && base.bench.round !== 1)) return undefined;
              const { signing } = base.bench;
              const text = signing.textOf({
                id: base.event.id,
                timestamp: base.timestamp,
                body: base.event.body,
              });
              const mac = digest(hash, textOf(base, text), key);
              // Another encoding of the scheme's own signature belongs to another requirement.
              const own = createHmac(signing.algorithm, key).update(text).digest();
              return mac.equals(own) ? undefined : signedBy(base, () => mac.toString(encoding));
            },
          ),
        ),
      ),
    ),
  ),
  ...OTHER_HEADERS.map(([name, hash, prefix]) =>
    op("R-VERIFY-MAC", `a signature over the body in ${name}`, (base) => {
      const key = keyOf(base);
      const { names } = base.bench.signing;
      if (key === undefined || names.signature === name.toLowerCase()) return undefined;
      const encoding = name.startsWith("X-Shopify") ? "base64" : "hex";
      const mac = createHmac(hash, key).update(base.event.body).digest(encoding);
      const own = Object.values(names).filter((one) => one !== undefined);
      return { headers: [...without(base.attempt.headers, own), [name, `${prefix}${mac}`]] };
    }),
  ),
];

function keyOf({ bench: { target, signing } }: Base): Uint8Array | undefined {
  const [secret] = target.secrets;
  return secret === undefined ? undefined : signing.keyOf(secret);
}

/** Parts of the signature, and others of its length. */
export function parts(
  isHex: boolean,
): readonly (readonly [what: string, change: (mac: string) => string])[] {
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
    ...[1, 4, 8, 16, 20, 32].map(
      (length) =>
        [
          `a signature's first ${length} characters`,
          (mac: string) => mac.slice(0, length),
        ] as const,
    ),
    ["a signature without its last bytes", (mac) => mac.slice(0, -4)],
    ["a signature without its first bytes", (mac) => mac.slice(4)],
    ["a signature's first 8 characters, and zeros", (mac) => mac.slice(0, 8) + zeros(mac).slice(8)],
    [
      "zeros, and a signature's last 8 characters",
      (mac) => zeros(mac).slice(0, -8) + mac.slice(-8),
    ],
    ...[0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9].map(
      (share) =>
        [
          `a signature with a character changed at ${share * 100} %`,
          (mac: string) => changed(mac, Math.floor(share * (mac.length - 3))),
        ] as const,
    ),
    ["a signature with its last byte changed", (mac) => changed(mac, last(mac))],
    ["a signature of zeros", zeros],
    ["a signature of as many spaces", (mac) => " ".repeat(mac.length)],
    ["a signature backwards", (mac) => mac.split("").toReversed().join("")],
    ["a signature of wildcards", (mac) => "*".repeat(mac.length)],
    ...(isHex
      ? []
      : [
          [
            "a signature with its letters' case turned",
            (mac: string) =>
              mac.replaceAll(/[a-z]+|[A-Z]+/g, (letters) =>
                letters === letters.toUpperCase() ? letters.toLowerCase() : letters.toUpperCase(),
              ),
          ] as const,
        ]),
  ];
}

/** A version's name, the separator, and the signature. */
const VERSIONED = /([A-Za-z0-9]+)([,=])([A-Za-z0-9+/]{38,}={0,2})/;

export const versions: readonly Operation[] = ["v0", "v2", "v1b", "v10", "v1a", "V1", "v", "1"].map(
  (version) =>
    op(
      "R-VERIFY-VERSION",
      `the genuine signature under ${version}`,
      ({ attempt, bench: { signing } }) => {
        const own = VERSIONED.exec(valueOf(attempt.headers, signing.names.signature))?.[1];
        // Under its own name it is genuine.
        if (own === version) return undefined;
        return {
          headers: withHeader(attempt.headers, signing.names.signature, (value) =>
            value.replace(VERSIONED, `${version}$2$3`),
          ),
        };
      },
    ),
);
