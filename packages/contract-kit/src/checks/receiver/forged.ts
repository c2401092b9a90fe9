import type { ReceiverCheck } from "../../check.ts";
import { longBodies } from "../../harness/attack-bodies.ts";
import { forgeries } from "../../harness/attacks.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { type BypassProbe, bypassProbes } from "../../harness/bypass-probes.ts";
import { type Forgery, mustRefuse, receiverCheck } from "../../harness/play.ts";
import { withHeader, without } from "../../harness/request.ts";
import { unverified } from "../../harness/strangers.ts";

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

/** Every operation on every part of a signed attempt. */
export const forged: ReceiverCheck = receiverCheck({
  id: "receiver/forged",
  title: "an attempt is refused if any part was removed, changed, repeated or signed otherwise",
  requirements: [UNSIGNED, WRONG_KEY, TAMPERED, ...FINER],
  isSearch: true,
  play: async (bench) => {
    const { docket } = bench;
    const taken = bench.attempt(bench.event());
    await bench.post(taken);
    const groups = forgeries(bench, taken);
    const group = (requirement: string): readonly Forgery[] => groups.get(requirement) ?? [];
    if (bench.isOwed(UNSIGNED)) await mustRefuse(bench, UNSIGNED, group(UNSIGNED));
    const replies = await mustRefuse(bench, WRONG_KEY, group(WRONG_KEY));
    if (bench.isOwed(TAMPERED))
      await mustRefuse(bench, TAMPERED, [...group(TAMPERED), ...(await large(bench))]);
    const stranger = group(WRONG_KEY).findIndex(({ what }) => what.includes("another secret"));
    const takesAny = replies[stranger]?.isAcknowledged === true;
    for (const requirement of FINER.filter(bench.isOwed)) {
      if (takesAny) docket.unseen(requirement, "it takes signatures that are not genuine at all");
      else if (group(requirement).length === 0)
        docket.unseen(requirement, "the profile's scheme has no such part");
      // oxlint-disable-next-line no-await-in-loop -- one requirement after the other
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
    const [signed, sent] = longBodies(event.body.toString(), bytes);
    const attempt = bench.attempt({ ...event, body: Buffer.from(signed) });
    const what = `a body of ${signed.length} bytes with its last letter changed`;
    found.push({ what, attempt: { ...attempt, body: Buffer.from(sent) } });
  }
  const [one, other] = [bench.event(), bench.event()];
  const [first] = longBodies(one.body.toString());
  const genuine = bench.attempt({ ...one, body: Buffer.from(first) });
  await bench.post(genuine);
  const [alike] = longBodies(other.body.toString());
  const attempt: Attempt = {
    ...genuine,
    headers: withHeader(genuine.headers, signing.names.id, () => other.id),
    body: Buffer.from(alike),
    ids: [other.id],
  };
  return [
    ...found,
    { what: "another event under the signature of a large body that begins alike", attempt },
  ];
}

const BYPASS = "R-VERIFY-BYPASS";

/** Parts that anyone can add to an unsigned attempt. */
export const bypass: ReceiverCheck = receiverCheck({
  id: "receiver/bypass",
  title: "no header, query, path, method or member of the body switches verification off",
  requirements: [BYPASS],
  isSearch: true,
  play: async (bench) => {
    const { names } = bench.signing;
    const path = `${bench.target.wire.url.pathname}${bench.target.wire.url.search}`;
    const all = Object.values(names).filter((name) => name !== undefined);
    const { catalogue } = bench.target.profile;
    const unsigned = (index: number): Attempt => {
      const event = bench.event({ row: catalogue[(index + bench.seed) % catalogue.length] });
      const attempt = bench.attempt(event);
      return { ...attempt, headers: without(attempt.headers, all) };
    };
    const foreign = (index: number): Attempt =>
      bench.attempt(bench.event({ row: catalogue[(index + bench.seed) % catalogue.length] }), {
        secrets: [bench.signing.stranger(`bypass ${index}`)],
      });
    const bare = await bench.post(unsigned(0));
    if (bare.isAcknowledged) {
      bench.docket.unseen(BYPASS, "it takes unsigned attempts without any flag");
      return;
    }
    const cases = probesOf(bench).flatMap(({ what, change, isElsewhere = false }, index) =>
      (
        [
          ["an unsigned attempt", unsigned],
          ["an attempt that another secret signed", foreign],
        ] as const
      ).map(([base, make]) => {
        const attempt = make(index);
        return {
          what: `${base} ${what}`,
          isElsewhere,
          attempt: { ...attempt, ...change(attempt, path) },
        };
      }),
    );
    await mustRefuse(
      bench,
      BYPASS,
      cases.filter(({ isElsewhere }) => !isElsewhere),
    );
    await elsewhere(
      bench,
      cases.filter(({ isElsewhere }) => isElsewhere),
    );
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

/** Another address may answer anything: only a handler that runs is a finding there. */
async function elsewhere(bench: Bench, cases: readonly Forgery[]): Promise<void> {
  const replies = await bench.postAll(
    cases.map(({ attempt }) => attempt),
    { isOnce: true },
  );
  const last = bench.event();
  const after = await bench.post(bench.attempt(last));
  const seen = await bench.effects(after.isAcknowledged ? [last.id] : []);
  cases.forEach(({ what, attempt }, index) => {
    bench.docket.judge(
      BYPASS,
      !attempt.ids.some((id) => (seen?.count(id) ?? 0) > 0),
      [replies[index]],
      () => `${what}: a handler ran`,
    );
  });
}

const REFUSED = "R-REFUSE-STATUS";

/** What a sender makes of a refusal: some statuses end the subscription or are followed elsewhere. */
export const refusals: ReceiverCheck = receiverCheck({
  id: "receiver/refusals",
  title: "a refusal is answered with a status that says so to every sender",
  requirements: [REFUSED],
  play: async (bench) => {
    const { docket, target } = bench;
    const cases: readonly Forgery[] = [
      ...unverified(bench).map(({ what, make }) => ({
        what: `an attempt ${what}`,
        attempt: make(),
      })),
      {
        what: "a signed body that is not JSON",
        attempt: bench.attempt({ ...bench.event(), body: Buffer.from('{"id":') }),
      },
      {
        what: "an empty body without headers",
        attempt: { ...bench.attempt(bench.event()), headers: [], body: Buffer.alloc(0) },
      },
    ];
    const replies = await bench.postAll(cases.map(({ attempt }) => attempt));
    cases.forEach(({ what }, index) => {
      const reply = replies[index];
      // What is taken is the finding of another requirement.
      if (reply === undefined || reply.isAcknowledged) return;
      const { status = 0 } = reply;
      docket.judge(
        REFUSED,
        status >= 400 && status < 500 && status !== target.profile.delivery.goneStatus,
        [reply],
        () =>
          `${what}: expected a status of 4xx other than ${target.profile.delivery.goneStatus}, got ${reply.said}`,
      );
    });
    docket.unseen(REFUSED, "nothing was refused");
  },
});
