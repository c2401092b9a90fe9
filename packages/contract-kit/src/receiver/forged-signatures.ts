import { createHash, createHmac } from "node:crypto";
import type { Attempt } from "../harness/attempt-maker.ts";
import { without } from "../harness/message.ts";
import type { Sender } from "../harness/sender.ts";
import type { Signing } from "../harness/signing.ts";

/** A genuine attempt, before an operation changes a part of it. */
export interface Base {
  readonly sender: Sender;
  readonly attempt: Attempt;
  /** Whole seconds. */
  readonly timestamp: number;
  /** An earlier genuine attempt, which the receiver has accepted. */
  readonly accepted: Attempt;
}

/** One operation on one part of a signed attempt. `undefined` if the provider's scheme has no such part. */
export interface Operation {
  readonly requirement: string;
  /** The operation as the subject of a sentence. */
  readonly what: string;
  readonly change: (base: Base) => Attempt | undefined;
}

export const op = (requirement: string, what: string, change: Operation["change"]): Operation => ({
  requirement,
  what,
  change,
});

const MAC = "R-VERIFY-MAC";

/** Texts that other schemes, and older versions of this one, sign. */
const texts: readonly (readonly [
  what: string,
  of: (base: Base, key: Uint8Array) => Uint8Array | string,
])[] = [
  ["the signed text", (base, key) => signedText(base, key)],
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

const signedText = ({ sender, attempt }: Base, key: Uint8Array): Uint8Array =>
  sender.textOf(attempt, key) ?? Buffer.alloc(0);

/** Digests of a text and a key. */
const digests: readonly (readonly [
  what: string,
  digest: (hash: string, text: Uint8Array, key: Uint8Array) => Buffer,
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

const HASHES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
const ENCODINGS = ["base64", "hex"] as const;

/** Names of versions under which the genuine signature is carried. */
const VERSIONS = ["v0", "v2", "v1b", "v10", "v1a", "V1", "v", "1"];
/** Names of versions and algorithms under which weaker signatures are carried. */
const LABELS = ["v0", "v1", "v2", "v1a", "md5", "sha1", "sha256", ""];

/** Other headers that carry a signature of the body, with what is before it. */
const OTHER_HEADERS = [
  ["X-Hub-Signature", "sha1", "sha1="],
  ["X-Hub-Signature-256", "sha256", "sha256="],
  ["X-Signature", "sha256", ""],
  ["X-Webhook-Signature", "sha256", ""],
  ["X-Shopify-Hmac-Sha256", "sha256", ""],
] as const;

/** Signatures by other algorithms, over other texts, under other versions and in other headers. */
export function weakSignatures(signing: Signing): readonly Operation[] {
  return [
    ...HASHES.flatMap((hash) =>
      digests.flatMap(([how, digest]) =>
        texts.flatMap(([what, of]) =>
          ENCODINGS.map((encoding) => {
            const name = `a signature by ${how} ${hash} over ${what}, in ${encoding}`;
            const isBodyOrText = what === "the signed text" || what === "only the body";
            const isCommon = isBodyOrText || (hash === "sha256" && how === "HMAC with");
            return op(MAC, name, (base) =>
              // Unlikely ones, over other texts by other algorithms, are left to the second round.
              isCommon || base.sender.round === 1
                ? resigned(base, (key) => digest(hash, Buffer.from(of(base, key)), key), encoding)
                : undefined,
            );
          }),
        ),
      ),
    ),
    ...otherVersions(signing),
    ...chosenAlgorithms(),
    ...OTHER_HEADERS.map(([name, hash, prefix]) =>
      op(MAC, `a signature over the body in ${name}`, ({ sender, attempt }) => {
        const key = keyOf(sender);
        if (key === undefined || signing.headers.includes(name.toLowerCase())) return undefined;
        const encoding = name.startsWith("X-Shopify") ? "base64" : "hex";
        const mac = createHmac(hash, key).update(attempt.body).digest(encoding);
        const headers = without(attempt.headers, signing.headers);
        return { ...attempt, headers: [...headers, [name, prefix + mac]] };
      }),
    ),
    ...(signing.isToken ? ["none", "None", "NONE", "HS1", ""].map(unsignedToken) : []),
  ];
}

/** A token whose header names another algorithm, and that has no signature. */
const unsignedToken = (alg: string): Operation =>
  op(MAC, `a token of the algorithm "${alg}"`, ({ sender: { signing }, attempt }) =>
    signing.withCarrier(attempt, (text) => {
      const [header = "", payload = ""] = text.split(".");
      const prefix = /^(?:.* )?/.exec(header)?.[0] ?? "";
      const other = Buffer.from(JSON.stringify({ alg, typ: "JWT" })).toString("base64url");
      return `${prefix}${other}.${payload}.`;
    }),
  );

/** Headers and parameters that choose the algorithm. */
const CHOICES = (
  "Webhook-Signature-Algorithm X-Webhook-Signature-Algorithm X-Signature-Algorithm X-Signature-Alg X-Signature-Method " +
  "X-Signature-Version X-Hash-Algorithm X-Hmac-Algorithm X-Algorithm Signature-Algorithm Algorithm Alg"
).split(" ");
const QUERY_CHOICES = ["algorithm", "alg", "algo", "hash", "signature_method"];

/** Digests without a key, by the algorithm that the attempt itself names. */
function chosenAlgorithms(): readonly Operation[] {
  const chosen = (attempt: Attempt, name: string): Attempt => {
    const { path = "/" } = attempt;
    const query = QUERY_CHOICES.map((one) => `${one}=${name}`).join("&");
    return {
      ...attempt,
      path: `${path}${path.includes("?") ? "&" : "?"}${query}`,
      headers: [...attempt.headers, ...CHOICES.map((header) => [header, name] as const)],
    };
  };
  const unsigned = ["none", "null", "plain", "identity"].flatMap((name) =>
    ["", "none", "cstest"].map((text) =>
      op(MAC, `the signature "${text}" by the algorithm ${name} that it names`, (base) =>
        chosen(
          base.sender.signing.withSignature(base.attempt, () => text),
          name,
        ),
      ),
    ),
  );
  const digested = HASHES.flatMap((hash) =>
    texts.slice(0, 2).flatMap(([what, of]) =>
      ENCODINGS.map((encoding) =>
        op(
          MAC,
          `a digest by ${hash}, which it names, without a key over ${what}, in ${encoding}`,
          (base) => {
            const text = Buffer.from(of(base, Buffer.alloc(0)));
            const digest = createHash(hash).update(text).digest(encoding);
            return chosen(
              base.sender.signing.withSignature(base.attempt, () => digest),
              hash,
            );
          },
        ),
      ),
    ),
  );
  return [...unsigned, ...digested];
}

/** The genuine signature, and weaker ones, under each other version's name. */
function otherVersions(signing: Signing): readonly Operation[] {
  const labels = signing.provider.signature.carrier.map(({ pair, equals = "=", prefix = "" }) => {
    return pair === undefined ? prefix : pair + equals;
  });
  const [, sign = "="] = /([,=])$/.exec(labels[0] ?? "") ?? [];
  const named = (version: string): string => (version === "" ? "" : version + sign);
  const relabelled = (attempt: Attempt, version: string): Attempt =>
    signing.withCarrier(attempt, (text) => {
      const label = labels.find((one) => text.includes(one)) ?? "";
      return text.replace(label, () => named(version));
    });
  const isOther = (version: string): boolean => named(version) !== labels[0];
  return [
    ...(labels[0] === "" ? [] : VERSIONS.filter(isOther)).map((version) =>
      op("R-VERIFY-VERSION", `the genuine signature under ${version}`, ({ attempt }) =>
        relabelled(attempt, version),
      ),
    ),
    ...LABELS.filter(isOther).flatMap((version) =>
      // Anyone can make a digest without a key: the one with it is tried where other names are usual.
      ["md5", "sha1", "sha256"].flatMap((hash) =>
        digests.slice(hash === "md5" ? 1 : 0, 2).flatMap(([how, digest]) =>
          texts.slice(0, 2).flatMap(([what, of]) =>
            ENCODINGS.map((encoding) => {
              const name = `a signature by ${how} ${hash} over ${what} under ${version || "no version"}, in ${encoding}`;
              return op(MAC, name, (base) => {
                const made = resigned(
                  base,
                  (key) => digest(hash, Buffer.from(of(base, key)), key),
                  encoding,
                );
                return made && relabelled(made, version);
              });
            }),
          ),
        ),
      ),
    ),
  ];
}

/** With another digest as the signature; `undefined` for the scheme's own. */
function resigned(
  base: Base,
  digest: (key: Uint8Array) => Buffer,
  encoding: (typeof ENCODINGS)[number],
): Attempt | undefined {
  const { sender, attempt } = base;
  const key = keyOf(sender);
  if (key === undefined) return undefined;
  const mac = digest(key);
  // Another encoding of the scheme's own signature belongs to another requirement.
  if (mac.equals(sender.signing.mac(signedText(base, key), key))) return undefined;
  return sender.signing.withSignature(attempt, () => mac.toString(encoding));
}

export function keyOf({ secrets: [secret], signing }: Sender): Uint8Array | undefined {
  return secret === undefined ? undefined : signing.keyOf(secret);
}
