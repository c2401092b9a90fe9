import type { ReceiverCheck } from "../check.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { Header } from "../harness/message.ts";
import { LONG_BYTES, longBodies } from "./forged-bodies.ts";
import { forgedAttempts } from "./forged-attempts.ts";
import { withQuery, words } from "./forged-operation.ts";
import { expectRefusedThenGenuine, type InvalidAttempt, receiverCheck } from "./receiver-check.ts";

const UNSIGNED = "R-VERIFY-UNSIGNED";
const TAMPERED = "R-VERIFY-TAMPERED";
const WRONG_KEY = "R-VERIFY-WRONG-KEY";
/** Other requirements that a receiver breaks if it accepts any signature. */
const FINER = [
  "R-VERIFY-WHOLE",
  "R-VERIFY-MAC",
  "R-VERIFY-RAW",
  "R-VERIFY-CANONICAL",
  "R-VERIFY-VERSION",
  "R-VERIFY-OWN-KEYS",
  "R-BODY-ENCODED",
] as const;

export const forged: ReceiverCheck = receiverCheck({
  id: "receiver/forged",
  title: "an attempt is refused if any part was removed, changed, repeated or signed otherwise",
  requirements: [UNSIGNED, WRONG_KEY, TAMPERED, ...FINER],
  run: async (kit) => {
    const { verdicts, target } = kit;
    const accepted = kit.attempt();
    await kit.post(accepted);
    const groups = forgedAttempts(kit, accepted);
    const group = (requirement: string): readonly InvalidAttempt[] => groups[requirement] ?? [];
    if (kit.isSelected(UNSIGNED)) {
      await expectRefusedThenGenuine(kit, UNSIGNED, group(UNSIGNED));
      if (!verdicts.hasFailed(UNSIGNED)) await crowd(kit);
    }
    // Every other requirement is judged by whether any secret's signature is taken.
    const [stranger] = await expectRefusedThenGenuine(kit, WRONG_KEY, [
      kit.foreign(),
      ...group(WRONG_KEY),
    ]);
    if (kit.isSelected(TAMPERED))
      await expectRefusedThenGenuine(kit, TAMPERED, [...group(TAMPERED), ...(await large(kit))]);
    for (const requirement of FINER.filter((one) => kit.isSelected(one))) {
      if (stranger?.isAcknowledged === true)
        verdicts.notApplicable(requirement, "it takes signatures that are not genuine at all");
      else if (group(requirement).length === 0)
        verdicts.notApplicable(requirement, `${target.provider.title} signs no such part`);
      else await expectRefusedThenGenuine(kit, requirement, group(requirement));
    }
  },
});

/** Attempts at once, every other one genuine. */
const CROWD = 32;

/** A receiver that is busy must not skip the verification, nor take the result of one attempt for another. */
async function crowd(kit: KitSender): Promise<void> {
  const { perSecond = Infinity } = kit.target.sockets;
  if (perSecond < CROWD) return;
  const attempts = Array.from({ length: CROWD }, (_, index) =>
    index % 2 === 0 ? kit.attempt() : kit.unsigned(),
  );
  const replies = await kit.postTogether(attempts);
  const seen = await kit.postLastAndWaitForEffects();
  for (const [index, { event }] of attempts.entries()) {
    const reply = replies[index];
    if (index % 2 === 0 || reply === undefined) continue;
    const hasRun = (seen?.count(event) ?? 0) > 0 ? ", and a handler ran" : "";
    const message = `an unsigned attempt among ${CROWD} at once: got ${reply.summary}${hasRun}`;
    kit.expect(UNSIGNED, !reply.isAcknowledged && hasRun === "", message, reply);
  }
}

/** Receivers that verify only the beginning of a body accept any end. */
async function large(kit: KitSender): Promise<readonly InvalidAttempt[]> {
  const { signing } = kit;
  // A signature over single values does not cover spaces and other members of the body.
  if (!signing.covers.body) return [];
  const changed = LONG_BYTES.map((bytes): InvalidAttempt => {
    const event = kit.event();
    const [signed, sent] = longBodies(kit, event.text, bytes);
    const what = `a body of ${signed.length} bytes with its last letter changed`;
    return { ...kit.attempt({ event, what, body: signed }), body: Buffer.from(sent) };
  });
  const long = (text: string): string => longBodies(kit, text)[0];
  const genuine = kit.attempt({ body: long });
  await kit.post(genuine);
  const other = kit.event();
  const { id } = signing.provider;
  const moved = { ...genuine, event: other, body: Buffer.from(long(other.text)) };
  const same = id === undefined ? moved : signing.withPlace(moved, id.at, () => other.id);
  const what = "another event under the signature of a large body that begins alike";
  return [...changed, { ...same, what }];
}

/** Parameters and headers that frameworks merge with the event, or that other providers name it by. */
const PARAMETERS = words("id event_id eventId type event event_type eventType topic");
/** Parameters that PHP's $_REQUEST and others prefer to a body, or to a field of a form. */
const BODIES = words("payload body");
const HEADERS = words(`
  X-Event-Id X-Event X-Event-Type Event-Type X-Webhook-Event Webhook-Event Webhook-Type X-Webhook-Id Idempotency-Key
  X-Topic X-Type ce-type ce-id`);
/** Ids of other schemes, sent separately: a receiver may refuse an attempt that has the headers of two schemes. */
const IDS = words("Webhook-Id Svix-Id X-Request-Id");

/** Genuine attempts whose unsigned parts name another event: a handler must not run for that one. */
export const overridden: ReceiverCheck = receiverCheck({
  id: "receiver/overridden",
  title: "what is not signed does not change the event of a genuine attempt",
  requirements: [TAMPERED],
  needs: ["effects"],
  run: async (kit) => {
    const { events, signing } = kit;
    const known = [...signing.headers, ...kit.event().headers.map(([name]) => name.toLowerCase())];
    const lists = [HEADERS, IDS].map((names) =>
      names.filter((name) => !known.includes(name.toLowerCase())),
    );
    const attempts = events.rows.slice(0, 3).flatMap((row, index) => {
      const other = kit.event({ row: events.rows[(index + 1) % events.rows.length] });
      const value = (name: string): string => (/(?:id|key)$/i.test(name) ? other.id : other.type);
      const query = (all: readonly string[], valueOf: (name: string) => string): string =>
        all.map((name) => `${name}=${encodeURIComponent(valueOf(name))}`).join("&");
      const genuine = (what: string) => ({
        ...kit.attempt({ row, what: `a genuine attempt of ${row.type} with ${what}` }),
        otherIds: other.ids,
      });
      const inHeaders = lists.map((names) => {
        const attempt = genuine(`${names.slice(0, 4).join(", ")} … of ${other.type}`);
        const added = names.map((name): Header => [name, value(name)]);
        return { ...attempt, headers: [...attempt.headers, ...added] };
      });
      const inQuery = [
        withQuery(genuine(`?id=…&type=${other.type}`), query(PARAMETERS, value)),
        withQuery(
          genuine(`payload of ${other.type} in its query`),
          query(BODIES, () => other.text),
        ),
      ];
      return [...(signing.signsUrl ? [] : inQuery), ...inHeaders];
    });
    const sent = await kit.observe(attempts, {}, ({ reply }) => reply.isAcknowledged);
    for (const { what, event, otherIds, reply, seen } of sent) {
      const [own, foreign] = [seen?.of(event), seen?.of({ ids: otherIds })];
      const isRight =
        foreign === undefined && (own === undefined || event.types.includes(own.type));
      const ran = foreign === undefined ? own?.type : "the event that is not signed";
      kit.expect(TAMPERED, isRight, `${what}: a handler ran for ${ran}`, reply);
    }
  },
});
