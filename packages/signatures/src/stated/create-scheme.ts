import { createHmac, type KeyObject, sign, timingSafeEqual, verify } from "node:crypto";
import { headerReader, isId, parseTimestamp } from "./headers.ts";
import { checkTolerance, type HmacDescription } from "./hmac-description.ts";
import { cachedKeys, type ImportSecret, type Key } from "./keys.ts";
import {
  type CheckedHeaders,
  type HeadersLike,
  type ReadSignatures,
  type Refused,
  refused,
  type SecretUse,
  type SignatureErrorCode,
  type SignatureScheme,
} from "./scheme.ts";
import { isBytes, MIN_SECRET_BYTES, type Secret } from "./secret.ts";
import { type HeaderForm, printSignatures, signatureReader } from "./signature-header.ts";

const DEFAULT_TOLERANCE_SECONDS = 300;
/** The last second of 12 digits. */
const LAST_TIMESTAMP = 999_999_999_999;
const ANY_KEY: readonly Pick<Key, "kind">[] = [{ kind: "hmac" }, { kind: "ed25519" }];

/** Everything in which schemes differ. */
export interface SchemeParts {
  readonly description: Omit<HmacDescription, "form">;
  readonly form: HeaderForm;
  readonly importSecret: ImportSecret;
}

/** Text around the body, so that a large body is not copied to be hashed. */
interface SignedText {
  readonly before: string;
  readonly body: Uint8Array;
  readonly after: string;
}

/** Creates a scheme; the one place where attempts are signed and verified. */
export function createScheme({ description, form, importSecret }: SchemeParts): SignatureScheme {
  const { name, algorithm, encoding, headers, signed, separator } = description;
  const { minSecretBytes = MIN_SECRET_BYTES } = description;
  const { toleranceSeconds: defaultTolerance = DEFAULT_TOLERANCE_SECONDS } = description;
  const sentHeaders = [headers.signature, headers.timestamp, headers.id].filter(
    (header) => header !== undefined,
  );
  const readHeaders = headerReader(sentHeaders);
  const readSignatures = signatureReader(description, form, headers.signature.toLowerCase());
  const importKeys = cachedKeys(importSecret, minSecretBytes);
  const bodyAt = signed.indexOf("body");
  const [partsBefore, partsAfter] = [signed.slice(0, bodyAt), signed.slice(bodyAt + 1)];

  /** Names the header at fault; that of the signature by default. */
  function refuse(code: SignatureErrorCode, header = headers.signature): Refused {
    return refused(code, { header: header.toLowerCase() });
  }

  function keysOf(secrets: readonly Secret[], use: SecretUse): readonly Key[] {
    const keys = importKeys(secrets, use);
    if (use === "sign" && form.kind === "single" && keys.length > 1) {
      throw new TypeError(
        `invalid "secrets": expected one secret, because ${name} sends one signature`,
      );
    }
    return keys;
  }

  /** Parses a timestamp. If nothing separates it from the next part, it must have ten digits to end at one place. */
  function parse(text: string): number | undefined {
    return separator === "" && text.length !== 10 ? undefined : parseTimestamp(text);
  }

  function textOf(id: string | undefined, sent: string | undefined, body: Uint8Array): SignedText {
    let [before, after] = ["", ""];
    for (const part of partsBefore) before += `${part === "id" ? id : sent}${separator}`;
    for (const part of partsAfter) after += `${separator}${part === "id" ? id : sent}`;
    return { before, body, after };
  }

  function digestOf(key: KeyObject, { before, body, after }: SignedText): Buffer {
    const state = createHmac(algorithm, key).update(before).update(body).update(after);
    // Node returns a digest sooner as text than as bytes.
    return Buffer.from(state.digest("binary"), "latin1");
  }

  /** Compares every candidate in constant time, also after a match. */
  function madeOne({ kind, object }: Key, text: SignedText, signatures: ReadSignatures): boolean {
    if (kind === "ed25519") {
      // Nothing here is secret.
      return signatures.ed25519.some((one) => verify(null, joined(text), object, one));
    }
    if (signatures.hmac.length < 1) return false;
    const digest = digestOf(object, text);
    let matches = 0;
    // Their form was checked: all have the digest's length.
    for (const one of signatures.hmac) matches |= timingSafeEqual(digest, one) ? 1 : 0;
    return matches > 0;
  }

  function readAttempt(given: HeadersLike): CheckedHeaders | Refused {
    const values = readHeaders(given);
    if ("ok" in values) return values;
    const id = headers.id === undefined ? undefined : values.at(-1);
    if (id !== undefined && !isId(id)) return refuse("CS_SIGNATURE_ID_INVALID", headers.id);
    const signatures = readSignatures(values[0] ?? "");
    if ("ok" in signatures) return signatures;
    const sent = headers.timestamp === undefined ? signatures.timestamp : values[1];
    const timestamp = sent === undefined ? undefined : parse(sent);
    if (sent !== undefined && timestamp === undefined) {
      return refuse("CS_SIGNATURE_TIMESTAMP_INVALID", headers.timestamp);
    }
    return { ok: true, id, timestamp, sent, signatures };
  }

  /** Refuses an attempt without a well-formed signature that one of the keys, or any key, could have made. */
  function refuseKinds(
    { signatures }: CheckedHeaders,
    keys: readonly Pick<Key, "kind">[],
  ): Refused | undefined {
    if (keys.some(({ kind }) => signatures[kind].length > 0)) return undefined;
    return refuse(
      keys.some(({ kind }) => signatures.kinds.includes(kind))
        ? "CS_SIGNATURE_MALFORMED"
        : "CS_SIGNATURE_VERSION_UNSUPPORTED",
    );
  }

  return {
    name,
    replayProtection: signed.length > 1,

    check: (secrets, use) => keysOf(secrets, use).map(({ checked }) => checked),

    sign({ id, timestamp, body }, secrets) {
      const keys = keysOf(secrets, "sign");
      checkBody(body);
      if (headers.id !== undefined) checkId(id);
      if (signed.includes("timestamp")) {
        checkTimestamp(timestamp);
        if (parse(String(timestamp)) === undefined) {
          throw new TypeError(
            'invalid "timestamp": expected ten digits, because no separator follows',
          );
        }
      }
      const text = textOf(id, String(timestamp), body);
      const signatures = keys.map(({ kind, object }) => ({
        kind,
        text: (kind === "hmac"
          ? digestOf(object, text)
          : sign(null, joined(text), object)
        ).toString(encoding),
      }));
      return {
        ...(headers.id === undefined ? {} : { [headers.id]: id }),
        ...(headers.timestamp === undefined ? {} : { [headers.timestamp]: String(timestamp) }),
        [headers.signature]: printSignatures(form, signatures, timestamp),
      };
    },

    checkHeaders(given) {
      const read = readAttempt(given);
      return read.ok ? (refuseKinds(read, ANY_KEY) ?? read) : read;
    },

    verify(attempt, secrets, { now, toleranceSeconds = defaultTolerance }) {
      const keys = keysOf(secrets, "verify");
      if (!Number.isFinite(now)) {
        throw new TypeError('invalid "now": expected milliseconds since the epoch');
      }
      checkTolerance(toleranceSeconds);
      checkBody(attempt.body);

      const read = attempt.checked ?? readAttempt(attempt.headers);
      if (!read.ok) return read;
      const unfit = refuseKinds(read, keys);
      if (unfit !== undefined) return unfit;

      const { id, timestamp, sent, signatures } = read;
      const text = textOf(id, sent, attempt.body);
      // Every key is tried, also after a match, so that the time taken reveals nothing about a secret.
      const secretIndex = keys.map((key) => madeOne(key, text, signatures)).indexOf(true);
      if (secretIndex === -1) {
        const fingerprints = keys.map(({ checked }) => checked.fingerprint);
        return refused("CS_SIGNATURE_MISMATCH", { fingerprints });
      }
      // Not earlier: before the signature matched, the timestamp was the stranger's choice.
      const clockDifferenceSeconds =
        timestamp === undefined ? 0 : timestamp - Math.floor(now / 1000);
      if (clockDifferenceSeconds < -toleranceSeconds) {
        return refused("CS_SIGNATURE_TIMESTAMP_TOO_OLD", { clockDifferenceSeconds });
      }
      if (clockDifferenceSeconds > toleranceSeconds) {
        return refused("CS_SIGNATURE_TIMESTAMP_TOO_NEW", { clockDifferenceSeconds });
      }
      return { ok: true, id, timestamp, secretIndex };
    },
  };
}

/** ed25519 signs one run of bytes. */
function joined({ before, body, after }: SignedText): Uint8Array {
  return Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);
}

function checkBody(body: Uint8Array): void {
  if (!isBytes(body)) {
    throw new TypeError(
      'invalid "body": expected the raw bytes (Uint8Array), not text or parsed JSON',
    );
  }
}

function checkId(id: string): void {
  if (typeof id !== "string" || !isId(id)) {
    throw new TypeError('invalid "id": expected 1 to 256 characters of A-Z, a-z, 0-9, "_" and "-"');
  }
}

function checkTimestamp(timestamp: number): void {
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > LAST_TIMESTAMP) {
    throw new TypeError(
      'invalid "timestamp": expected whole seconds since the epoch, at most 12 digits',
    );
  }
}
