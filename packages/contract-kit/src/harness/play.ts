import type { ReceiverCheck } from "../check.ts";
import { type Attempt, type Bench, type BenchEvent, openBench, TargetLostError } from "./bench.ts";
import { openDocket } from "./docket.ts";
import { effectsSaid } from "./effects.ts";
import type { Reply } from "./reply.ts";
import { diagnose } from "./triage.ts";
import { isThere } from "./wire.ts";

/** A check of a receiver before it is run. */
export interface Play {
  /** `receiver/…` */
  readonly id: string;
  readonly title: string;
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
  return {
    id,
    title,
    role: "receiver",
    requirements,
    run: async (target, context) => {
      const { notebook } = target;
      const all = (status: "not_applicable" | "skipped", message: string) =>
        requirements.map((requirement) => ({ requirement, status, message }));
      if (how.slow === true && target.slow !== true)
        return all("not_applicable", "it waits for the receiver's own deadlines: --slow runs it");
      if (notebook.lost !== undefined) {
        notebook.isGone ??= !(await isThere(target.wire, [0]));
        if (notebook.isGone) return all("skipped", notebook.lost);
      }
      const docket = openDocket(id, requirements);
      const rounds = how.isSearch === true ? target.effort : 1;
      try {
        if (how.isFirst !== true) {
          notebook.diagnosis ??= diagnose(
            openBench(target, context, { check: "receiver/triage", docket }),
          );
          const cause = await notebook.diagnosis;
          if (cause !== undefined) return all("skipped", `genuine attempts are refused: ${cause}`);
        }
        for (let round = 0; round < rounds && !requirements.every(docket.hasFailed); round += 1) {
          const seeded = { ...context, seed: context.seed + round };
          // oxlint-disable-next-line no-await-in-loop -- a receiver is not flooded by its check
          await play(openBench(target, seeded, { check: id, docket, round }));
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
export interface Forgery {
  /** Its fault, as the subject of a sentence. */
  readonly what: string;
  readonly attempt: Attempt;
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
  const replies = await bench.postAll(forgeries.map(({ attempt, what }) => ({ ...attempt, what })));
  const taken = forgeries.filter((_, index) => replies[index]?.isAcknowledged === true);
  // Answers are checked before effects.
  for (const forgery of taken) {
    // oxlint-disable-next-line no-await-in-loop -- only for what failed
    const { what, reply } = await plainest(bench, forgery, replies[forgeries.indexOf(forgery)]);
    docket.judge(
      requirement,
      false,
      [reply],
      () => `${what}: expected a refusal, got ${reply?.said ?? "nothing"}`,
    );
  }
  const genuine = bench.event();
  const after = await bench.post(bench.attempt(genuine));
  docket.judge(
    requirement,
    after.isAcknowledged,
    [after],
    () =>
      `a genuine attempt after ${forgeries.at(-1)?.what ?? "them"} is answered by ${after.said}`,
  );
  // The genuine attempt's effect appears after the effects of earlier attempts.
  const seen = await bench.effects(after.isAcknowledged ? [genuine.id] : []);
  for (const row of seen?.nameless ?? [])
    docket.judge(requirement, false, [], () => `after ${forgeries[0]?.what ?? "them"}: ${row}`);
  forgeries.forEach(({ what, attempt }, index) => {
    const reply = replies[index];
    if (reply === undefined || reply.isAcknowledged) return;
    const hasRun = attempt.ids.some((id) => (seen?.count(id) ?? 0) > 0);
    docket.judge(
      requirement,
      !hasRun,
      [reply],
      () => `${what}: refused with ${reply.said}, and a handler ran all the same`,
    );
  });
  return replies;
}

async function plainest(
  bench: Bench,
  forgery: Forgery,
  before: Reply | undefined,
): Promise<{ readonly what: string; readonly reply: Reply | undefined }> {
  const plainer = forgery.plainer?.();
  if (plainer === undefined) return { what: forgery.what, reply: before };
  const reply = await bench.post(plainer.attempt);
  return reply.isAcknowledged
    ? plainest(bench, plainer, reply)
    : { what: forgery.what, reply: before };
}

/** A genuine attempt. */
export interface Genuine {
  /** Its peculiarity, as the subject of a sentence. */
  readonly what: string;
  readonly event: BenchEvent;
  /** Default: the event's plain attempt. */
  readonly attempt?: Attempt | undefined;
  /** Default: the requirement of the whole call. */
  readonly requirement?: string | undefined;
  /** True if no handler is known to run for it: its type is not in the catalogue. */
  readonly isUnhandled?: boolean;
}

/** Sends genuine attempts: each must be acknowledged, and its handler run once. */
export async function mustTake(
  bench: Bench,
  requirement: string,
  cases: readonly Genuine[],
): Promise<readonly Reply[]> {
  const { docket, target } = bench;
  docket.subject = requirement;
  const replies = await bench.postAll(
    cases.map(({ event, attempt, what }) => ({ ...(attempt ?? bench.attempt(event)), what })),
  );
  const isTaken = (index: number): boolean => replies[index]?.isAcknowledged === true;
  const handled = cases.filter((one, index) => isTaken(index) && one.isUnhandled !== true);
  const seen = await bench.effects(handled.map(({ event }) => event.id));
  for (const row of seen?.nameless ?? []) docket.judge(requirement, false, [], () => row);
  cases.forEach(({ what, event, requirement: own = requirement }, index) => {
    const reply = replies[index];
    if (reply === undefined) return;
    docket.judge(
      own,
      reply.isAcknowledged,
      [reply],
      () => `${what}: it is genuine, and was answered by ${reply.said}`,
    );
    if (seen === undefined || !handled.some((one) => one.event === event)) return;
    const ran = seen.get(event.id);
    docket.judge(own, ran?.count === 1 && ran.type === event.type, [reply], () =>
      ran === undefined
        ? `${what}: acknowledged, but without an effect within ${target.effectsWaitMs} ms`
        : `${what}: expected one effect of ${event.type}, got ${effectsSaid(ran)}`,
    );
    if (ran?.count === 1) target.notebook.handled.push(event);
  });
  return replies;
}
