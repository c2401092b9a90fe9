import type { ReceiverCheck, Verdict } from "../check.ts";
import { type Attempt, type AttemptOptions, Bench, TargetLostError } from "./bench.ts";
import { type Header, type Reply, withHeader, without, withSignature } from "./message.ts";
import { Docket } from "./docket.ts";
import { effectsSaid } from "./effects.ts";
import { diagnose } from "./triage.ts";
import { isThere } from "./wire.ts";

/** A check of a receiver before it is run. */
interface Play extends Pick<ReceiverCheck, "id" | "title"> {
  readonly requirements: readonly [string, ...string[]];
  /** True if it waits for the receiver's own deadlines. */
  readonly slow?: boolean;
  /** True if the seed chooses what it sends: a thorough run plays it in rounds, each with the next seed. */
  readonly isSearch?: boolean;
  /** True if it reports why genuine attempts are refused. All others are skipped then. */
  readonly isFirst?: boolean;
  readonly play: (bench: Bench) => Promise<void>;
}

/** Defines a check that sends attempts to a receiver and records what it sees. */
export function receiverCheck({ id, title, requirements, play, ...how }: Play): ReceiverCheck {
  const all = (status: "not_applicable" | "skipped", message: string): readonly Verdict[] =>
    requirements.map((requirement) => ({ requirement, status, message }));
  return {
    id,
    title,
    role: "receiver",
    requirements,
    run: async (target, context) => {
      const { notebook } = target;
      if (how.slow === true && target.slow !== true)
        return all("not_applicable", "it waits for the receiver's own deadlines: --slow runs it");
      if (notebook.lost !== undefined) {
        notebook.isGone ??= !(await isThere(target.wire, [0]));
        if (notebook.isGone) return all("skipped", notebook.lost);
      }
      const docket = new Docket(id, requirements);
      const rounds = how.isSearch === true ? target.effort : 1;
      try {
        if (how.isFirst !== true) {
          const first = new Bench(target, context, docket, { check: "receiver/triage" });
          notebook.diagnosis ??= diagnose(first);
          const cause = await notebook.diagnosis;
          if (cause !== undefined) return all("skipped", `genuine attempts are refused: ${cause}`);
        }
        const isDone = (): boolean => requirements.every((one) => docket.hasFailed(one));
        for (let round = 0; round < rounds && !isDone(); round += 1) {
          const seeded = { ...context, seed: context.seed + round };
          await play(new Bench(target, seeded, docket, { round }));
        }
      } catch (error) {
        if (!(error instanceof TargetLostError)) throw error;
        docket.judge(docket.subject, false, [error.exchange], () => error.message);
        return docket.verdicts("the receiver ended or hung earlier in this check");
      }
      return docket.verdicts();
    },
  };
}

/** An attempt that a receiver must refuse. */
export interface Forgery extends Attempt {
  /** The same mistake in a simpler attempt, which the finding shows if it is accepted too. */
  readonly plainer?: (() => Forgery) | undefined;
}

/**
 * Sends attempts that must be refused, then a genuine one: none of the former may be acknowledged or show an effect,
 * and the receiver must still answer.
 */
export async function mustRefuse(
  bench: Bench,
  requirement: string,
  forgeries: readonly Forgery[],
): Promise<readonly Reply[]> {
  const { docket } = bench;
  docket.subject = requirement;
  const sent = await bench.postAll(forgeries);
  // Answers are checked before effects.
  for (const one of sent.filter(({ reply }) => reply.isAcknowledged)) {
    const { what, reply } = await plainest(bench, one);
    docket.answered(requirement, false, reply, `${what}: expected a refusal`);
  }
  const genuine = bench.genuine();
  const after = await bench.post(genuine);
  docket.judge(requirement, after.isAcknowledged, [after], () => {
    return `a genuine attempt after ${forgeries.at(-1)?.what ?? "them"} is answered by ${after.said}`;
  });
  // The genuine attempt's effect appears after the effects of earlier attempts.
  const seen = await bench.effects(after.isAcknowledged ? genuine.ids : []);
  for (const row of seen?.nameless ?? [])
    docket.judge(requirement, false, [], () => `after ${forgeries[0]?.what ?? "them"}: ${row}`);
  for (const { what, ids, reply } of sent) {
    if (reply.isAcknowledged) continue;
    const hasRun = ids.some((id) => (seen?.count(id) ?? 0) > 0);
    docket.judge(requirement, !hasRun, [reply], () => {
      return `${what}: refused with ${reply.said}, and a handler ran all the same`;
    });
  }
  return sent.map(({ reply }) => reply);
}

type Accepted = Forgery & { readonly reply: Reply };

async function plainest(bench: Bench, accepted: Accepted): Promise<Accepted> {
  const next = accepted.plainer?.();
  if (next === undefined) return accepted;
  const reply = await bench.post(next);
  return reply.isAcknowledged ? plainest(bench, { ...next, reply }) : accepted;
}

/** A genuine attempt. */
export interface Genuine extends Attempt {
  /** Default: the requirement of the whole call. */
  readonly requirement?: string;
  /** True if no handler is known to run for it: its type is not in the catalogue. */
  readonly isUnhandled?: boolean;
}

/** Sends genuine attempts: each must be acknowledged, and its handler run once. */
export async function mustTake(
  bench: Bench,
  requirement: string,
  attempts: readonly Genuine[],
): Promise<void> {
  const { docket, target } = bench;
  docket.subject = requirement;
  const sent = await bench.postAll(attempts);
  const handled = sent.filter((one) => one.reply.isAcknowledged && one.isUnhandled !== true);
  const seen = await bench.effects(handled.map(({ event }) => event.id));
  for (const row of seen?.nameless ?? []) docket.judge(requirement, false, [], () => row);
  for (const one of sent) {
    const { what, event, reply, requirement: own = requirement } = one;
    docket.judge(own, reply.isAcknowledged, [reply], () => {
      return `${what}: it is genuine, and was answered by ${reply.said}`;
    });
    if (seen === undefined || !handled.includes(one)) continue;
    const ran = seen.get(event.id);
    docket.judge(own, ran?.count === 1 && ran.type === event.type, [reply], () =>
      ran === undefined
        ? `${what}: acknowledged, but without an effect within ${target.effectsWaitMs} ms`
        : `${what}: expected one effect of ${event.type}, got ${effectsSaid(ran)}`,
    );
    if (ran?.count === 1) target.notebook.handled.push(event);
  }
}

type Headers = readonly Header[];

/** New attempts that a receiver must refuse for their signature or time; the first one is plainly forged. */
export function unverified(
  bench: Bench,
  data: Readonly<Record<string, unknown>> = {},
): readonly Attempt[] {
  const { names, covers, withTime, all } = bench.signing;
  const tolerance = bench.signing.toleranceSeconds + 3600;
  const genuine = (what: string, options?: AttemptOptions): Attempt =>
    bench.attempt(bench.event({ data }), { ...options, what: `an attempt ${what}` });
  const headed = (what: string, change: (headers: Headers) => Headers): Attempt => {
    const attempt = genuine(what);
    return { ...attempt, headers: change(attempt.headers) };
  };
  const signature = (what: string, change: (value: string) => string): Attempt =>
    headed(what, (headers) => withHeader(headers, names.signature, change));
  const at = (what: string, seconds: number): Attempt =>
    genuine(what, { timestamp: bench.seconds() + seconds });
  const other = genuine("of a changed body");
  const idChanged = (headers: Headers): Headers => withHeader(headers, names.id, (id) => `${id}x`);
  return [
    genuine("signed by another secret", { secrets: [bench.signing.stranger("unverified")] }),
    headed("unsigned", (headers) => without(headers, all)),
    ...all.map((name) => headed(`without ${name}`, (headers) => without(headers, [name]))),
    signature("of no signature's form", () => "cstest"),
    signature("of an empty signature", () => ""),
    signature("of half a signature", (value) =>
      withSignature(value, (mac) => mac.slice(0, mac.length / 2)),
    ),
    { ...other, body: Buffer.concat([other.body, Buffer.from(" ")]) },
    ...(covers.id && names.id !== undefined ? [headed("of a changed id", idChanged)] : []),
    ...(covers.timestamp ? [at("too old", -tolerance), at("too early", tolerance)] : []),
    ...(withTime ? [headed("of no time", (headers) => withTime(headers, () => "now"))] : []),
  ];
}
