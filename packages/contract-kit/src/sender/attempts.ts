import { createHash } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf, type SignatureScheme, type Verification } from "@countersign/signatures";
import type {
  AnswerAttempt,
  AttemptAnswer,
  Endpoint,
  ReceivedAttempt,
} from "../harness/endpoints.ts";
import { type EventFacts, readEvent } from "../harness/event-forms.ts";
import { containsSecret } from "../redact.ts";
import type { TestedSender } from "./tested-sender.ts";

type Arrived = Omit<ReceivedAttempt, "answer">;

type Claims = Readonly<Record<string, string>>;

/** Reads and verifies attempts as a provider's document says. */
export class AttemptReader {
  readonly provider: ProviderDocument;
  readonly scheme: SignatureScheme;
  readonly #claims: Claims;

  /** @param claims Values of the claims that the document leaves to the user. */
  constructor(provider: ProviderDocument, claims: Claims = {}) {
    this.provider = provider;
    this.scheme = schemeOf(provider);
    this.#claims = claims;
  }

  /** Finds the id and the type of an event, of a batch's first one. */
  facts(attempt: Arrived): EventFacts {
    return readEvent(this.provider, this.scheme, attempt);
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

/** Causes events one after the other, each when the one before has arrived. @returns True if all arrive. */
export async function emitInTurn(
  sender: TestedSender,
  endpoint: Endpoint,
  count: number,
): Promise<boolean> {
  let isComplete = true;
  for (let made = 0; made < count; made += 1) {
    await sender.emit();
    isComplete &&= await endpoint.until(() => sender.reader.byEvent(endpoint).size > made);
  }
  return isComplete;
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
  sender: TestedSender,
  attempt: ReceivedAttempt,
  secret: string,
): number | undefined {
  const { provider, scheme } = sender.reader;
  const { media = ["application/json"], title } = provider;
  const type = (attempt.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const verification = sender.reader.verify(attempt, secret);
  const code = verification.ok ? "" : verification.code;
  const isOfTime = code.startsWith("CS_SIGNATURE_TIMESTAMP");
  const otherForm = `an attempt is a ${attempt.method} of ${type || "no media type"}, not a POST of ${media.join(" or ")}`;
  sender.expect(HEADERS, attempt.method === "POST" && media.includes(type), otherForm);
  sender.expect(HEADERS, !/_HEADER_|_ID_/.test(code), `headers of the scheme: ${code}`);
  const untimely = `an attempt's timestamp, received at ${Math.floor(attempt.at / 1000)}: ${code}`;
  if (scheme.replayProtection) sender.expect(TIMESTAMP, !isOfTime, untimely);
  else sender.notApplicable(TIMESTAMP, `${title} signs no time`);
  const forged = `the signature does not match the bytes that arrived: ${code}`;
  sender.expect(SIGNED, verification.ok || isOfTime, forged);
  const places = [
    ["URL", attempt.path],
    ...Object.entries(attempt.headers).map(([name, value]) => [`header ${name}`, value] as const),
    ["body", Buffer.from(attempt.body).toString()],
  ] as const;
  const found = places.find(([, text]) => containsSecret(text, sender.secrets));
  const leaked = `the ${found?.[0]} of an attempt contains a secret or a token`;
  sender.expect(NO_SECRETS, found === undefined, leaked);
  return verification.ok ? verification.timestamp : undefined;
}
