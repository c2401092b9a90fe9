import type { ReceiverCheck } from "../check.ts";
import { expectRefused, receiverCheck, type Forgery, unverified } from "./receiver-check.ts";
import { isLocalName, hostOf } from "../harness/owned-host.ts";
import { longBodies } from "./forged-texts.ts";
import { forgeries } from "./forgeries.ts";
import type { Attempt, Sender } from "../harness/attempt-sender.ts";
import { type BypassProbe, bypassProbes } from "./bypass-probes.ts";
import { withHeader } from "../harness/message.ts";

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
  run: async (sender) => {
    const { verdicts } = sender;
    const taken = sender.genuine();
    await sender.post(taken);
    const groups = forgeries(sender, taken);
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
        verdicts.notApplicable(requirement, "the profile's scheme has no such part");
      else await expectRefused(sender, requirement, group(requirement));
    }
  },
});

/** Receivers that verify only the beginning of a body accept any end. */
async function large(sender: Sender): Promise<readonly Forgery[]> {
  const { target, signing } = sender;
  const found: Forgery[] = [];
  for (const bytes of [undefined, target.profile.limits.bodyBytes]) {
    const event = sender.event();
    const [signed, sent] = longBodies(event.text, bytes);
    const what = `a body of ${signed.length} bytes with its last letter changed`;
    found.push({ ...sender.attempt(event, { what, body: signed }), body: Buffer.from(sent) });
  }
  const [one, other] = [sender.event(), sender.event()];
  const [first] = longBodies(one.text);
  const genuine = sender.attempt(one, { body: first });
  await sender.post(genuine);
  const [alike] = longBodies(other.text);
  found.push({
    ...genuine,
    what: "another event under the signature of a large body that begins alike",
    headers: withHeader(genuine.headers, signing.names.id, () => other.id),
    body: Buffer.from(alike),
    ids: [other.id],
  });
  return found;
}

const BYPASS = "R-VERIFY-BYPASS";

export const bypass: ReceiverCheck = receiverCheck({
  id: "receiver/bypass",
  title: "no header, query, path, method or member of the body switches verification off",
  requirements: [BYPASS],
  isSearch: true,
  run: async (sender) => {
    const { sockets, profile } = sender.target;
    const path = `${sockets.url.pathname}${sockets.url.search}`;
    const bare = await sender.post(sender.unsigned());
    if (bare.isAcknowledged)
      return sender.verdicts.notApplicable(BYPASS, "it takes unsigned attempts without any flag");
    const attempts = probesOf(sender).flatMap(({ what, change, isElsewhere = false }, index) => {
      const row = profile.catalogue[(index + sender.seed) % profile.catalogue.length];
      return [sender.unsigned({ row }), sender.foreign(`bypass ${index}`, { row })].map((base) => {
        return { ...base, ...change(base, path), what: `${base.what} ${what}`, isElsewhere };
      });
    });
    const here = attempts.filter(({ isElsewhere }) => !isElsewhere);
    await expectRefused(sender, BYPASS, here);
    // Another address may answer anything: only a handler that runs is a finding there.
    const elsewhere = attempts.filter(({ isElsewhere }) => isElsewhere);
    const sent = await sender.postAll(elsewhere, { isOnce: true });
    const seen = await sender.finalEffects();
    for (const { what, ids, reply } of sent) {
      const hasRun = ids.some((id) => (seen?.count(id) ?? 0) > 0);
      sender.verdicts.expect(BYPASS, !hasRun, () => `${what}: a handler ran`, [reply]);
    }
    return undefined;
  },
});

/** Each probe by itself; in later rounds each together with another one. */
function probesOf({ seed, round }: Sender): readonly BypassProbe[] {
  if (round === 0) return bypassProbes;
  return bypassProbes.map((one, index) => {
    const other = bypassProbes[(index + seed * 17 + round) % bypassProbes.length] ?? one;
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

const REFUSED = "R-REFUSE-STATUS";

export const refusals: ReceiverCheck = receiverCheck({
  id: "receiver/refusals",
  title: "a refusal is answered with a status that says so to every sender",
  requirements: [REFUSED],
  run: async (sender) => {
    const { verdicts, target } = sender;
    const { goneStatus } = target.profile.sending;
    const bare = sender.genuine({ what: "an empty body without headers" });
    const sent = await sender.postAll([
      ...unverified(sender),
      sender.genuine({ what: "a signed body that is not JSON", body: '{"id":' }),
      { ...bare, headers: [], body: Buffer.alloc(0) },
    ]);
    for (const { what, reply } of sent) {
      // What is taken is the finding of another requirement.
      if (reply.isAcknowledged) continue;
      const { status = 0 } = reply;
      const isRight = status >= 400 && status < 500 && status !== goneStatus;
      const wanted = `${what}: expected a status of 4xx other than ${goneStatus}`;
      verdicts.expect(REFUSED, isRight, () => reply.insteadOf(wanted), [reply]);
    }
    verdicts.notApplicable(REFUSED, "nothing was refused");
  },
});

const STALE = "R-VERIFY-STALE";
const AHEAD = "R-VERIFY-AHEAD";

/** Seconds by which an attempt is beyond or within the tolerance: clocks of two machines differ, and time passes. */
const MARGIN = 30;
const LOCAL_MARGIN = 10;

export const timestamps: ReceiverCheck = receiverCheck({
  id: "receiver/timestamps",
  title: "attempts outside the tolerance are refused, early or late, and those within are accepted",
  requirements: [STALE, AHEAD],
  run: async (sender) => {
    const { verdicts, signing, target } = sender;
    if (!signing.covers.timestamp) {
      for (const one of [STALE, AHEAD])
        verdicts.notApplicable(one, "the profile's scheme signs no time");
      return;
    }
    const tolerance = signing.toleranceSeconds;
    const isHere = isLocalName(hostOf(target.sockets.url));
    const margin = isHere ? LOCAL_MARGIN : MARGIN;
    // If the tolerance is smaller than the margin, only the present is certainly within it.
    const inner = Math.max(0, tolerance - margin);
    const at = (seconds: number): Attempt => {
      const what = seconds < 0 ? `of ${-seconds} s ago` : `from ${seconds} s ahead`;
      const timestamp = sender.seconds() + seconds;
      return sender.genuine({ what: `an attempt ${what}`, timestamp });
    };

    const within = tolerance < margin / 2 ? [] : [-inner, inner, 0];
    for (const { what, reply } of await sender.postAll(within.map(at)))
      verdicts.expect(
        STALE,
        reply.isAcknowledged,
        () => reply.insteadOf(`${what}: within ±${tolerance} s`),
        [reply],
      );
    await expectRefused(sender, STALE, [
      ...[-margin, -60, -3600, -86_400 * 365].map((seconds) => at(seconds - tolerance)),
      sender.genuine({ what: "an attempt of the time 0", timestamp: 0 }),
    ]);
    await expectRefused(sender, AHEAD, [
      ...[margin, 60, 3600, 86_400 * 365 * 10].map((seconds) => at(seconds + tolerance)),
      sender.genuine({
        what: "an attempt of the last second of the year 9999",
        timestamp: 253_402_300_799,
      }),
    ]);
  },
});
