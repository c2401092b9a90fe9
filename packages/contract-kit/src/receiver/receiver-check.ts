import type { ReceiverCheck, Verdict } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { describeEffect, NO_EFFECTS } from "../harness/effects.ts";
import type { Reply } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import { Sender, TargetLostError, TimeUpError } from "../harness/sender.ts";
import { isThere } from "../harness/sockets.ts";
import type { ReceiverTarget } from "../target.ts";
import { Verdicts } from "../verdicts.ts";
import { diagnose } from "./diagnose.ts";

/** A check of a receiver before it is run. */
interface ReceiverCheckOptions extends Pick<ReceiverCheck, "id" | "title"> {
  readonly requirements: readonly [string, ...string[]];
  /** True if it waits for the receiver's own deadlines. */
  readonly slow?: boolean;
  /** True if the seed chooses what it sends: a thorough run repeats it in rounds, each with the next seed. */
  readonly isSearch?: boolean;
  /** True if it reports why genuine attempts are refused. All others are skipped then. */
  readonly isFirst?: boolean;
  /** True if only handlers' effects show whether its requirements are met. */
  readonly needsEffects?: boolean;
  /** Those of its requirements that are judged only if the run is strict. */
  readonly strict?: readonly string[];
  /** Returns the reason why a provider cannot show any of its requirements. */
  readonly inapplicable?: (target: ReceiverTarget) => string | undefined;
  readonly run: (sender: Sender) => Promise<void>;
}

/** Milliseconds after which nothing more is sent, per round of a search: a run ends also if each answer is slow. */
const RUN_MS = 80_000;

/** Defines a check that sends attempts to a receiver and records what it sees. */
export function receiverCheck(options: ReceiverCheckOptions): ReceiverCheck {
  const { id, title, requirements, run, isSearch = false, strict = [] } = options;
  const all = (status: "not_applicable" | "skipped", message: string): readonly Verdict[] =>
    requirements.map((requirement) => ({ requirement, status, message }));
  return {
    id,
    title,
    role: "receiver",
    requirements,
    run: async (target, context) => {
      const { runState, sockets } = target;
      const reason = inapplicableReason(options, target);
      if (reason !== undefined) return all("not_applicable", reason);
      if (runState.lost !== undefined) {
        runState.isGone ??= !(await isThere(sockets, [0]));
        if (runState.isGone) return all("skipped", runState.lost);
      }
      const limitMs = RUN_MS * (target.slow ? 10 : target.effort);
      const isSlow = `the receiver is slow: its checks have taken ${limitMs / 1000} s`;
      runState.startedAt ??= sockets.clock.now();
      runState.endsAt ??= runState.startedAt + limitMs;
      if (sockets.clock.now() > runState.endsAt) return all("skipped", isSlow);
      const verdicts = new Verdicts(id, requirements);
      const isLax = !target.strict;
      const judged = (context.selected ?? requirements).filter(
        (one) => !(isLax && strict.includes(one)),
      );
      if (isLax)
        for (const one of strict)
          verdicts.notApplicable(one, "only strict receivers meet it: --thorough judges it");
      let sender = new Sender(target, { ...context, selected: judged }, verdicts);
      try {
        if (options.isFirst !== true) {
          const first = new Sender(target, context, verdicts, { check: "receiver/diagnose" });
          runState.diagnosis ??= diagnose(first);
          const cause = await runState.diagnosis;
          if (cause !== undefined) return all("skipped", `genuine attempts are refused: ${cause}`);
        }
        const isDone = (): boolean => judged.every((one) => verdicts.hasFailed(one));
        for (let round = 0; round < (isSearch ? target.effort : 1) && !isDone(); round += 1) {
          const seeded = { ...context, selected: judged, seed: context.seed + round };
          sender = new Sender(target, seeded, verdicts, { round });
          await run(sender);
        }
      } catch (error) {
        if (error instanceof TimeUpError) return verdicts.list(isSlow);
        if (!(error instanceof TargetLostError)) throw error;
        verdicts.fail(sender.requirement, error.message, [error.exchange]);
        return verdicts.list("the receiver ended or hung earlier in this check");
      }
      return verdicts.list();
    },
  };
}

function inapplicableReason(
  { slow, needsEffects, inapplicable }: ReceiverCheckOptions,
  target: ReceiverTarget,
): string | undefined {
  if (slow === true && !target.slow)
    return "it waits for the receiver's own deadlines: --slow runs it";
  if (needsEffects === true && target.effects === undefined) return NO_EFFECTS;
  return inapplicable?.(target);
}

/** An attempt that a receiver must refuse. */
export interface Forgery extends Attempt {
  /** The same mistake in a simpler attempt, which the finding shows if it is accepted too. */
  readonly plainer?: (() => Forgery) | undefined;
  /** Ids that it carries instead of its event's. */
  readonly otherIds?: readonly string[];
}

/** Accepted forgeries of one requirement, or refused genuine attempts, after which no more are sent. */
const ENOUGH = 5;

/**
 * Sends attempts that must be refused, then a genuine one: none of the former may be acknowledged or show an effect,
 * and the receiver must still answer.
 */
export async function expectRefused(
  sender: Sender,
  requirement: string,
  forgeries: readonly Forgery[],
): Promise<readonly Reply[]> {
  const { verdicts, target } = sender;
  sender.requirement = requirement;
  const accepted = (replies: readonly Reply[]): boolean =>
    replies.filter((reply) => reply.isAcknowledged).length >= ENOUGH;
  const sent = await sender.postAll(forgeries, { isEnough: accepted });
  // Answers are checked before effects.
  for (const one of sent.filter(({ reply }) => reply.isAcknowledged).slice(0, ENOUGH)) {
    const { what, reply } = await plainest(sender, one);
    verdicts.fail(requirement, reply.insteadOf(`${what}: expected a refusal`), [reply]);
  }
  const genuine = sender.genuine();
  const after = await sender.post(genuine);
  const last = forgeries.at(-1)?.what ?? "them";
  verdicts.expect(
    requirement,
    after.isAcknowledged,
    () => `a genuine attempt after ${last} is answered by ${after.summary}`,
    [after],
  );
  // The genuine attempt's effect appears after the effects of earlier attempts.
  const seen = await sender.effects(after.isAcknowledged ? [genuine.event] : []);
  for (const row of seen?.nameless ?? [])
    verdicts.fail(requirement, `after ${forgeries[0]?.what ?? "them"}: ${row}`);
  for (const one of sent) {
    const { what, event, otherIds = [], reply } = one;
    if (reply.isAcknowledged) continue;
    const hasRun = (seen?.count({ ids: [...event.ids, ...otherIds] }) ?? 0) > 0;
    const isRight = verdicts.expect(
      requirement,
      !hasRun,
      () => `${what}: refused with ${reply.summary}, and a handler ran all the same`,
      [reply],
    );
    if (isRight) target.runState.refused.push(one);
  }
  return sent.map(({ reply }) => reply);
}

type Accepted = Forgery & { readonly reply: Reply };

async function plainest(sender: Sender, accepted: Accepted): Promise<Accepted> {
  const next = accepted.plainer?.();
  if (next === undefined) return accepted;
  const reply = await sender.post(next);
  return reply.isAcknowledged ? plainest(sender, { ...next, reply }) : accepted;
}

/** A genuine attempt. */
export interface Genuine extends Attempt {
  /** Default: the requirement of the whole call. */
  readonly requirement?: string;
  /** True if no handler is known to run for it: its type is not in the catalogue. */
  readonly isUnhandled?: boolean;
}

/** Sends genuine attempts: each must be acknowledged, and its handler run once. */
export async function expectAccepted(
  sender: Sender,
  requirement: string,
  attempts: readonly Genuine[],
): Promise<void> {
  const { verdicts, target } = sender;
  sender.requirement = requirement;
  const refused = (replies: readonly Reply[]): boolean =>
    replies.filter((reply) => !reply.isAcknowledged).length >= ENOUGH;
  const sent = await sender.postAll(attempts, { isEnough: refused });
  const handled = sent.filter((one) => one.reply.isAcknowledged && one.isUnhandled !== true);
  const seen = await sender.effects(handled.map(({ event }) => event));
  for (const row of seen?.nameless ?? []) verdicts.fail(requirement, row);
  for (const one of sent) {
    const { what, event, reply, requirement: own = requirement } = one;
    verdicts.expect(
      own,
      reply.isAcknowledged,
      () => `${what}: it is genuine, and was answered by ${reply.summary}`,
      [reply],
    );
    if (seen === undefined || !handled.includes(one)) continue;
    const ran = seen.of(event);
    verdicts.expect(
      own,
      ran?.count === 1 && isTypeOf(event, ran.type),
      () =>
        ran === undefined
          ? `${what}: acknowledged, but without an effect within ${target.effectsWaitMs} ms`
          : `${what}: expected one effect of ${event.type}, got ${describeEffect(ran)}`,
      [reply],
    );
    if (ran?.count === 1) target.runState.handled.push(event);
  }
}

/** True if an effect's type names an event's: the whole type, or a part that a handler may know it by. */
export function isTypeOf({ types }: TestEvent, type: string): boolean {
  return types.includes(type);
}
