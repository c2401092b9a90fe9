import {
  checkBody,
  checkId,
  checkTimestamp,
  DEFAULT_TOLERANCE_SECONDS,
  readOptions,
} from "./caller.ts";
import type { SignatureErrorCode } from "./codes.ts";
import { isSignedBy, SIGNATURE_BYTES, signEd25519 } from "./ed25519.ts";
import { decodeCanonical } from "./encoding.ts";
import { isId, MAX_SIGNATURES, parseTimestamp } from "./grammar.ts";
import { headerReader } from "./headers.ts";
import { DIGEST_BYTES, hmac, isAmong, type SignedText } from "./hmac.ts";
import { cachedKeys } from "./key-cache.ts";
import type { Attempt, Message, SignatureScheme, Verification, VerifyOptions } from "./scheme.ts";
import { checkMinSecretBytes, MIN_SECRET_BYTES, type Secret } from "./secret.ts";
import { importStandardSecret, type StandardKey } from "./standard-key.ts";
import { judgeAge, refused } from "./verdict.ts";

/** Options of `standardWebhooks`. */
export interface StandardWebhooksOptions {
  /**
   * The fewest bytes of a shared secret: an integer from 1 to 64, 24 by default, as the
   * specification says. A lower number admits keys that a stranger with one signed attempt can
   * search for offline; it is meant for a sender that has already issued them.
   */
  readonly minSecretBytes?: number;
}

const readHeaders = headerReader(["webhook-id", "webhook-timestamp", "webhook-signature"]);

const PRINTABLE = /^[\x20-\x7e]*$/;

/** A version is a word; what follows it is that version's affair. */
const OTHER_VERSION = /^[A-Za-z0-9_-]{1,32},/;

interface Candidates {
  readonly v1: readonly Uint8Array[];
  readonly v1a: readonly Uint8Array[];
}

/**
 * Standard Webhooks 1.0.0: `v1` (HMAC-SHA256) and `v1a` (ed25519) over `id.timestamp.body`, any
 * mix of both in one header, several secrets on either side.
 *
 * A secret is bound to its version: a `whpk_` key never verifies `v1`. Unknown versions and
 * garbled signatures beside a genuine one are passed over (Standard Webhooks, "Verifying
 * signatures"); ids with a full stop, repeated headers and other header names are refused.
 *
 * @throws {TypeError} `minSecretBytes` is not an integer from 1 to 64.
 */
export function standardWebhooks({
  minSecretBytes = MIN_SECRET_BYTES,
}: StandardWebhooksOptions = {}): SignatureScheme {
  checkMinSecretBytes(minSecretBytes);
  const keysOf = cachedKeys<StandardKey>((secret, use, at) =>
    importStandardSecret(secret, use, at, minSecretBytes),
  );

  return {
    name: "standard-webhooks",

    check(secrets, use) {
      keysOf(secrets, use);
    },

    sign({ id, timestamp, body }: Message, secrets: readonly Secret[]): Record<string, string> {
      const keys = keysOf(secrets, "sign");
      checkId(id);
      checkTimestamp(timestamp);
      checkBody(body);
      const text = { before: `${id}.${timestamp}.`, body, after: "" };
      return {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": keys.map((key) => signature(key, text)).join(" "),
      };
    },

    verify(
      { headers, body }: Attempt,
      secrets: readonly Secret[],
      options: VerifyOptions,
    ): Verification {
      const keys = keysOf(secrets, "verify");
      const clock = readOptions(options, DEFAULT_TOLERANCE_SECONDS);
      checkBody(body);

      const values = readHeaders(headers);
      if (typeof values === "string") return refused(values);
      const [id = "", sent = "", list = ""] = values;
      if (!isId(id)) return refused("CS_SIGNATURE_ID_INVALID");
      const timestamp = parseTimestamp(sent);
      if (timestamp === undefined) return refused("CS_SIGNATURE_TIMESTAMP_INVALID");
      const candidates = readCandidates(list, keys);
      if (typeof candidates === "string") return refused(candidates);

      const text = { before: `${id}.${sent}.`, body, after: "" };
      const secretIndex = firstMatch(keys, candidates, text);
      if (secretIndex === -1) return refused("CS_SIGNATURE_MISMATCH");
      return judgeAge({ ok: true, id, timestamp, secretIndex }, clock);
    },
  };
}

function signature({ version, key }: StandardKey, text: SignedText): string {
  const bytes = version === "v1" ? hmac("sha256", key, text) : signEd25519(key, joined(text));
  return `${version},${Buffer.from(bytes).toString("base64")}`;
}

/** The well-formed signatures of the versions that the keys can verify; at least one. */
function readCandidates(
  list: string,
  keys: readonly StandardKey[],
): Candidates | SignatureErrorCode {
  const tokens = list.includes(" ") ? list.split(" ") : [list];
  // Node and the Web join a repeated header with a comma and a space.
  if (tokens.length > 1 && list.includes(", ")) return "CS_SIGNATURE_HEADER_DUPLICATE";
  if (tokens.length > MAX_SIGNATURES) return "CS_SIGNATURE_TOO_MANY";

  const v1: Uint8Array[] = [];
  const v1a: Uint8Array[] = [];
  let supported = false;
  for (const token of tokens) {
    const version = versionOf(token);
    if (version === undefined) return "CS_SIGNATURE_MALFORMED";
    if (!keys.some((key) => key.version === version)) continue;
    supported = true;
    const bytes = decodeCanonical(token, "base64", version.length + 1);
    if (version === "v1" && bytes?.length === DIGEST_BYTES.sha256) v1.push(bytes);
    if (version === "v1a" && bytes?.length === SIGNATURE_BYTES) v1a.push(bytes);
  }
  const read = v1.length + v1a.length;
  // Canonical base64 is ASCII; what is passed over must at least be that.
  if (read < tokens.length && !PRINTABLE.test(list)) return "CS_SIGNATURE_HEADER_INVALID";
  if (!supported) return "CS_SIGNATURE_VERSION_UNSUPPORTED";
  return read === 0 ? "CS_SIGNATURE_MALFORMED" : { v1, v1a };
}

function versionOf(token: string): "v1" | "v1a" | "other" | undefined {
  if (token.startsWith("v1,")) return "v1";
  if (token.startsWith("v1a,")) return "v1a";
  return OTHER_VERSION.test(token) ? "other" : undefined;
}

/** The index of the first key that made one of the candidates, or -1. */
function firstMatch(
  keys: readonly StandardKey[],
  candidates: Candidates,
  text: SignedText,
): number {
  let first = -1;
  // Every key is tried, also after a match: how long it takes says nothing about a secret.
  keys.forEach((key, index) => {
    if (madeOne(key, candidates, text) && first === -1) first = index;
  });
  return first;
}

function madeOne({ version, key }: StandardKey, candidates: Candidates, text: SignedText): boolean {
  const { v1, v1a } = candidates;
  return version === "v1"
    ? v1.length > 0 && isAmong(hmac("sha256", key, text), v1)
    : v1a.length > 0 && isSignedBy(key, joined(text), v1a);
}

/** ed25519 signs one run of bytes. */
function joined({ before, body }: SignedText): Uint8Array {
  return Buffer.concat([Buffer.from(before), body]);
}
