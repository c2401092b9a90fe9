import { standardCatalogue } from "@countersign/schemas";
import type { ReceiverCheck } from "../check.ts";
import { example } from "../derive/example.ts";
import { negatives } from "../derive/cases.ts";
import { standardSchemas } from "../derive/schema.ts";
import type { Sender } from "../harness/sender.ts";
import { receiverCheck } from "./receiver-check.ts";

const SCHEMA = "R-EVENT-SCHEMA";
const ID = "R-EVENT-ID";

const KIND = "payment.created";
const MAX_CASES = 10;

export const schemas: ReceiverCheck = receiverCheck({
  id: "receiver/schemas",
  title: "an event that does not fit its schema, or its own id, is refused and not recorded",
  requirements: [SCHEMA, ID],
  isSearch: true,
  strict: [SCHEMA, ID],
  run: async (sender) => {
    if (sender.isSelected(SCHEMA)) await misfits(sender);
    if (sender.isSelected(ID)) await otherIds(sender);
  },
});

async function misfits(sender: Sender): Promise<void> {
  const { verdicts, events } = sender;
  const row = events.rows.find((one) => one.kind === KIND && one.type === KIND);
  if (events.dataAt !== "body:/data" || row === undefined) {
    verdicts.notApplicable(SCHEMA, "the provider's events have another form than the schemas");
    return;
  }
  const broken = await sender.postAll(
    brokenData(sender.seed).map(({ what, data }) => {
      const event = sender.event({ row });
      const body = JSON.stringify({ ...(JSON.parse(event.text) as object), data });
      return sender.attempt(event, { what, body });
    }),
  );
  const effects = await sender.finalEffects();
  // A refused event is not recorded: the same id with valid data is a first attempt.
  const again = await sender.postAll(
    broken.map(({ what, event, reply: first }) => {
      return { ...sender.attempt(sender.event({ row, id: event.id }), { what }), first };
    }),
  );
  for (const { what, first, event, reply } of again) {
    const ran = (effects?.count(event) ?? 0) > 0;
    verdicts.expect(
      SCHEMA,
      !first.isAcknowledged && !ran,
      () => {
        return `${what}: expected a refusal, got ${first.summary}${ran ? ", and its handler ran" : ""}`;
      },
      [first],
    );
    if (!first.isAcknowledged)
      verdicts.expect(
        SCHEMA,
        reply.isAcknowledged,
        () => {
          return `${what}: refused; then the same id with valid data got ${reply.summary}`;
        },
        [first, reply],
      );
  }
}

/** Data that a reader's schema refuses: unknown members and values of open lists are valid. */
function brokenData(seed: number): readonly { what: string; data: unknown }[] {
  const schema = standardSchemas().document(`events/${KIND}.schema.json`);
  const { validate } = standardCatalogue.events[KIND];
  const found = negatives(schema, example(schema, { optional: "present" }))
    // A format is an annotation in JSON Schema 2020-12: most validators rightly ignore it.
    .filter(({ pointer, keyword }) => pointer.startsWith("/data") && keyword !== "format")
    .filter(({ value }) => !validate(value).ok)
    .map(({ pointer, keyword, value }) => ({
      what: `${pointer} against ${keyword}`,
      // A broken event has a member `data`, or none.
      data: (value as { readonly data?: unknown }).data,
    }));
  // Some of them, and others with another seed.
  const step = Math.max(1, Math.floor(found.length / MAX_CASES));
  return found.filter((_, index) => (index + seed) % step === 0).slice(0, MAX_CASES);
}

async function otherIds(sender: Sender): Promise<void> {
  const { verdicts, signing, target } = sender;
  if (!signing.covers.id || target.provider.sending === undefined) {
    verdicts.notApplicable(
      ID,
      `${target.provider.title} does not sign an id that the body repeats`,
    );
    return;
  }
  const event = sender.event();
  const reply = await sender.post(sender.attempt(event, { id: `${event.id}x` }));
  const expected = "an envelope under another signed id: expected a refusal";
  verdicts.expect(ID, !reply.isAcknowledged, () => reply.insteadOf(expected), [reply]);
}
