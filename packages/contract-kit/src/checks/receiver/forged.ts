import type { ReceiverCheck } from "../../check.ts";
import { mustRefuse, receiverCheck, type Forgery, unverified } from "../../harness/play.ts";
import { isLocalName, hostOf } from "../../harness/owned-host.ts";
import { longBodies } from "../../harness/attack-texts.ts";
import { forgeries } from "../../harness/attacks.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { type BypassProbe, bypassProbes } from "../../harness/bypass-probes.ts";
import { withHeader } from "../../harness/message.ts";

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
  play: async (bench) => {
    const { docket } = bench;
    const taken = bench.genuine();
    await bench.post(taken);
    const groups = forgeries(bench, taken);
    const group = (requirement: string): readonly Forgery[] => groups.get(requirement) ?? [];
    if (bench.isOwed(UNSIGNED)) await mustRefuse(bench, UNSIGNED, group(UNSIGNED));
    const replies = await mustRefuse(bench, WRONG_KEY, group(WRONG_KEY));
    if (bench.isOwed(TAMPERED))
      await mustRefuse(bench, TAMPERED, [...group(TAMPERED), ...(await large(bench))]);
    const stranger = group(WRONG_KEY).findIndex(({ what }) => what.includes("another secret"));
    const takesAny = replies[stranger]?.isAcknowledged === true;
    for (const requirement of FINER.filter((one) => bench.isOwed(one))) {
      if (takesAny) docket.unseen(requirement, "it takes signatures that are not genuine at all");
      else if (group(requirement).length === 0)
        docket.unseen(requirement, "the profile's scheme has no such part");
      else await mustRefuse(bench, requirement, group(requirement));
    }
  },
});

/** Receivers that verify only the beginning of a body accept any end. */
async function large(bench: Bench): Promise<readonly Forgery[]> {
  const { target, signing } = bench;
  const found: Forgery[] = [];
  for (const bytes of [undefined, target.profile.limits.bodyBytes]) {
    const event = bench.event();
    const [signed, sent] = longBodies(event.text, bytes);
    const what = `a body of ${signed.length} bytes with its last letter changed`;
    found.push({ ...bench.attempt(event, { what, body: signed }), body: Buffer.from(sent) });
  }
  const [one, other] = [bench.event(), bench.event()];
  const [first] = longBodies(one.text);
  const genuine = bench.attempt(one, { body: first });
  await bench.post(genuine);
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
  play: async (bench) => {
    const { wire, profile } = bench.target;
    const path = `${wire.url.pathname}${wire.url.search}`;
    const bare = await bench.post(bench.unsigned());
    if (bare.isAcknowledged)
      return bench.docket.unseen(BYPASS, "it takes unsigned attempts without any flag");
    const attempts = probesOf(bench).flatMap(({ what, change, isElsewhere = false }, index) => {
      const row = profile.catalogue[(index + bench.seed) % profile.catalogue.length];
      return [bench.unsigned({ row }), bench.foreign(`bypass ${index}`, { row })].map((base) => {
        return { ...base, ...change(base, path), what: `${base.what} ${what}`, isElsewhere };
      });
    });
    const here = attempts.filter(({ isElsewhere }) => !isElsewhere);
    await mustRefuse(bench, BYPASS, here);
    // Another address may answer anything: only a handler that runs is a finding there.
    const elsewhere = attempts.filter(({ isElsewhere }) => isElsewhere);
    const sent = await bench.postAll(elsewhere, { isOnce: true });
    const seen = await bench.finalEffects();
    for (const { what, ids, reply } of sent) {
      const hasRun = ids.some((id) => (seen?.count(id) ?? 0) > 0);
      bench.docket.judge(BYPASS, !hasRun, [reply], () => `${what}: a handler ran`);
    }
    return undefined;
  },
});

/** Each probe by itself; in later rounds each together with another one. */
function probesOf({ seed, round }: Bench): readonly BypassProbe[] {
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
  play: async (bench) => {
    const { docket, target } = bench;
    const { goneStatus } = target.profile.sending;
    const bare = bench.genuine({ what: "an empty body without headers" });
    const sent = await bench.postAll([
      ...unverified(bench),
      bench.genuine({ what: "a signed body that is not JSON", body: '{"id":' }),
      { ...bare, headers: [], body: Buffer.alloc(0) },
    ]);
    for (const { what, reply } of sent) {
      // What is taken is the finding of another requirement.
      if (reply.isAcknowledged) continue;
      const { status = 0 } = reply;
      const isRight = status >= 400 && status < 500 && status !== goneStatus;
      const wanted = `${what}: expected a status of 4xx other than ${goneStatus}`;
      docket.answered(REFUSED, isRight, reply, wanted);
    }
    docket.unseen(REFUSED, "nothing was refused");
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
  play: async (bench) => {
    const { docket, signing, target } = bench;
    if (!signing.covers.timestamp) {
      for (const one of [STALE, AHEAD]) docket.unseen(one, "the profile's scheme signs no time");
      return;
    }
    const tolerance = signing.toleranceSeconds;
    const isHere = isLocalName(hostOf(target.wire.url));
    const margin = isHere ? LOCAL_MARGIN : MARGIN;
    // If the tolerance is smaller than the margin, only the present is certainly within it.
    const inner = Math.max(0, tolerance - margin);
    const at = (seconds: number): Attempt => {
      const what = seconds < 0 ? `of ${-seconds} s ago` : `from ${seconds} s ahead`;
      const timestamp = bench.seconds() + seconds;
      return bench.genuine({ what: `an attempt ${what}`, timestamp });
    };

    const within = tolerance < margin / 2 ? [] : [-inner, inner, 0];
    for (const { what, reply } of await bench.postAll(within.map(at)))
      docket.answered(STALE, reply.isAcknowledged, reply, `${what}: within ±${tolerance} s`);
    await mustRefuse(bench, STALE, [
      ...[-margin, -60, -3600, -86_400 * 365].map((seconds) => at(seconds - tolerance)),
      bench.genuine({ what: "an attempt of the time 0", timestamp: 0 }),
    ]);
    await mustRefuse(bench, AHEAD, [
      ...[margin, 60, 3600, 86_400 * 365 * 10].map((seconds) => at(seconds + tolerance)),
      bench.genuine({
        what: "an attempt of the last second of the year 9999",
        timestamp: 253_402_300_799,
      }),
    ]);
  },
});
