import type { ReceiverCheck } from "../check.ts";
import { unverified } from "../harness/broken-attempts.ts";
import type { Sent } from "../harness/kit-sender.ts";
import { expectAccepted, receiverCheck } from "./receiver-check.ts";

const REFUSED = "R-REFUSE-STATUS";
const GENUINE = "R-ACK-GENUINE";

/** A status that ends a subscription, if a document does not say. */
const GONE = 410;

export const refusals: ReceiverCheck = receiverCheck({
  id: "receiver/refusals",
  title:
    "a refusal has a status that says so to every sender, and the event is accepted afterwards",
  requirements: [REFUSED, GENUINE],
  run: async (kit) => {
    const { verdicts, target, signing } = kit;
    const { goneStatus = GONE } = target.provider.sending ?? {};
    const bare = kit.attempt({ what: "an empty body without headers" });
    const beyond = kit.attempt({ what: "a signature with bytes that are no ASCII" });
    const sent = await kit.postAll([
      ...unverified(kit),
      { ...bare, headers: [], body: Buffer.alloc(0) },
      signing.withSignature(beyond, (text) => `\u00ff${text.slice(1)}`),
      {
        ...kit.unsigned(),
        what: "an unsigned body that is not JSON",
        body: Buffer.from('{"id":'),
      },
    ]);
    for (const { what, reply } of sent) {
      // Another requirement judges what was accepted.
      if (reply.isAcknowledged) continue;
      const { status = 0 } = reply;
      const isRight = status >= 400 && status < 500 && status !== goneStatus;
      const expected = `${what}: expected a status of 4xx other than ${goneStatus}`;
      kit.expect(REFUSED, isRight, reply.insteadOf(expected), reply);
    }
    verdicts.notApplicable(REFUSED, "nothing was refused");
    // Also from a stranger, who knows an id by chance or from a log.
    const refused = sent.filter(({ reply }) => !reply.isAcknowledged);
    const genuine = refused.map(({ what, event }) =>
      kit.attempt({ event, what: `the genuine event after ${what} with its id` }),
    );
    await expectAccepted(kit, GENUINE, genuine);
  },
});

const ALIKE = "R-VERIFY-ALIKE";

export const alike: ReceiverCheck = receiverCheck({
  id: "receiver/alike",
  title: "no refusal reveals what was wrong with the signature or the time",
  requirements: [ALIKE],
  run: async (kit) => {
    const { verdicts } = kit;
    const sent = await kit.postAll([...unverified(kit), ...unverified(kit)]);
    const answers = sent.map(visibleParts);
    const kinds = sent.length / 2;
    const [reference] = sent;
    if (reference === undefined || reference.reply.isAcknowledged)
      return verdicts.notApplicable(ALIKE, "it takes what another secret signed");
    // Values that differ between two refusals for one reason are ids and times of the receiver's own.
    const moving = new Set(
      answers
        .slice(0, kinds)
        .flatMap((one, kind) =>
          [...one].filter(([name, value]) => answers[kind + kinds]?.get(name) !== value),
        )
        .map(([name]) => name),
    );
    const expected = answers[0] ?? new Map<string, string>();
    sent.slice(0, kinds).forEach(({ what, reply }, kind) => {
      // Other requirements judge what was accepted or not answered.
      if (reply.status === undefined || reply.isAcknowledged) return;
      const own = answers[kind] ?? new Map<string, string>();
      const apart = [...expected.keys(), ...own.keys()].find(
        (name) => !moving.has(name) && expected.get(name) !== own.get(name),
      );
      const message = `${what} differs from ${reference.what} by its ${apart}: ${shown(own, apart)} and ${shown(expected, apart)}`;
      kit.expect(ALIKE, apart === undefined, message, reference.reply, reply);
    });
    return verdicts.notApplicable(ALIKE, "no refusal was answered");
  },
});

/** Headers that belong to the connection or the moment. */
const OF_THE_MOMENT = new Set(["date", "connection", "keep-alive", "content-length", "set-cookie"]);

/** All that a refusal says: its status, its headers and its body, without what names the attempt. */
function visibleParts({ reply, event: { ids } }: Sent): ReadonlyMap<string, string> {
  const { failure, status, headers } = reply;
  if (failure !== undefined) return new Map();
  const plain = (text: string): string =>
    ids
      .reduce((before, id) => before.replaceAll(id, "ID"), text)
      .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:?\d\d)?/g, "TIME")
      .replaceAll(/\d{10,}/g, "NUMBER");
  return new Map([
    ["status", String(status)],
    ...headers
      .filter(([name]) => !OF_THE_MOMENT.has(name))
      .map(([name, value]): [string, string] => [name, plain(value)]),
    ["body", plain(reply.text)],
  ]);
}

function shown(answers: ReadonlyMap<string, string>, name: string | undefined): string {
  return JSON.stringify((answers.get(name ?? "") ?? "nothing").slice(0, 120));
}
