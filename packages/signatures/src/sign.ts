import { createHash } from "node:crypto";
import { ALGORITHMS, digestOf, joined, signPublicly } from "./algorithms.ts";
import { type CarrierGroup, printCarried } from "./carriers.ts";
import { headerRecord } from "./headers.ts";
import { claimOf } from "./judge.ts";
import type { ImportKeys, Key } from "./keys.ts";
import { type ParsedPlace, parsePlace, Places } from "./places.ts";
import type { Carrier, Digest, Provider } from "./provider.ts";
import type { Message, SignatureScheme } from "./scheme.ts";
import { checkBody } from "./secret.ts";
import { isId, type ReadText, withSecret } from "./signed-text.ts";

/** Seconds for which a token is signed. */
const TOKEN_SECONDS = 300;
/** The last second of 12 digits. */
const LAST_SECOND = 999_999_999_999;

/** A message that is being signed. */
interface Draft {
  readonly headers: Record<string, string>;
  body: Uint8Array;
  url: string | undefined;
}

type Members = Record<string, unknown>;

/** Parts of the scheme that signing shares with verifying. */
interface Shared {
  readonly importKeys: ImportKeys;
  readonly readText: ReadText;
  readonly secondsIn: (sent: string | undefined) => number | undefined;
}

/** Creates the function that signs as a document says. */
export function signer(
  provider: Provider,
  groups: readonly CarrierGroup[],
  { importKeys, readText, secondsIn }: Shared,
): SignatureScheme["sign"] {
  const { title, signature, id, timestamp, batch } = provider;
  const {
    algorithm: main,
    digests = [],
    claims: demanded = {},
    encoding = "base64url",
  } = signature;
  const { token: alg } = ALGORITHMS[main];
  const timePlace = timestamp && parsePlace(timestamp.at);
  const batchPlace = batch === undefined ? undefined : parsePlace(batch);
  const fail = (problem: string): never => {
    throw new TypeError(`cannot sign for ${title}: ${problem}`);
  };

  /** Prints the time in the document's unit. */
  function printTime({ timestamp: seconds }: Message): string {
    if (typeof seconds !== "number" || !(seconds >= 0 && seconds <= LAST_SECOND))
      throw new TypeError('invalid "timestamp": expected seconds since the epoch');
    const [unit] = timestamp?.unit.split("|") ?? [];
    const inUnit = unit === "ms" ? Math.round(seconds * 1000) : seconds;
    const text = unit === "iso" ? new Date(seconds * 1000).toISOString() : String(inUnit);
    if (secondsIn(text) === undefined)
      throw new TypeError(`invalid "timestamp": ${title} cannot write ${text}`);
    return text;
  }

  function printDigest({ of, algorithm, encoding: own }: Digest, draft: Draft): string {
    const digested = of === "body" ? draft.body : (draft.url ?? fail('"url" is missing'));
    return createHash(algorithm).update(digested).digest(own);
  }

  /** Returns the text of a token: its header and its claims. */
  function tokenText(draft: Draft, message: Message): string {
    const { timestamp: seconds = 0, id: jti, claims: given = {} } = message;
    const own: Members = { exp: seconds + TOKEN_SECONDS, iat: seconds, nbf: seconds, jti };
    const claims: Members = {};
    for (const [name, demand] of Object.entries(demanded)) {
      if (typeof demand === "object") claims[name] = draft.url ?? fail('"url" is missing');
      else if (demand !== "required") claims[name] = claimOf(title, demand, given);
      else claims[name] = own[name] ?? given[name] ?? fail(`the claim ${name} is missing`);
    }
    if (timePlace?.kind === "jwt") claims[timePlace.name] = seconds;
    for (const digest of digests) claims[parsePlace(digest.at).name] = printDigest(digest, draft);
    return [{ alg, typ: "JWT" }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
  }

  /** Returns a signature as it is carried. */
  function signatureOf(key: Key, draft: Draft, message: Message, places: Places): string {
    const { algorithm, object, text: secret } = key;
    const facts = ALGORITHMS[algorithm];
    const { id: ownId, method } = message;
    const isTimed = timePlace?.kind === "header";
    const sent = isTimed ? printTime(message) : undefined;
    const token = alg === undefined ? undefined : tokenText(draft, message);
    const pieces = readText({ id: ownId, sent, body: draft.body, method, places });
    const { problem } = places;
    if (problem !== undefined) fail(`${problem.place} is ${problem.reason}`);
    const chunks = token === undefined ? withSecret(pieces, secret) : [token];
    const bytes =
      facts.kind === "public" && object !== undefined
        ? signPublicly(facts, joined(chunks), object)
        : digestOf(facts, chunks, object);
    const text = bytes.toString(encoding);
    return token === undefined ? text : `${token}.${text}`;
  }

  /** Chooses the carrier of each key: with separators all are in one place, otherwise each has its own. */
  function carrierOf(key: Key, index: number): readonly [CarrierGroup, Carrier] {
    for (const [at, group] of groups.entries()) {
      const carrier = group.carriers.find(({ algorithm = main }) => algorithm === key.algorithm);
      if (carrier !== undefined && (carrier.separator !== undefined || at === index))
        return [group, carrier];
    }
    throw new TypeError(
      groups.length === 1
        ? `invalid "secrets": expected one secret, because ${title} sends one signature`
        : `invalid "secrets": ${title} sends at most ${groups.length} signatures`,
    );
  }

  return (message, secrets) => {
    const carriers = importKeys(secrets, "sign").map((key, index) => ({
      key,
      carrier: carrierOf(key, index),
    }));
    checkBody(message.body);
    const draft: Draft = { headers: {}, body: message.body, url: message.url };
    if (id !== undefined) {
      if (typeof message.id !== "string" || !isId(message.id))
        throw new TypeError(
          'invalid "id": expected 1 to 256 characters of A-Z, a-z, 0-9, "_" and "-"',
        );
      put(draft, parsePlace(id.at), message.id);
    }
    const pair = timePlace?.pair;
    if (timePlace?.kind === "header" && pair === undefined)
      put(draft, timePlace, printTime(message));
    const pairs = pair === undefined ? [] : [[pair, printTime(message)] as const];
    if (alg === undefined)
      for (const digest of digests) put(draft, parsePlace(digest.at), printDigest(digest, draft));

    const signAt = (places: Places, batchMembers: readonly string[]): void => {
      const signatures = carriers.map(({ key, carrier: [group, carrier] }) => ({
        group,
        carrier,
        text: signatureOf(key, draft, message, places),
      }));
      for (const group of groups) {
        const own = signatures.filter((one) => one.group === group);
        if (own.length > 0) put(draft, group.place, printCarried(group, own, pairs), batchMembers);
      }
    };
    const headers = { ...headerRecord(message.headers), ...draft.headers };
    const places = new Places({ headers, body: draft.body, url: draft.url });
    if (signature.per !== "item") {
      signAt(places, []);
    } else {
      const items = batchPlace && places.any(batchPlace);
      if (!Array.isArray(items) || items.length === 0) fail(`${batch} is not a list of items`);
      for (const [index, item] of (items as readonly unknown[]).entries())
        signAt(places.ofItem(item), [...(batchPlace?.members ?? []), String(index)]);
    }
    return {
      headers: draft.headers,
      ...(draft.body !== message.body && { body: draft.body }),
      ...(draft.url !== undefined && draft.url !== message.url && { url: draft.url }),
    };
  };
}

/** Writes a value to a place. */
function put(
  draft: Draft,
  { kind, text, name, members }: ParsedPlace,
  value: string,
  before: readonly string[] = [],
): void {
  const field = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  switch (kind) {
    case "header":
      draft.headers[text.slice("header:".length)] = value;
      return;
    case "query":
      draft.url = `${draft.url ?? ""}${draft.url?.includes("?") === true ? "&" : "?"}${field}`;
      return;
    case "form": {
      const form = Buffer.from(draft.body).toString();
      draft.body = Buffer.from(form === "" ? field : `${form}&${field}`);
      return;
    }
    case "body":
    case "item": {
      const root = JSON.parse(Buffer.from(draft.body).toString()) as Members;
      const path = [...before, ...members];
      const last = path.pop() ?? "";
      // Objects: the document's places lead through them.
      const parent = path.reduce((from, member) => (from[member] ??= {}) as Members, root);
      parent[last] = value;
      draft.body = Buffer.from(JSON.stringify(root));
      return;
    }
    case "jwt":
    case "jose":
    case "url":
      throw new TypeError(`cannot write to ${text}`);
    default:
      kind satisfies never;
  }
}
