import { schemeOf } from "@countersign/signatures";
import { profiles } from "@countersign/schemas/profiles";
import type { PactMessage } from "@countersign/contract-kit";
import type { Mutant } from "./campaign.ts";
import { answerMutants } from "./http-mutants.ts";
import { jsonMutants } from "./json-mutants.ts";
import type { Recorded } from "./recorded.ts";

/** Mutants of a service: of each answer, and of each event that it delivers. */
export function serviceMutants(recorded: readonly Recorded[], secret: string): readonly Mutant[] {
  return recorded.flatMap((one): readonly Mutant[] => {
    if (one.exchange !== undefined) {
      return answerMutants(genuine(one.exchange.answer)).map((mutant) => ({
        recorded: one,
        ...mutant,
      }));
    }
    return one.message === undefined ? [] : messageMutants(one, one.message, secret);
  });
}

/** The sandbox's code of an injected fault stands for one of the service. */
function genuine<Answer extends { readonly body: Uint8Array }>(answer: Answer): Answer {
  const text = Buffer.from(answer.body).toString();
  return { ...answer, body: Buffer.from(text.replace("INJECTED_FAULT", "SERVICE_UNAVAILABLE")) };
}

/** The secret that the deliveries are signed with which a verification captures. */
export const SECRET_KEY = "a-secret-of-24-characters-or-more";

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

function messageMutants(
  recorded: Recorded,
  { body, metadata }: PactMessage,
  secret: string,
): readonly Mutant[] {
  const scheme = schemeOf(profiles.standard.signature);
  const text = Buffer.from(body).toString();
  // A service that breaks its word signs what it sends all the same.
  const signed = (changed: Uint8Array): PactMessage => ({
    body: changed,
    metadata: {
      ...metadata,
      ...scheme.sign(
        {
          id: metadata["webhook-id"] ?? "",
          timestamp: Math.floor(Date.now() / 1000),
          body: changed,
        },
        [{ raw: secret }],
      ),
    },
  });
  const without = (name: string): PactMessage => ({
    body,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([one]) => one !== name)),
  });
  const forged = { ...metadata, "webhook-signature": `v1,${"A".repeat(43)}=` };
  return [
    ...jsonMutants(JSON.parse(text)).map(({ operator, pointer, value }) => ({
      recorded,
      operator,
      place: pointer,
      message: signed(Buffer.from(JSON.stringify(value))),
    })),
    ...HEADERS.map((name) => ({
      recorded,
      operator: "header",
      place: name,
      message: without(name),
    })),
    {
      recorded,
      operator: "header",
      place: "contentType: text/html",
      message: { body, metadata: { ...metadata, contentType: "text/html" } },
    },
    {
      recorded,
      operator: "signature",
      place: "of no bytes",
      message: { body, metadata: forged },
    },
    {
      recorded,
      operator: "signature",
      place: "of other bytes",
      message: { body: Buffer.from(`${text} `), metadata },
    },
  ];
}
