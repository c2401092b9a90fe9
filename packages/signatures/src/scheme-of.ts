import { type Carried, carrierGroups } from "./carriers.ts";
import { checkProvider, isTolerance, wholePattern } from "./check-provider.ts";
import { headerReader } from "./headers.ts";
import { judgeAge, judgeClaims, judgeDemands } from "./judge.ts";
import { decoyKey, importNamedKey, type Key, keyImporter } from "./keys.ts";
import { pairOf, parsePlace, Places, type PlaceValue, secondsOf } from "./places.ts";
import { proofsOf, refuseUnfit } from "./proofs.ts";
import type { Algorithm, Provider } from "./provider.ts";
import {
  type Attempt,
  type CheckedHeaders,
  type HeadersLike,
  type Refused,
  refused,
  refuseProblem,
  type SignatureScheme,
  type Verification,
  type VerifyOptions,
} from "./scheme.ts";
import { checkBody, type Secret } from "./secret.ts";
import { signer } from "./sign.ts";
import { isId, textReader } from "./signed-text.ts";
import { membersOf } from "./tokens.ts";

/** A JSON body begins with one of them. */
const [BRACE, BRACKET] = [0x7b, 0x5b];

/**
 * Returns the scheme that a provider's document describes.
 *
 * @param provider Is copied; changing it afterwards changes nothing.
 * @throws {TypeError} The document could be fooled or contradicts itself; the message names the provider, the member and
 *   the danger.
 */
export function schemeOf(provider: Provider): SignatureScheme {
  const meaning = checkProvider(provider);
  const document = structuredClone(provider);
  const { name, title, signature, id, timestamp, batch } = document;
  const isInText = signature.signed?.includes("secret") === true;
  const importKeys = keyImporter(document);
  const readText = textReader(document);
  const decoys = new Map<Algorithm, Key>();
  const anyKey = signature.carrier.map(({ algorithm = signature.algorithm }) => ({ algorithm }));

  const groups = carrierGroups(signature);
  const inHeaders = groups.filter(({ place }) => place.kind === "header");
  const elsewhere = groups.filter(({ place }) => place.kind !== "header");
  const [first] = inHeaders;
  const carrierFacts = first === undefined ? {} : { header: first.place.name };
  const idHeader = id === undefined ? "" : parsePlace(id.at).name;
  const timePlace = timestamp && parsePlace(timestamp.at);
  const timeHeader = timePlace?.kind === "header" ? timePlace.name : "";
  const timePair = timePlace?.pair;
  const batchPlace = batch === undefined ? undefined : parsePlace(batch);
  const keyPlace = signature.keyFrom && parsePlace(signature.keyFrom.at);
  const keyPattern = wholePattern(signature.keyFrom?.matches ?? "");
  const judge = judgeDemands(document);
  const wanted = [
    ...inHeaders.map(({ place }) => ({ header: place.name, isRequired: groups.length === 1 })),
    { header: timePair === undefined ? timeHeader : "", isRequired: true },
    { header: idHeader, isRequired: true },
  ];

  /** Reads the signature, the timestamp and the id as far as they are in headers. */
  function checkHeaders(headers: HeadersLike): CheckedHeaders | Refused {
    const read = headerReader(headers);
    const values: (string | undefined)[] = [];
    for (const { header, isRequired } of wanted) {
      const value = header === "" ? undefined : read(header);
      if (typeof value === "object") return value;
      if (value === undefined && isRequired && header !== "")
        return refused("CS_SIGNATURE_HEADER_MISSING", { header });
      values.push(value);
    }
    const carried: Carried = { candidates: [], seen: [], pairs: [] };
    let isSigned = inHeaders.length === 0;
    for (const [index, group] of inHeaders.entries()) {
      const value = values[index];
      if (value === undefined) continue;
      isSigned = true;
      const refusal = group.read(value, carried);
      if (refusal !== undefined) return refusal;
    }
    if (!isSigned) return refused("CS_SIGNATURE_HEADER_MISSING", carrierFacts);
    const unfit = inHeaders.length > 0 ? refuseUnfit(carried, anyKey, carrierFacts) : undefined;
    if (unfit !== undefined) return unfit;
    const [time, sentId] = [values.at(-2), values.at(-1)];
    if (idHeader !== "" && !isId(sentId ?? ""))
      return refused("CS_SIGNATURE_ID_INVALID", { header: idHeader });
    const sent = timePair === undefined ? time : pairOf(carried.pairs, `${timeHeader}#${timePair}`);
    const seconds = timeHeader === "" ? undefined : secondsIn(sent);
    if (timeHeader !== "" && seconds === undefined)
      return refused("CS_SIGNATURE_TIMESTAMP_INVALID", { header: timeHeader });
    const { candidates, seen, pairs } = carried;
    return { ok: true, id: sentId, sent, timestamp: seconds, candidates, seen, pairs };
  }

  /** Parses a timestamp. If nothing separates it from the next part, it has ten digits, to end at one place. */
  function secondsIn(sent: PlaceValue | undefined): number | undefined {
    if (meaning.needsTenDigits && /^(?!\d{10}$)\d+$/.test(String(sent))) return undefined;
    return secondsOf(sent, timestamp?.unit ?? "s");
  }

  function verify(
    attempt: Attempt,
    secrets: readonly Secret[],
    options: VerifyOptions,
  ): Verification {
    const { now, toleranceSeconds = timestamp?.toleranceSeconds ?? 0 } = options;
    const keys = keysFor(secrets, options);
    checkClock(now, toleranceSeconds);
    checkBody(attempt.body);

    const checked = attempt.checked ?? checkHeaders(attempt.headers);
    if (!checked.ok) return checked;
    const places = attempt.places ?? new Places(attempt);
    places.fromSignature.pairs = checked.pairs;
    const parts = signature.per === "item" ? itemsOf(places) : [places];
    let secretIndex: number | Refused = refused("CS_SIGNATURE_PLACE_MISSING", {
      place: batch ?? "",
    });
    for (const part of parts) {
      secretIndex = prove(attempt, checked, part, keys);
      if (typeof secretIndex !== "number") break;
    }
    if (typeof secretIndex !== "number") return secretIndex;

    // Only now: before the signature matched, everything was the stranger's choice.
    let unmet = judgeClaims(document, places, attempt.url, options);
    for (const part of parts) unmet ??= judge(part, attempt.body);
    const seconds = checked.timestamp ?? (timePlace && secondsIn(places.value(timePlace)));
    if (timestamp !== undefined) unmet ??= judgeAge(seconds, now, toleranceSeconds);
    if (unmet !== undefined) return unmet;
    return { ok: true, id: checked.id, timestamp: seconds, secretIndex, signed: meaning.signed };
  }

  /** Finds the key that has signed an attempt, or an item of its batch. */
  function prove(
    { body, method }: Attempt,
    checked: CheckedHeaders,
    places: Places,
    keys: readonly Key[],
  ): number | Refused {
    const carried = elsewhere.length === 0 ? checked : carriedIn(places);
    if ("ok" in carried && !carried.ok) return carried;
    const unfit = refuseUnfit(carried, keys, carrierFacts);
    if (unfit !== undefined) return unfit;
    const pieces = readText({ id: checked.id, sent: checked.sent, body, method, places });
    if (places.problem !== undefined) return refuseProblem(places.problem);
    // The URL before it could otherwise end inside the body.
    if (meaning.needsJson && body[0] !== BRACE && body[0] !== BRACKET)
      return refused("CS_SIGNATURE_PLACE_INVALID", { place: "body:" });

    // Every key is tried, also after a match, so that the time taken reveals nothing about a secret.
    const proofs = proofsOf(keys, carried.candidates, pieces);
    const secretIndex = proofs.findIndex((proof) => proof !== undefined);
    const token = proofs[secretIndex]?.token;
    if (token !== undefined) {
      places.fromSignature.jose = token.header;
      places.fromSignature.claims = membersOf(token.payload) ?? {};
    }
    if (secretIndex >= 0) return secretIndex;
    const fingerprints = keys.map((key) => key.checked.fingerprint).filter((one) => one !== "");
    return refused("CS_SIGNATURE_MISMATCH", { fingerprints });
  }

  /** Reads the signatures that are in the body: fields, members, and members of items. */
  function carriedIn(places: Places): Carried | Refused {
    const carried: Carried = { candidates: [], seen: [], pairs: [] };
    for (const { place, read } of elsewhere) {
      const value = places.value(place);
      if (places.problem !== undefined) return refuseProblem(places.problem);
      const refusal = typeof value === "string" ? read(value, carried) : undefined;
      if (refusal !== undefined) return refusal;
    }
    return carried.seen.length > 0
      ? carried
      : refused("CS_SIGNATURE_PLACE_MISSING", { place: elsewhere[0]?.place.text ?? "" });
  }

  function itemsOf(places: Places): readonly Places[] {
    const items = batchPlace === undefined ? [] : places.any(batchPlace);
    return Array.isArray(items) ? items.map((item) => places.ofItem(item)) : [];
  }

  /** Returns the keys to verify with: those of the secrets, or the one that the message has named. */
  function keysFor(secrets: readonly Secret[], options: VerifyOptions): readonly Key[] {
    const { key, decoys: hasDecoys = false } = options;
    if (key !== undefined) {
      const named = importNamedKey(document, key);
      if (!isInText) return [named];
      const texts =
        hasDecoys && secrets.length === 0 ? [decoyKey("sha256")] : importKeys(secrets, "verify");
      return texts.map((one) => ({
        ...one,
        ...named,
        checked: one.checked,
      }));
    }
    if (isInText && keyPlace !== undefined)
      throw new TypeError(`missing "key": a message of ${title} names the key that has signed it`);
    if (!hasDecoys) return importKeys(secrets, "verify");
    const own = secrets.length === 0 ? [] : importKeys(secrets, "verify");
    const missing = new Set(anyKey.map(({ algorithm }) => algorithm));
    for (const { algorithm } of own) missing.delete(algorithm);
    return [...own, ...Array.from(missing, decoyOf)];
  }

  function decoyOf(algorithm: Algorithm): Key {
    const decoy = decoys.get(algorithm) ?? decoyKey(algorithm);
    decoys.set(algorithm, decoy);
    return decoy;
  }

  function namedKey(attempt: Attempt): string | Refused | undefined {
    if (keyPlace === undefined) return undefined;
    const checked = attempt.checked ?? checkHeaders(attempt.headers);
    if (!checked.ok) return checked;
    const places = attempt.places ?? new Places(attempt);
    places.fromSignature.pairs = checked.pairs;
    // Unproved: a token's header names its key.
    const token = checked.candidates[0]?.token;
    if (token !== undefined) places.fromSignature.jose = token.header;
    const value = places.value(keyPlace);
    if (places.problem !== undefined) return refuseProblem(places.problem);
    const { text: place } = keyPlace;
    if (value === undefined) return refused("CS_SIGNATURE_PLACE_MISSING", { place });
    return typeof value === "string" && keyPattern.test(value)
      ? value
      : refused("CS_SIGNATURE_PLACE_INVALID", { place });
  }

  return {
    name,
    title,
    replayProtection: timestamp !== undefined || "exp" in (signature.claims ?? {}),
    needsUrl: meaning.signed.has("url"),
    needsKey: keyPlace !== undefined,
    warnings: meaning.warnings,
    covers: meaning.covers,
    sign: signer(document, groups, { importKeys, readText, secondsIn }),
    checkHeaders,
    keyPlace: namedKey,
    verify,
    check: (secrets, use) =>
      keyPlace !== undefined && !isInText && secrets.length === 0
        ? []
        : importKeys(secrets, use).map(({ checked }) => checked),
  };
}

function checkClock(now: number, toleranceSeconds: number): void {
  if (!Number.isFinite(now))
    throw new TypeError('invalid "now": expected milliseconds since the epoch');
  if (!isTolerance(toleranceSeconds))
    throw new TypeError('invalid "toleranceSeconds": expected an integer from 0 to 86400');
}
