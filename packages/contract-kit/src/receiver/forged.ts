import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { unverified } from "../harness/broken-attempts.ts";
import type { Sender } from "../harness/sender.ts";
import { type BypassProbe, bypassProbes, ownSwitches, trialTypes } from "./bypass-probes.ts";
import { DOCUMENTED_BYTES, longBodies } from "./forged-bodies.ts";
import { withQuery } from "./forged-keys.ts";
import { forgeries } from "./forgeries.ts";
import { expectRefused, type Forgery, isTypeOf, receiverCheck } from "./receiver-check.ts";

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
  "R-HEADER-ONCE",
  "R-BODY-ENCODED",
] as const;

export const forged: ReceiverCheck = receiverCheck({
  id: "receiver/forged",
  title: "an attempt is refused if any part was removed, changed, repeated or signed otherwise",
  requirements: [UNSIGNED, WRONG_KEY, TAMPERED, ...FINER],
  isSearch: true,
  strict: ["R-VERIFY-CANONICAL", "R-HEADER-ONCE"],
  run: async (sender) => {
    const { verdicts, target } = sender;
    const accepted = sender.genuine();
    await sender.post(accepted);
    const groups = forgeries(sender, accepted);
    const group = (requirement: string): readonly Forgery[] => groups.get(requirement) ?? [];
    if (sender.isSelected(UNSIGNED)) await expectRefused(sender, UNSIGNED, group(UNSIGNED));
    const replies = await expectRefused(sender, WRONG_KEY, group(WRONG_KEY));
    if (sender.isSelected(TAMPERED))
      await expectRefused(sender, TAMPERED, [...group(TAMPERED), ...(await large(sender))]);
    const stranger = group(WRONG_KEY).findIndex(({ what }) => what.includes("another secret"));
    const takesAny = replies[stranger]?.isAcknowledged === true;
    for (const requirement of FINER.filter((one) => sender.isSelected(one))) {
      if (takesAny)
        verdicts.notApplicable(requirement, "it takes signatures that are not genuine at all");
      else if (group(requirement).length === 0)
        verdicts.notApplicable(requirement, `${target.provider.title} signs no such part`);
      else await expectRefused(sender, requirement, group(requirement));
    }
  },
});

/** Receivers that verify only the beginning of a body accept any end. */
async function large(sender: Sender): Promise<readonly Forgery[]> {
  const { signing } = sender;
  // Spaces and members in a body whose values are signed one by one are no part of what is signed.
  if (!signing.covers.body) return [];
  const found: Forgery[] = [];
  for (const bytes of [undefined, DOCUMENTED_BYTES]) {
    const event = sender.event();
    const [signed, sent] = longBodies(sender, event.text, bytes);
    const what = `a body of ${signed.length} bytes with its last letter changed`;
    found.push({ ...sender.attempt(event, { what, body: signed }), body: Buffer.from(sent) });
  }
  const [one, other] = [sender.event(), sender.event()];
  const [first] = longBodies(sender, one.text);
  const genuine = sender.attempt(one, { body: first });
  await sender.post(genuine);
  const [alike] = longBodies(sender, other.text);
  const { id } = signing.provider;
  const moved = { ...genuine, event: other, body: Buffer.from(alike) };
  found.push({
    ...(id === undefined ? moved : signing.withPlace(moved, id.at, () => other.id)),
    what: "another event under the signature of a large body that begins alike",
  });
  return found;
}

/** Parameters that override members of the event in frameworks that merge both. */
const OVERRIDES = ["id", "event_id", "eventId", "type", "event", "event_type", "eventType"];

/** Genuine attempts whose unsigned query names another event: a handler must not run for that one. */
export const overridden: ReceiverCheck = receiverCheck({
  id: "receiver/overridden",
  title: "what is not signed does not change the event of a genuine attempt",
  requirements: [TAMPERED],
  needsEffects: true,
  inapplicable: ({ signing, provider: { title } }) =>
    signing.signsUrl ? `${title} signs the URL` : undefined,
  run: async (sender) => {
    const { rows } = sender.events;
    const attempts = rows.slice(0, 3).map((row, index): Forgery => {
      const event = sender.event({ row });
      const other = sender.event({ row: rows[(index + 1) % rows.length] });
      const query = OVERRIDES.map((name) => {
        return `${name}=${encodeURIComponent(/id$/i.test(name) ? other.id : other.type)}`;
      });
      const what = `a genuine attempt of ${event.type} with ?id=…&type=${other.type}`;
      return {
        ...withQuery(sender.attempt(event, { what }), query.join("&")),
        otherIds: other.ids,
      };
    });
    const sent = await sender.postAll(attempts);
    const seen = await sender.finalEffects(
      sent.filter(({ reply }) => reply.isAcknowledged).map(({ event }) => event),
    );
    for (const { what, event, otherIds = [], reply } of sent) {
      const [own, foreign] = [seen?.of(event), seen?.of({ ids: otherIds })];
      const isRight = foreign === undefined && (own === undefined || isTypeOf(event, own.type));
      sender.verdicts.expect(
        TAMPERED,
        isRight,
        () =>
          `${what}: a handler ran for ${foreign === undefined ? own?.type : "the event of the query"}`,
        [reply],
      );
    }
  },
});

const BYPASS = "R-VERIFY-BYPASS";

export const bypass: ReceiverCheck = receiverCheck({
  id: "receiver/bypass",
  title: "no header, query, path, method or member of the body switches verification off",
  requirements: [BYPASS],
  isSearch: true,
  run: async (sender) => {
    const { rows } = sender.events;
    const bare = await sender.post(sender.unsigned());
    if (bare.isAcknowledged) {
      sender.verdicts.notApplicable(BYPASS, "it takes unsigned attempts without any flag");
      return;
    }
    const attempts = chooseProbes(sender).flatMap(
      ({ what, change, isElsewhere = false }, index) => {
        const row = rows[(index + sender.seed) % rows.length];
        const strangers = [sender.unsigned({ row }), sender.foreign("bypass", { row })];
        return strangers.map((base) => {
          const changed = change(base, base.path ?? "");
          return { ...base, ...changed, what: `${base.what} ${what}`, isElsewhere };
        });
      },
    );
    const here = attempts.filter(({ isElsewhere }) => !isElsewhere);
    await expectRefused(sender, BYPASS, [...here, ...trials(sender)]);
    // Another address may answer anything: only a handler that runs is a finding there.
    const elsewhere = attempts.filter(({ isElsewhere }) => isElsewhere);
    const sent = await sender.postAll(elsewhere, { isOnce: true });
    const seen = await sender.finalEffects();
    for (const { what, event, reply } of sent) {
      const hasRun = (seen?.count(event) ?? 0) > 0;
      sender.verdicts.expect(BYPASS, !hasRun, () => `${what}: a handler ran`, [reply]);
    }
  },
});

/** Unsigned events of types by which addresses are tried, unless the provider has them answered unsigned. */
function trials(sender: Sender): readonly Attempt[] {
  const { events, target } = sender;
  const { handshakes = [] } = target.provider;
  const answered = handshakes.flatMap(({ when }) => when.map(({ equals }) => equals));
  const data = { challenge: "cstest" };
  const { live } = target.provider.event;
  const testing = typeof live === "string" ? [{ more: { [live]: false } }] : [];
  const tested = testing.flatMap((order) => [
    sender.unsigned(order),
    sender.foreign("bypass", order),
  ]);
  const trialled = (events.isOpen ? trialTypes : [])
    .filter((name) => !answered.includes(name))
    .flatMap((name) => {
      const type = events.withLastPart(events.rows[0]?.type ?? "", () => name);
      const strangers = [sender.unsigned({ type, data }), sender.foreign("bypass", { type, data })];
      return strangers.map((base) => ({ ...base, what: `${base.what} of the type ${type}` }));
    });
  return [...trialled, ...tested.map((one) => ({ ...one, what: `${one.what} of a test mode` }))];
}

/** Each probe by itself; in later rounds each together with another one. */
function chooseProbes(sender: Sender): readonly BypassProbe[] {
  const { seed, round, signing, target } = sender;
  const named = sender.event().headers.map(([name]) => name);
  const probes = [
    ...bypassProbes,
    ...ownSwitches([...signing.headers, ...named]),
    ...retried(target.provider),
  ];
  if (round === 0) return probes;
  return probes.map((one, index) => {
    const other = probes[(index + seed * 17 + round) % probes.length] ?? one;
    return {
      ...one,
      what: `${one.what} and ${other.what}`,
      change: (request, path) => {
        const changed = { ...request, ...one.change(request, path) };
        return { ...changed, ...other.change(changed, path) };
      },
      isElsewhere: one.isElsewhere === true || other.isElsewhere === true,
    };
  });
}

/** With the number of a later attempt, where the provider sends one. */
function retried({ answer, documentation }: Sender["target"]["provider"]): readonly BypassProbe[] {
  const [, name] = /^header:([^#]+)$/.exec(answer?.attempt ?? "") ?? [];
  if (name === undefined) return [];
  const change: BypassProbe["change"] = ({ headers }) => ({ headers: [...headers, [name, "2"]] });
  return [{ what: `with ${name}: 2`, source: documentation, change }];
}

const REFUSED = "R-REFUSE-STATUS";

/** A status that ends a subscription, if a document does not say. */
const GONE = 410;

export const refusals: ReceiverCheck = receiverCheck({
  id: "receiver/refusals",
  title: "a refusal is answered with a status that says so to every sender",
  requirements: [REFUSED],
  run: async (sender) => {
    const { verdicts, target, signing } = sender;
    const { goneStatus = GONE } = target.provider.sending ?? {};
    const bare = sender.genuine({ what: "an empty body without headers" });
    const beyond = sender.genuine({ what: "a signature with bytes that are no ASCII" });
    const sent = await sender.postAll([
      ...unverified(sender),
      { ...bare, headers: [], body: Buffer.alloc(0) },
      signing.withSignature(beyond, (text) => `\u00ff${text.slice(1)}`),
      {
        ...sender.unsigned(),
        what: "an unsigned body that is not JSON",
        body: Buffer.from('{"id":'),
      },
      ...(!target.strict || sender.events.isForm || !signing.covers.body
        ? []
        : [sender.genuine({ what: "a signed body that is not JSON", body: '{"id":' })]),
    ]);
    for (const { what, reply } of sent) {
      // What is accepted is the finding of another requirement.
      if (reply.isAcknowledged) continue;
      const { status = 0 } = reply;
      const isRight = status >= 400 && status < 500 && status !== goneStatus;
      const expected = `${what}: expected a status of 4xx other than ${goneStatus}`;
      verdicts.expect(REFUSED, isRight, () => reply.insteadOf(expected), [reply]);
    }
    verdicts.notApplicable(REFUSED, "nothing was refused");
  },
});
