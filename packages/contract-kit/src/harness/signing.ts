import { createHash, createHmac, createPublicKey } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf, type Secret, type SignatureScheme } from "@countersign/signatures";
import { type ImportKeys, keyImporter, publicKeyBytes } from "@countersign/signatures/keys";
import { parsePlace, Places } from "@countersign/signatures/places";
import { textReader, withSecret } from "@countersign/signatures/signed-text";
import { without } from "./message.ts";
import { RequestDraft, type RequestParts } from "./request-draft.ts";
import { signsWithSecret, strangerSecret } from "./secrets.ts";

type Change = (value: string) => string | undefined;

/** A place of a request that the scheme needs. */
interface SchemePart {
  readonly name: string;
  readonly place: string;
}

/** A signature's text: long enough to be no other value, and of a token the part after the last dot. */
const SIGNATURES = {
  hex: /[0-9a-f]{40,}/,
  base64: /[A-Za-z0-9+/]{26,}={0,2}/,
  base64url: /[\w-]{26,}/,
} as const;
const TOKENS_SIGNATURE = /(?<=\.)[\w-]{26,}$/;

/** A provider's signatures: makes them, and changes one part of a signed request. */
export class Signing {
  readonly provider: ProviderDocument;
  /** True if a change of it must break the signature. */
  readonly covers: { readonly id: boolean; readonly timestamp: boolean; readonly body: boolean };
  /** In seconds; 0 if no time is signed. */
  readonly toleranceSeconds: number;
  /** The places of signatures, of a signed id and of the time, as far as a request has them apart from its events. */
  readonly parts: readonly SchemePart[];
  /** Names of the scheme's headers in lower case. */
  readonly headers: readonly string[];
  /** The separator of several signatures in one place, each with its version's name; `undefined` for one signature. */
  readonly separator: string | undefined;
  readonly encoding: "base64" | "hex" | "base64url";
  /** True if the signature is a digest that anyone with the secret can make. */
  readonly isShared: boolean;
  readonly isToken: boolean;
  /** True if the query of the receiver's URL cannot be changed without breaking the signature. */
  readonly signsUrl: boolean;
  /** Places of other values that are signed, one by one. */
  readonly signedPlaces: readonly string[];
  readonly #scheme: SignatureScheme;
  readonly #claims: Readonly<Record<string, string>>;
  readonly #places: readonly string[];
  readonly #keys: ImportKeys;

  /**
   * @param claims Values of the claims that the document leaves to the user.
   * @throws {TypeError} Only the provider has the keys that it signs with.
   */
  constructor(provider: ProviderDocument, claims: Readonly<Record<string, string>> = {}) {
    const { id, timestamp, signature, title } = provider;
    const { carrier, algorithm, encoding = "hex", keyFrom } = signature;
    if (keyFrom !== undefined)
      throw new TypeError(
        `${title} signs with keys that ${keyFrom.at} of each attempt names and only ${title} has: attempts cannot be signed in its place`,
      );
    this.provider = provider;
    this.isToken = algorithm.startsWith("jwt-");
    this.isShared = signsWithSecret(provider);
    this.#scheme = schemeOf(provider);
    this.#keys = keyImporter(provider);
    this.#claims = claims;
    this.#places = [...new Set(carrier.map(({ at }) => at))];
    this.covers = {
      id: id !== undefined,
      timestamp: this.#scheme.replayProtection,
      body: this.#scheme.covers("body:/cstest") || this.#scheme.covers("form:cstest"),
    };
    this.signsUrl = this.#scheme.covers("query:cstest");
    this.toleranceSeconds = timestamp?.toleranceSeconds ?? 0;
    const isApart = (place: string): boolean => place.startsWith("header:") && !place.includes("#");
    this.parts = [
      ...[id?.at, timestamp?.at].filter((place) => place !== undefined && isApart(place)),
      ...this.#places.slice(0, 1),
    ].map((place = "") => ({ name: place.replace(/^header:/, ""), place }));
    this.signedPlaces = (signature.signed ?? []).flatMap((part) => {
      if (typeof part === "string") return [];
      return "at" in part ? [part.at] : "ifPresent" in part ? [part.ifPresent] : [];
    });
    const parts = this.parts.map(({ place }) => place);
    const named = [...parts, ...this.#places, ...this.signedPlaces];
    this.headers = [...new Set(named)]
      .map(parsePlace)
      .filter(({ kind }) => kind === "header")
      .map(({ name }) => name);
    this.separator = carrier[0]?.separator;
    this.encoding = this.isToken ? "base64url" : encoding;
  }

  /** @throws {TypeError} A secret is not in the provider's form. */
  check(secrets: readonly Secret[]): void {
    // One by one: a scheme of one signature a request signs with one secret, and a receiver may have two.
    for (const secret of secrets) this.#scheme.check([secret], "sign");
  }

  /** Signs a request. @param secrets Each adds its signature. */
  sign<T extends RequestParts>(
    request: T,
    { id, timestamp, origin }: { id: string; timestamp: number; origin: string },
    secrets: readonly Secret[],
  ): T {
    const draft = new RequestDraft(request, this.provider);
    const time = this.provider.timestamp;
    if (time !== undefined && /^(?:body|item|form|query):/.test(time.at))
      draft.put(time.at, printTime(timestamp * 1000, time.unit));
    const message = {
      id,
      timestamp,
      body: draft.body,
      headers: Object.fromEntries(draft.headers),
      url: origin + draft.path,
      method: "POST",
      claims: this.#claims,
    };
    const signed = this.#scheme.sign(message, secrets);
    return {
      ...request,
      headers: [
        ...without(
          draft.headers,
          Object.keys(signed.headers).map((name) => name.toLowerCase()),
        ),
        ...Object.entries(signed.headers),
      ],
      body: signed.body ?? draft.body,
      path: (signed.url ?? message.url).slice(origin.length),
    };
  }

  /** False if the scheme has no form for a time, such as one of too few digits. */
  canWrite(timestamp: number, secrets: readonly Secret[]): boolean {
    const body = Buffer.from("{}");
    try {
      this.#scheme.sign({ id: "cstest", timestamp, body }, secrets.slice(0, 1));
      return true;
    } catch (error) {
      return !(error instanceof TypeError && error.message.includes('"timestamp"'));
    }
  }

  /** True if the scheme's own verifier accepts a request. */
  verifies(
    request: RequestParts & { readonly method: string },
    { origin, now, secrets }: { origin: string; now: number; secrets: readonly Secret[] },
  ): boolean {
    const lists = Object.groupBy(request.headers, ([name]) => name.toLowerCase());
    const values = Object.entries(lists).map(([name, list = []]) => {
      const all = list.map(([, value]) => value);
      return [name, all.length === 1 ? (all[0] ?? "") : all] as const;
    });
    const { body, method, path = "" } = request;
    const attempt = { headers: Object.fromEntries(values), body, method, url: origin + path };
    try {
      const keys = secrets.map((secret) => this.verifyingSecret(secret));
      return this.#scheme.verify(attempt, keys, { now, claims: this.#claims }).ok;
    } catch {
      // Without a key to verify with, each change counts as one.
      return false;
    }
  }

  /** With the signature's text changed where it is; the request itself if it carries none. */
  withSignature<T extends RequestParts>(request: T, change: Change): T {
    const draft = new RequestDraft(request, this.provider);
    const pattern = this.isToken ? TOKENS_SIGNATURE : SIGNATURES[this.encoding];
    for (const place of this.#places) {
      const value = draft.get(place);
      if (typeof value !== "string") continue;
      const changed = value.replace(pattern, (text) => change(text) ?? "");
      draft.put(place, changed);
      return draft.in(request);
    }
    return request;
  }

  /** With the whole text at a place changed, such as the header with all signatures. `undefined` removes it. */
  withPlace<T extends RequestParts>(request: T, place: string, change: Change): T {
    const draft = new RequestDraft(request, this.provider);
    const text = draft.text(place);
    if (text === undefined) return request;
    draft.put(place, change(text));
    return draft.in(request);
  }

  /** With the whole text of the first signature's place changed. */
  withCarrier<T extends RequestParts>(request: T, change: Change): T {
    return this.withPlace(request, this.#places[0] ?? "", change);
  }

  /** With the sent time's text changed; `undefined` if the scheme has no place for only the time. */
  get withTime(): (<T extends RequestParts>(request: T, change: Change) => T) | undefined {
    const { timestamp } = this.provider;
    if (timestamp === undefined || !this.covers.timestamp || this.isToken) return undefined;
    return (request, change) => this.withPlace(request, timestamp.at, change);
  }

  /** Without the scheme's headers and signatures. */
  unsigned<T extends RequestParts>(request: T): T {
    const bare = { ...request, headers: without(request.headers, this.headers) };
    return this.#places.reduce<T>(
      (before, place) => this.withPlace(before, place, () => undefined),
      bare,
    );
  }

  /** Returns the bytes that a signed request's signature is made of, with a key where the text contains the secret. */
  textOf(
    request: RequestParts & { readonly method: string },
    origin: string,
    key: Uint8Array,
  ): Buffer {
    const draft = new RequestDraft(request, this.provider);
    if (this.isToken) {
      const token = (draft.text(this.#places[0] ?? "") ?? "").replace(/^.* /, "");
      return Buffer.from(token.replace(/\.[^.]*$/, ""));
    }
    const { id, timestamp } = this.provider;
    const isHeader = timestamp?.at.startsWith("header:") === true;
    const read = (place: string | undefined): string | undefined =>
      place === undefined ? undefined : (draft.text(place) ?? "");
    const { headers, body, path = "" } = request;
    const places = new Places({ headers: Object.fromEntries(headers), body, url: origin + path });
    const pieces = textReader(this.provider)({
      id: read(id?.at),
      sent: isHeader ? read(timestamp.at) : undefined,
      body,
      method: request.method,
      places,
    });
    return Buffer.concat(withSecret(pieces, key).map((piece) => Buffer.from(piece)));
  }

  /** Returns the digest of a text by a key of any bytes, also one that no scheme allows. */
  mac(text: Uint8Array, key: Uint8Array | string, hash: string = this.hash): Buffer {
    return this.provider.signature.algorithm.startsWith("sha")
      ? createHash(hash).update(text).digest()
      : createHmac(hash, key).update(text).digest();
  }

  get hash(): string {
    return this.provider.signature.algorithm.replace("hmac-", "").replace("jwt-hs", "sha");
  }

  /** Returns a secret of the scheme's form that no receiver has. */
  stranger(name: string): string {
    return strangerSecret(this.provider, name);
  }

  /** Returns the bytes of a secret's key; `undefined` for private keys. */
  keyOf(secret: Secret): Uint8Array | undefined {
    if (!this.isShared) return undefined;
    const [key] = this.#keys([secret], "sign");
    return key?.text ?? (key?.object?.type === "secret" ? key.object.export() : undefined);
  }

  /** The key that verifies what a secret signs: the public one of a private key. */
  verifyingSecret(secret: Secret): Secret {
    const object = this.#keys([secret], "sign")[0]?.object;
    if (object?.type !== "private") return secret;
    if (object.asymmetricKeyType !== "ed25519")
      return createPublicKey(object).export({ format: "pem", type: "spki" }).toString();
    const { key } = this.provider.signature;
    const isStandard = typeof secret === "string" && secret.startsWith("whsk_");
    const text = Buffer.from(publicKeyBytes(object)).toString(key === "hex" ? "hex" : "base64");
    return isStandard ? `whpk_${text}` : text;
  }
}

/** Prints a time in the first of a document's units. */
export function printTime(ms: number, unit: string): string | number {
  const [first] = unit.split("|");
  if (first === "iso") return new Date(ms).toISOString();
  return first === "ms" ? Math.round(ms) : Math.floor(ms / 1000);
}
