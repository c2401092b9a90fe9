import { createHash, createHmac } from "node:crypto";
import type { Attempt } from "../harness/attempt-maker.ts";
import { type Header, without } from "../harness/message.ts";
import type { Signing } from "../harness/signing.ts";
import { type Base, op, type Operation, signedText, withQuery, words } from "./forged-operation.ts";

const MAC = "R-VERIFY-MAC";

const HASHES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
const ENCODINGS = ["base64", "hex"] as const;

type Text = readonly [what: string, of: (base: Base, key: Uint8Array) => Uint8Array | string];

/** The text that the scheme signs, and the body. */
const WHOLE: Text = ["the signed text", signedText];
const BODY: Text = ["only the body", ({ attempt }) => attempt.body];

const PARTS: Readonly<Record<string, (base: Base) => string>> = {
  id: ({ attempt }) => attempt.event.id,
  time: ({ timestamp }) => String(timestamp),
  body: ({ attempt }) => attempt.event.text,
};

/** Texts that a receiver may sign instead of the scheme's. */
const OTHER_TEXTS: readonly Text[] = [
  ["only the id", ({ attempt }) => attempt.event.id],
  ["only the time", ({ timestamp }) => String(timestamp)],
  ["only the URL", ({ kit }) => kit.url.href],
  ["only the path", ({ kit }) => kit.url.pathname],
  ["no text", () => ""],
  ["the URL and the body", ({ kit, attempt }) => kit.url.href + attempt.event.text],
  ["the method and the URL", ({ kit }) => `POST${kit.url.href}`],
  ["the body's SHA-256", ({ attempt }) => createHash("sha256").update(attempt.body).digest("hex")],
  ...[".", ":", "", "|", "\n"].flatMap((separator) =>
    ["id body", "time body", "body time", "id time", "id time body", "time id body"].map(
      (names): Text => {
        const what = `${names.replaceAll(" ", ", ")} with ${JSON.stringify(separator)} between them`;
        const part = (base: Base) => (name: string) => PARTS[name]?.(base);
        return [what, (base) => words(names).map(part(base)).join(separator)];
      },
    ),
  ),
];

interface Digest {
  readonly how: string;
  readonly of: (hash: string, text: Uint8Array, key: Uint8Array) => Buffer;
}

const digestOf = (hash: string, ...parts: readonly Uint8Array[]): Buffer =>
  createHash(hash).update(Buffer.concat(parts)).digest();
const HMAC: Digest = {
  how: "HMAC with",
  of: (hash, text, key) => createHmac(hash, key).update(text).digest(),
};
/** Anyone can make it. */
const KEYLESS: Digest = {
  how: "a digest without a key,",
  of: (hash, text) => digestOf(hash, text),
};
const KEYED: readonly Digest[] = [
  { how: "a digest of the key and it,", of: (hash, text, key) => digestOf(hash, key, text) },
  { how: "a digest of it and the key,", of: (hash, text, key) => digestOf(hash, text, key) },
];

/** A change of an attempt by the hash of its signature. */
type Change = (attempt: Attempt, hash: string) => Attempt;

/**
 * Attempts with each combination of the parts as their signature, and a change after it. The scheme's own digest is left
 * out.
 */
const signedBy = (
  hashes: readonly string[],
  digests: readonly Digest[],
  texts: readonly Text[],
  [ending, change]: readonly [ending: string, Change] = ["", (attempt) => attempt],
): readonly Operation[] =>
  hashes.flatMap((hash) =>
    digests.flatMap((digest) =>
      texts.flatMap(([text, textOf]) =>
        ENCODINGS.map((encoding) => {
          const what = `a signature by ${digest.how} ${hash} over ${text}, in ${encoding}${ending}`;
          return op(MAC, what, (base) => {
            const { kit, attempt } = base;
            const { key, signing } = kit;
            if (key === undefined) return undefined;
            const bytes = digest.of(hash, Buffer.from(textOf(base, key)), key);
            // Another encoding of the scheme's own signature belongs to another requirement.
            if (bytes.equals(signing.mac(signedText(base, key), key))) return undefined;
            return change(
              signing.withSignature(attempt, () => bytes.toString(encoding)),
              hash,
            );
          });
        }),
      ),
    ),
  );

/** Names of versions under which the genuine signature is carried. */
const VERSIONS = words("v0 v2 v1b v10 v1a V1 v 1 sha1 sha512");
/** Names of versions and algorithms under which weaker signatures are carried. */
const LABELS = [...words("v0 v1 v2 v1a md5 sha1 sha256"), ""];

const CHOICES = words(`
  Webhook-Signature-Algorithm X-Webhook-Signature-Algorithm X-Signature-Algorithm X-Signature-Alg X-Signature-Method
  X-Signature-Version X-Hash-Algorithm X-Hmac-Algorithm X-Algorithm Signature-Algorithm Algorithm Alg`);
const QUERY_CHOICES = words("algorithm alg algo hash signature_method");

/** Other headers that carry a signature of the body, each with its hash and what precedes the signature. */
const OTHER_HEADERS: readonly (readonly [name: string, hash: string, prefix?: string])[] = [
  ["X-Hub-Signature", "sha1", "sha1="],
  ["X-Hub-Signature-256", "sha256", "sha256="],
  ...words("X-Signature X-Signature-256 X-Webhook-Signature X-Hmac-Signature Signature").map(
    (name) => [name, "sha256"] as const,
  ),
];

/** Signatures by other algorithms, over other texts, under other versions and in other headers. */
export function weakSignatures(signing: Signing): readonly Operation[] {
  return [
    ...signedBy(HASHES, [HMAC, KEYLESS, ...KEYED], [WHOLE, BODY]),
    ...signedBy([...new Set([signing.hash, "sha256"])], [HMAC], OTHER_TEXTS),
    ...otherVersions(signing),
    ...chosenAlgorithms(signing),
    ...otherHeaders(signing),
    ...(signing.isToken ? ["none", "None", "NONE", "HS1", ""].map(unsignedToken) : []),
  ];
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
    ...LABELS.filter(isOther).flatMap((version) => {
      const change: Change = (made) => relabelled(made, version);
      const under = [`, under ${version || "no version"}`, change] as const;
      return [
        ...signedBy(["sha1", "sha256"], [HMAC, KEYLESS], [WHOLE, BODY], under),
        ...signedBy(["md5"], [KEYLESS], [WHOLE, BODY], under),
      ];
    }),
  ];
}

/** Digests without a key, or none at all, by the algorithm that the attempt itself names. */
function chosenAlgorithms(signing: Signing): readonly Operation[] {
  const chosen: Change = (attempt, name) => ({
    ...withQuery(attempt, QUERY_CHOICES.map((one) => `${one}=${name}`).join("&")),
    headers: [...attempt.headers, ...CHOICES.map((header) => [header, name] as const)],
  });
  const unsigned = words("none null plain identity").flatMap((name) =>
    ["", "none", "cstest"].map((text) =>
      op(MAC, `the signature "${text}" by the algorithm ${name} that it names`, ({ attempt }) => {
        const made = signing.withSignature(attempt, () => text);
        return chosen(made, name);
      }),
    ),
  );
  const ending = ", by the algorithm that it names";
  return [...unsigned, ...signedBy(HASHES, [KEYLESS], [WHOLE, BODY], [ending, chosen])];
}

/** A signature over the body where other schemes have theirs, or where the provider had an older one. */
function otherHeaders({ headers }: Signing): readonly Operation[] {
  const older = headers
    .filter((name) => name.includes("256"))
    .flatMap((name) =>
      [["", "sha1"] as const, ["-sha1", "sha1"] as const, ["-md5", "md5"] as const].map(
        ([end, hash]) => [name.replace(/-?(?:sha)?256/i, end), hash] as const,
      ),
    );
  return [...OTHER_HEADERS, ...older]
    .filter(([name]) => !headers.includes(name.toLowerCase()))
    .flatMap(([name, hash, prefix = ""]) =>
      ENCODINGS.map((encoding) =>
        op(MAC, `a signature over the body in ${name}, in ${encoding}`, ({ kit, attempt }) => {
          if (kit.key === undefined) return undefined;
          const mac = createHmac(hash, kit.key).update(attempt.body).digest(encoding);
          const own: Header = [name, prefix + mac];
          return { ...attempt, headers: [...without(attempt.headers, headers), own] };
        }),
      ),
    );
}

/** A token whose header names another algorithm, and that has no signature. */
const unsignedToken = (alg: string): Operation =>
  op(MAC, `a token of the algorithm "${alg}"`, ({ kit: { signing }, attempt }) =>
    signing.withCarrier(attempt, (text) => {
      const [header = "", payload = ""] = text.split(".");
      const prefix = /^(?:.* )?/.exec(header)?.[0] ?? "";
      const other = Buffer.from(JSON.stringify({ alg, typ: "JWT" })).toString("base64url");
      return `${prefix}${other}.${payload}.`;
    }),
  );
