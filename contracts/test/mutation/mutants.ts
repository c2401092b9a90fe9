import type { HttpAnswer } from "@countersign/contract-kit";
import type { PactMessage } from "@countersign/contract-kit/pact";
import { standardWebhooks } from "@countersign/signatures";
import type { Mutant, Recorded } from "./campaign.ts";
import { jsonMutants } from "./json-mutants.ts";

type Change = Omit<Mutant, "recorded">;

/** The secret that signs the deliveries which a verification captures. */
const SECRET_KEY = "a-secret-of-24-characters-or-more";
const scheme = standardWebhooks();

/** Mutants of a service: of each answer, and of each event that it delivers. */
export const serviceMutants = (recorded: readonly Recorded[]): readonly Mutant[] =>
  mutantsOf(recorded, ({ exchange, message }) => {
    if (exchange !== undefined) return answerMutants(exchange.answer);
    return message === undefined ? [] : messageMutants(message);
  });

/** Mutants of a receiver: wrong acknowledgements, wrong refusals, and refusals that give a reason. */
export const receiverMutants = (recorded: readonly Recorded[]): readonly Mutant[] =>
  mutantsOf(recorded, ({ exchange, interaction }) => {
    if (exchange === undefined) return [];
    const { answer } = exchange;
    const others = answer.status < 300 ? [301, 400, 401, 404, 500, 503] : [200, 204, 302, 418, 500];
    const body = Buffer.from(`${textOf(answer).trimEnd()} (${interaction.description})`);
    const leak = { operator: "leak", place: "a reason", answer: { ...answer, body } };
    return [...withStatuses(answer, others), ...(answer.status === 401 ? [leak] : [])];
  });

const mutantsOf = (
  recorded: readonly Recorded[],
  changesOf: (one: Recorded) => readonly Change[],
): readonly Mutant[] =>
  recorded.flatMap((one) => changesOf(one).map((change) => ({ recorded: one, ...change })));

const textOf = ({ body }: { readonly body: Uint8Array }): string => Buffer.from(body).toString();
const withStatuses = (answer: HttpAnswer, statuses: readonly number[]): readonly Change[] =>
  statuses.map((status) => ({
    operator: "status",
    place: String(status),
    answer: { ...answer, status },
  }));
const without = <Value>(members: Readonly<Record<string, Value>>, name: string) =>
  Object.fromEntries(Object.entries(members).filter(([one]) => one !== name));

function answerMutants(said: HttpAnswer): readonly Change[] {
  // The sandbox's code of an injected fault represents one of the service.
  const text = textOf(said).replace("INJECTED_FAULT", "SERVICE_UNAVAILABLE");
  const answer = { ...said, body: Buffer.from(text) };
  const { status, headers } = answer;
  const others = status < 400 ? [status === 200 ? 201 : 200, 202, 400, 500] : [200, 418, 500, 422];
  const required = ["content-type", "www-authenticate", "allow", "retry-after"];
  return [
    ...jsonMutants(JSON.parse(text)).map(({ operator, pointer, value }) => ({
      operator,
      place: pointer,
      answer: { ...answer, body: Buffer.from(JSON.stringify(value)) },
    })),
    ...withStatuses(
      answer,
      others.filter((one) => one !== status),
    ),
    ...required
      .filter((name) => Object.hasOwn(headers, name))
      .map((name) => ({
        operator: "header",
        place: name,
        answer: { ...answer, headers: without(headers, name) },
      })),
    {
      operator: "header",
      place: "content-type: text/html",
      answer: { ...answer, headers: { ...headers, "content-type": "text/html" } },
    },
  ];
}

function messageMutants({ body, metadata }: PactMessage): readonly Change[] {
  const text = Buffer.from(body).toString();
  const changed = (operator: string, place: string, change: Partial<PactMessage>): Change => ({
    operator,
    place,
    message: { body, metadata, ...change },
  });
  // A broken service still signs what it sends.
  const signed = (bytes: Uint8Array): PactMessage => {
    const timestamp = Math.floor(Date.now() / 1000);
    const message = { id: metadata["webhook-id"] ?? "", timestamp, body: bytes };
    const signature = scheme.sign(message, [{ raw: SECRET_KEY }]).headers;
    return { body: bytes, metadata: { ...metadata, ...signature } };
  };
  const forged = { ...metadata, "webhook-signature": `v1,${"A".repeat(43)}=` };
  return [
    ...jsonMutants(JSON.parse(text)).map(({ operator, pointer, value }) =>
      changed(operator, pointer, signed(Buffer.from(JSON.stringify(value)))),
    ),
    ...["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
      changed("header", name, { metadata: without(metadata, name) }),
    ),
    changed("header", "contentType: text/html", {
      metadata: { ...metadata, contentType: "text/html" },
    }),
    changed("signature", "of no bytes", { metadata: forged }),
    changed("signature", "of other bytes", { body: Buffer.from(`${text} `) }),
  ];
}
