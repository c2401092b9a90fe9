import { createHash, createHmac } from "node:crypto";
import type { Attempt, Bench, BenchEvent } from "./bench.ts";
import { valueOf, withHeader, withSignature } from "./request.ts";

/** A genuine attempt, before an operation changes a part of it. */
export interface Base {
  readonly bench: Bench;
  readonly event: BenchEvent;
  readonly attempt: Attempt;
  /** Whole seconds. */
  readonly timestamp: number;
  /** An earlier genuine attempt, which the receiver has taken. */
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

/** The genuine headers with a signature that was made in another way from the signed text. */
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

type WeakMac = readonly [what: string, make: (text: Buffer, key: Uint8Array, base: Base) => string];

/** Signatures of another algorithm, or over fewer parts, that hand-written verifiers have been seen to take. */
export const weakMacs: readonly WeakMac[] = [
  ...["md5", "sha1", "sha512", "sha256", "sha224"].map((name): WeakMac => [
    `a signature by HMAC with ${name}`,
    (text, key, { bench }) =>
      name === bench.signing.algorithm
        ? // The scheme's own, cut to the length of a shorter one.
          createHmac(name, key)
            .update(text)
            .digest()
            .subarray(0, 20)
            .toString(bench.signing.encoding)
        : createHmac(name, key).update(text).digest(bench.signing.encoding),
  ]),
  ...["md5", "sha1", "sha256", "sha512"].map((name): WeakMac => [
    `a digest by ${name} that no key went into`,
    (text, _key, { bench }) => createHash(name).update(text).digest(bench.signing.encoding),
  ]),
  [
    "a digest of the body that no key went into",
    (_text, _key, { bench, event }) =>
      createHash("sha256").update(event.body).digest(bench.signing.encoding),
  ],
  [
    "a digest of the key and the text",
    (text, key, { bench }) =>
      createHash("sha256").update(key).update(text).digest(bench.signing.encoding),
  ],
  [
    "a digest of the text and the key",
    (text, key, { bench }) =>
      createHash("sha256").update(text).update(key).digest(bench.signing.encoding),
  ],
  [
    "the text itself as its signature",
    (text, _key, { bench }) => text.subarray(0, 48).toString(bench.signing.encoding),
  ],
  ...(
    [
      ["the body alone", ({ event }) => event.body],
      ["the id alone", ({ event }) => event.id],
      ["the time alone", ({ timestamp }) => String(timestamp)],
      ["no text", () => ""],
      [
        "the id and the body",
        ({ event }) => Buffer.concat([Buffer.from(`${event.id}.`), event.body]),
      ],
      [
        "the time and the body",
        ({ event, timestamp }) => Buffer.concat([Buffer.from(`${timestamp}.`), event.body]),
      ],
      [
        "the parts without a separator",
        ({ event, timestamp }) =>
          Buffer.concat([Buffer.from(`${event.id}${timestamp}`), event.body]),
      ],
      [
        "the time before the id",
        ({ event, timestamp }) =>
          Buffer.concat([Buffer.from(`${timestamp}.${event.id}.`), event.body]),
      ],
    ] as const satisfies readonly (readonly [string, (base: Base) => Buffer | string])[]
  ).map(([what, partOf]): WeakMac => [
    `a signature over ${what}`,
    (text, key, base) => {
      const own = Buffer.from(partOf(base));
      // What the scheme itself signs is no forgery.
      return own.equals(text) ? "" : macOf(base, { text: own, key });
    },
  ]),
];

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

/** A version's name, what divides it from its signature, and the signature. */
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
