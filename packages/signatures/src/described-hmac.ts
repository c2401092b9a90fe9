import type { KeyObject } from "node:crypto";
import {
  checkBody,
  checkId,
  checkTimestamp,
  DEFAULT_TOLERANCE_SECONDS,
  readOptions,
} from "./caller.ts";
import { checkDescription } from "./check-description.ts";
import { isId, parseTenDigits, parseTimestamp } from "./grammar.ts";
import { headerReader } from "./headers.ts";
import { hmac, importHmacKey, isAmong, type SignedText } from "./hmac.ts";
import type { HmacDescription } from "./hmac-description.ts";
import { cachedKeys } from "./key-cache.ts";
import type {
  Attempt,
  Message,
  SecretUse,
  SignatureScheme,
  Verification,
  VerifyOptions,
} from "./scheme.ts";
import { MIN_SECRET_BYTES, rawKeyBytes, type Secret } from "./secret.ts";
import { printSignatures, readSignatures } from "./signature-form.ts";
import { judgeAge, refused } from "./verdict.ts";

/**
 * A scheme made from its description. A string is the secret's key as it stands, whatever it
 * begins with; `{ raw }` is the same for text, and the way to give bytes. A secret has 24 bytes or
 * more unless the description says otherwise: one observed attempt is enough to search for a
 * shorter one offline.
 *
 * @param description Is copied; changing it afterwards changes nothing.
 * @throws {TypeError} The description is unusable; the message names the member.
 */
export function describedHmac(description: HmacDescription): SignatureScheme {
  checkDescription(description);
  const described = structuredClone(description);
  const { algorithm, encoding, headers, form, signed, separator } = described;
  const { minSecretBytes = MIN_SECRET_BYTES } = described;
  const { toleranceSeconds: defaultTolerance = DEFAULT_TOLERANCE_SECONDS } = described;
  const carried = [headers.signature, headers.timestamp, headers.id];
  const readHeaders = headerReader(carried.filter((name) => name !== undefined));
  const parse = separator === "" ? parseTenDigits : parseTimestamp;
  const importKeys = cachedKeys<KeyObject>((secret, _use, at) =>
    importHmacKey(
      rawKeyBytes(typeof secret === "string" ? secret : secret?.raw, minSecretBytes, at),
    ),
  );

  function keysOf(secrets: readonly Secret[], use: SecretUse): readonly KeyObject[] {
    const keys = importKeys(secrets, use);
    if (use === "sign" && form.kind === "single" && keys.length > 1) {
      throw new TypeError(`"secrets" must hold one secret: ${described.name} sends one signature`);
    }
    return keys;
  }

  /** Where a part is not signed, its value is not looked at. */
  function textOf(
    id: string | undefined,
    timestamp: string | undefined,
    body: Uint8Array,
  ): SignedText {
    const values = { id, timestamp, body: undefined };
    const at = signed.indexOf("body");
    const before = signed.slice(0, at).map((part) => `${values[part]}${separator}`);
    const after = signed.slice(at + 1).map((part) => `${separator}${values[part]}`);
    return { before: before.join(""), body, after: after.join("") };
  }

  return {
    name: described.name,

    check(secrets: readonly Secret[], use: SecretUse): void {
      keysOf(secrets, use);
    },

    sign({ id, timestamp, body }: Message, secrets: readonly Secret[]): Record<string, string> {
      const keys = keysOf(secrets, "sign");
      checkBody(body);
      if (signed.includes("id")) checkId(id);
      if (signed.includes("timestamp")) {
        checkTimestamp(timestamp);
        if (parse(String(timestamp)) === undefined) {
          throw new TypeError('"timestamp" must have ten digits where nothing separates it');
        }
      }
      const text = textOf(id, String(timestamp), body);
      const signatures = keys.map((key) =>
        Buffer.from(hmac(algorithm, key, text)).toString(encoding),
      );
      return {
        ...(headers.id === undefined ? {} : { [headers.id]: id }),
        ...(headers.timestamp === undefined ? {} : { [headers.timestamp]: String(timestamp) }),
        [headers.signature]: printSignatures(form, signatures, timestamp),
      };
    },

    verify(attempt: Attempt, secrets: readonly Secret[], options: VerifyOptions): Verification {
      const keys = keysOf(secrets, "verify");
      const clock = readOptions(options, defaultTolerance);
      checkBody(attempt.body);

      const values = readHeaders(attempt.headers);
      if (typeof values === "string") return refused(values);
      const read = readSignatures(described, values[0] ?? "");
      const sentAlone = headers.timestamp === undefined ? undefined : values[1];
      const id = headers.id === undefined ? undefined : values.at(-1);
      if (id !== undefined && !isId(id)) return refused("CS_SIGNATURE_ID_INVALID");
      if (typeof read === "string") return refused(read);
      const sent = sentAlone ?? read.timestamp;
      const timestamp = sent === undefined ? undefined : parse(sent);
      if (timestamp === undefined && sent !== undefined) {
        return refused("CS_SIGNATURE_TIMESTAMP_INVALID");
      }

      const text = textOf(id, sent, attempt.body);
      // Every key is tried, also after a match: how long a refusal takes says nothing about one.
      const matches = keys.map((key) => isAmong(hmac(algorithm, key, text), read.candidates));
      const secretIndex = matches.indexOf(true);
      if (secretIndex === -1) return refused("CS_SIGNATURE_MISMATCH");
      if (timestamp === undefined) return { ok: true, id, timestamp, secretIndex };
      return judgeAge({ ok: true, id, timestamp, secretIndex }, clock);
    },
  };
}
