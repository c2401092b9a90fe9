import { createHash, randomBytes } from "node:crypto";
import { type AttemptMaker, attemptMaker, readEvent } from "@countersign/contract-kit/attempts";
import { errorsOf } from "@countersign/contract-kit/derive";
import { type EventsDocument, typedForms } from "@countersign/contract-kit/documents";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { validateEvent } from "@countersign/schemas/writers";
import { signatureSteps } from "@countersign/service/sandbox";
import { schemeOf, type SignatureScheme } from "@countersign/signatures";
import type { Explanation } from "@countersign/signatures/explain";
import { parsePlace } from "@countersign/signatures/places";
import { headersOf } from "../attempts.ts";
import { bodyOf } from "../documents.ts";
import { withValues } from "../set-values.ts";
import { masked } from "./personal-members.ts";
import type { EventFacts, LoggedRequest } from "./attempt-log.ts";

interface ProviderKeys {
  /** Verifies, and signs again if it can; `undefined`: attempts are only relayed. */
  readonly secret: string | undefined;
  /** The key that each attempt names, for providers whose attempts do. */
  readonly key?: string | undefined;
  readonly claims: Readonly<Record<string, string>>;
  /** The URL that the provider sends to, if it signs it. */
  readonly url: URL;
  /** Describes the events, if a document of `--openapi` does. */
  readonly document?: EventsDocument | undefined;
}

/** Reads, verifies and signs the attempts of one provider. */
export class ProviderAttempts {
  readonly provider: ProviderDocument;
  readonly scheme: SignatureScheme;
  /** Makes and signs events; `undefined` if the secret cannot sign. */
  readonly maker: AttemptMaker | undefined;
  readonly #keys: ProviderKeys;

  constructor(provider: ProviderDocument, keys: ProviderKeys) {
    this.provider = provider;
    this.scheme = schemeOf(provider);
    this.#keys = keys;
    this.maker = makerOf(provider, keys);
  }

  get document(): EventsDocument | undefined {
    return this.#keys.document;
  }

  /** The fingerprint of the secret, which a receiver's log names too. */
  get fingerprint(): string | undefined {
    const { secret } = this.#keys;
    if (secret === undefined) return undefined;
    return this.scheme.check([secret], "verify")[0]?.fingerprint;
  }

  /** Reads the event of a request. One without an id has the digest of its bytes as its id. */
  factsOf({ headers, body, path }: LoggedRequest): EventFacts {
    const request = { headers: headersOf(headers), body, url: path };
    const { id = "", type = "", count, read } = readEvent(this.provider, this.scheme, request);
    const more = count > 1 ? ` and ${String(count - 1)} more` : "";
    return {
      provider: this.provider.name,
      eventId: id === "" ? digestOf(body) : id.slice(0, 256),
      type: type === "" ? "(no type)" : `${type.slice(0, 128)}${more}`,
      category: this.#categoryOf(type, (place) => String(read(place) ?? "")),
    };
  }

  #categoryOf(type: string, read: (place: string) => string): string {
    const { category } = this.provider.event;
    if (typeof category === "object") return type.split(category.before)[0] ?? "";
    if (category !== undefined && category !== "catalogue") return read(category);
    return this.provider.catalogue?.find((row) => row.type === type)?.category ?? "";
  }

  /** Explains why a request does not verify; empty if it does, `undefined` without a secret. */
  explain(request: LoggedRequest, now: number): readonly Explanation[] | undefined {
    const { verdict, explanations } = this.#stepsOf(request, now);
    return verdict === "unknown" ? undefined : explanations;
  }

  /** Verifies a request step by step. @param options `isOpen`: shows personal members of the body. */
  steps(
    request: LoggedRequest,
    { at, isOpen }: { readonly at: number; readonly isOpen: boolean },
  ): object {
    const { parts, ...steps } = this.#stepsOf(request, at);
    const shown = parts.map(({ name, text }) =>
      name === "body" && !isOpen ? { name, text: masked(request.body) } : { name, text },
    );
    return { ...steps, parts: shown };
  }

  #stepsOf({ method, headers, body, path }: LoggedRequest, now: number) {
    const url = new URL(this.#keys.url);
    const { search } = new URL(path, url);
    if (search !== "") url.search = search;
    const attempt = { method, headers: headersOf(headers), body, url: url.href };
    return signatureSteps(this.provider, attempt, { ...this.#keys, secretName: SECRET_NAME, now });
  }

  /** Signs a request again with this secret and the present time; as it is if the secret cannot sign. */
  signedAgain(request: LoggedRequest, now: number): LoggedRequest {
    if (this.maker === undefined) return request;
    const { headers } = request;
    const at = this.provider.id?.at ?? "";
    const [, sentId] =
      headers.find(([name]) => at.toLowerCase() === `header:${name.toLowerCase()}`) ?? [];
    return this.#signed(request, sentId ?? newId(), now);
  }

  /** Signs another body as a new event: with a new id where the document has one. */
  signedCopy(request: LoggedRequest, text: string, now: number): LoggedRequest | undefined {
    if (this.maker === undefined) return undefined;
    const { id } = this.provider.event;
    const own = newId();
    const steps =
      typeof id === "string" && id.startsWith("body:/") ? parsePlace(id).members : undefined;
    const body =
      steps === undefined
        ? text
        : withValues(text, [{ steps, value: JSON.stringify(own) }], this.maker.events);
    return this.#signed({ ...request, body: Buffer.from(body) }, own, now);
  }

  /** Makes an event of a type, as `countersign send` does. */
  made(type: string): LoggedRequest | undefined {
    const row = this.provider.catalogue?.find((one) => one.type === type) ?? { type };
    const { document, provider } = this;
    const base = document && bodyOf(document, { type, provider });
    const event = this.maker?.event({ row, id: newId(), ...(base !== undefined && { base }) });
    const attempt = event && this.maker?.attempt({ event });
    if (attempt === undefined) return undefined;
    const { headers, body, path = "/" } = attempt;
    return { method: "POST", headers, body, path };
  }

  /** Signing adds the digests of the query again. */
  #withoutDigests(path: string): string {
    const { digests = [] } = this.provider.signature;
    const names = digests.flatMap(({ at }) => (at.startsWith("query:") ? at.slice(6) : []));
    if (names.length === 0) return path;
    const url = new URL(path, this.#keys.url);
    for (const name of names) url.searchParams.delete(name);
    return url.pathname + url.search;
  }

  #signed(request: LoggedRequest, id: string, now: number): LoggedRequest {
    const timestamp = Math.floor(now / 1000);
    const { secret = "" } = this.#keys;
    const { method, headers, body } = request;
    const path = this.#withoutDigests(request.path);
    const made = this.maker?.sign(
      { method, headers, body: Buffer.from(body), path },
      { id, timestamp, secrets: [secret] },
    );
    return made === undefined ? request : { ...request, ...made, path: made.path ?? path };
  }
}

function makerOf(
  provider: ProviderDocument,
  { secret, claims, url }: ProviderKeys,
): AttemptMaker | undefined {
  if (secret === undefined || provider.signature.keyFrom !== undefined) return undefined;
  try {
    const rows = provider.catalogue ?? [];
    return attemptMaker({ provider, url, secrets: [secret], prefix: "evt", rows, claims });
  } catch (error) {
    // A public key only verifies.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The variable that the secret is read from. */
const SECRET_NAME = "COUNTERSIGN_SECRET";

const newId = (): string => `evt_${randomBytes(12).toString("base64url")}`;

const digestOf = (body: Uint8Array): string =>
  `sha256-${createHash("sha256").update(body).digest("hex").slice(0, 24)}`;

interface Findings {
  /** The schema. */
  readonly by: string;
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

/** Validates a body by the schema of its type: the reference provider's, or that of the document of `--openapi`. */
export function findingsOf(
  provider: ProviderDocument,
  document: EventsDocument | undefined,
  { type, body }: { readonly type: string; readonly body: Uint8Array },
): Findings | null {
  const value = parsed(body);
  const row = provider.catalogue?.find((one) => one.type === type);
  if (row?.kind !== undefined) {
    const judged = validateEvent(value);
    return { by: `the schema of ${type}`, faults: judged.ok ? [] : judged.errors };
  }
  if (document === undefined) return null;
  const { form } = typedForms(document, provider).find((one) => one.type === type) ?? {};
  if (form === undefined) return null;
  const schema = { schema: form.schema, source: document, place: type };
  return { by: `the schema of ${type} in ${document.title}`, faults: errorsOf(schema, value) };
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
