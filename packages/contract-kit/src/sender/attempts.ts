import { createHash } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf, type SignatureScheme, type Verification } from "@countersign/signatures";
import { conditionOf, type ParsedPlace, parsePlace, Places } from "@countersign/signatures/places";
import type {
  AnswerAttempt,
  AttemptAnswer,
  Endpoint,
  ReceivedAttempt,
} from "../harness/endpoints.ts";
import type { Sender } from "./sender.ts";

type Arrived = Omit<ReceivedAttempt, "answer">;

interface EventFacts {
  /** The event's id where the provider's document has it; `undefined` if it has none. */
  readonly id: string | undefined;
  readonly type: string | undefined;
}

/** One form of a provider's events, with its places parsed. */
interface Form {
  readonly isMet: (places: Places) => boolean;
  readonly ids: readonly ParsedPlace[];
  readonly type: readonly (ParsedPlace | string)[];
  readonly separator: string;
}

type Claims = Readonly<Record<string, string>>;

/** Reads and verifies attempts as a provider's document says. */
export class AttemptReader {
  readonly provider: ProviderDocument;
  readonly scheme: SignatureScheme;
  readonly #forms: readonly Form[];
  readonly #batch: ParsedPlace | undefined;
  readonly #claims: Claims;

  /** @param claims Values of the claims that the document leaves to the user. */
  constructor(provider: ProviderDocument, claims: Claims = {}) {
    this.provider = provider;
    this.#claims = claims;
    this.#batch = provider.batch === undefined ? undefined : parsePlace(provider.batch);
    this.scheme = schemeOf(provider);
    const { variants = [], event } = provider;
    this.#forms = [...variants, { event }].map((variant): Form => {
      const { id = [], type, separator = "." } = variant.event;
      return {
        isMet: "when" in variant ? conditionOf(variant.when) : () => true,
        ids: [id].flat().map(parsePlace),
        type: [type]
          .flat()
          .map((part) => (typeof part === "object" ? part.text : parsePlace(part))),
        separator,
      };
    });
  }

  /** Finds the id and the type of an event, of a batch's first one, at the places of the document. */
  facts(attempt: Arrived): EventFacts {
    const whole = new Places(attempt);
    const items = this.#batch && whole.any(this.#batch);
    const places = Array.isArray(items) ? whole.ofItem(items[0]) : whole;
    // Some places are pairs inside the signature's header, which the scheme reads.
    const checked = this.scheme.checkHeaders(attempt.headers);
    if (checked.ok) places.fromSignature.pairs = checked.pairs;
    const form = this.#forms.find(({ isMet }) => isMet(places));
    const ids = (form?.ids ?? []).map((at) => places.value(at));
    const [first, ...others] = (form?.type ?? []).map((part) =>
      typeof part === "string" ? part : places.value(part),
    );
    const words = [first, ...others].filter((part) => part !== undefined);
    return {
      id: ids.length === 0 || ids.includes(undefined) ? undefined : ids.join(" "),
      type: first === undefined ? undefined : words.join(form?.separator),
    };
  }

  /** The key of an event: its id, or the digest of the body if it has none. */
  key(attempt: Arrived): string {
    const { id } = this.facts(attempt);
    return id ?? createHash("sha256").update(attempt.body).digest("hex");
  }

  /** The attempts of each event at an endpoint, in order of arrival. */
  byEvent({ attempts }: Endpoint): ReadonlyMap<string, readonly ReceivedAttempt[]> {
    return Map.groupBy(attempts, (attempt) => this.key(attempt));
  }

  verify(attempt: ReceivedAttempt, secret: string): Verification {
    const { headers, body, url, method, at: now } = attempt;
    return this.scheme.verify({ headers, body, url, method }, [secret], {
      now,
      claims: this.#claims,
    });
  }

  /** Waits until events have arrived. @returns Those that have not arrived in time. */
  async missingAt<T extends { readonly id: string | undefined }>(
    endpoint: Endpoint,
    emitted: readonly T[],
  ): Promise<readonly T[]> {
    const missing = (): readonly T[] => {
      const arrived = this.byEvent(endpoint);
      // Events without a known id are only counted.
      return emitted.filter(({ id }, index) =>
        id === undefined ? arrived.size <= index : !arrived.has(id),
      );
    };
    await endpoint.until(() => missing().length === 0);
    return missing();
  }

  /** Answers every attempt of the first event by the first answer, of the second by the second; others by 204. */
  answerEach(answers: readonly (AttemptAnswer | (() => AttemptAnswer))[]): AnswerAttempt {
    const keys: string[] = [];
    return (attempt) => {
      const key = this.key(attempt);
      if (!keys.includes(key)) keys.push(key);
      const answer = answers[keys.indexOf(key)] ?? { status: 204 };
      return typeof answer === "function" ? answer() : answer;
    };
  }
}

const HEADERS = "P-EVENT-HEADERS";
const SIGNED = "P-EVENT-SIGNED";
const TIMESTAMP = "P-EVENT-TIMESTAMP";
const NO_SECRETS = "P-EVENT-NO-SECRETS";

/**
 * Judges an attempt's format, its signature over the received bytes, its timestamp, and that it does not contain its
 * secret.
 *
 * @returns The signed time in seconds; `undefined` if none is proved.
 */
export function expectGenuine(
  sender: Sender,
  attempt: ReceivedAttempt,
  secret: string,
): number | undefined {
  const { provider, scheme } = sender.reader;
  const { media = ["application/json"], title } = provider;
  const type = (attempt.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const verification = sender.reader.verify(attempt, secret);
  const code = verification.ok ? "" : verification.code;
  const isOfTime = code.startsWith("CS_SIGNATURE_TIMESTAMP");
  sender.expect(HEADERS, attempt.method === "POST" && media.includes(type), () => {
    return `an attempt is a ${attempt.method} of ${type || "no media type"}, not a POST of ${media.join(" or ")}`;
  });
  sender.expect(HEADERS, !/_HEADER_|_ID_/.test(code), () => `headers of the scheme: ${code}`);
  if (scheme.replayProtection)
    sender.expect(TIMESTAMP, !isOfTime, () => {
      return `an attempt's timestamp, received at ${Math.floor(attempt.at / 1000)}: ${code}`;
    });
  else sender.notApplicable(TIMESTAMP, `${title} signs no time`);
  sender.expect(SIGNED, verification.ok || isOfTime, () => {
    return `the signature does not match the bytes that arrived: ${code}`;
  });
  const { path, headers, body } = attempt;
  // A secret in a query is escaped there, as far as it has to be.
  const query = new URL(path, "http://receiver.invalid").searchParams;
  const text = [path, ...query, ...Object.values(headers), Buffer.from(body).toString()].join(" ");
  const isShown = [...sender.secrets].some((one) => text.includes(one));
  sender.expect(NO_SECRETS, !isShown, () => "an attempt contains a secret or a token");
  return verification.ok ? verification.timestamp : undefined;
}
