import type { CheckContext, ReceiverCheck, Verdict } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { describeEffect, NO_EFFECTS, NONE_SEEN, type Seen } from "../harness/effects.ts";
import type { Reply } from "../harness/message.ts";
import { KitSender, type Sent, TargetLostError } from "../harness/kit-sender.ts";
import { isThere, RunOverError } from "../harness/sockets.ts";
import type { ReceiverTarget } from "../harness/receiver-target.ts";
import { Verdicts } from "../verdicts.ts";
import { findLoss } from "./losses.ts";
import { survey } from "./survey.ts";

interface ReceiverCheckOptions extends Pick<ReceiverCheck, "id" | "title"> {
  readonly requirements: readonly [string, ...string[]];
  /** Its needs: `effects` if only they show whether its requirements are met. */
  readonly needs?: readonly Need[];
  /** True if only effects show that its requirements are met: answers may fail them. */
  readonly passesByEffects?: boolean;
  /** True if it reports why genuine attempts are refused. All others are skipped then. */
  readonly isFirst?: boolean;
  /** True if it judges what the whole run has seen: it runs even if nothing more can be sent. */
  readonly isLast?: boolean;
  /** True if it fails for a receiver that an earlier check has ended or made hang. */
  readonly judgesLoss?: boolean;
  /** Returns another reason why a target cannot show any of its requirements. */
  readonly inapplicable?: (target: ReceiverTarget) => string | undefined;
  readonly run: (kit: KitSender) => Promise<void>;
}

/** Defines a check that sends attempts to a receiver and records what it sees. */
export function receiverCheck(options: ReceiverCheckOptions): ReceiverCheck {
  const { id, title, requirements, isFirst = false, isLast = false, judgesLoss = false } = options;
  const all = (status: "not_applicable" | "skipped", message: string): readonly Verdict[] =>
    requirements.map((requirement) => ({ requirement, status, message }));

  const run = async (target: ReceiverTarget, context: CheckContext) => {
    const reason = inapplicableReason(options, target);
    if (reason !== undefined) return all("not_applicable", reason);
    const { runState, sockets, effects } = target;
    runState.startedAt ??= sockets.clock.elapsed();
    const wasLost = runState.lost !== undefined;
    effects?.beginCheck();
    const over = await reasonToStop(target);
    if (isLast) sockets.maxRequests = target.maxRequests;
    else if (over !== undefined) return all("skipped", over);
    const verdicts = new Verdicts(id, requirements);
    const kit = new KitSender(target, context, verdicts);
    /** Names a loss of plain events once, with its own requirement. */
    const otherwise = (): string | undefined => {
      const { loss } = runState;
      if (effects === undefined) return NO_EFFECTS;
      if (loss === undefined)
        return effects.unreadable ?? (effects.hasShown ? undefined : NONE_SEEN);
      if (requirements.includes(loss.requirement)) verdicts.fail(loss.requirement, loss.message);
      return `${loss.message}: ${loss.requirement} comes first`;
    };
    const judged = async (): Promise<readonly Verdict[]> => {
      const { cause } = await survey(new KitSender(target, context, verdicts, "survey"));
      if (cause !== undefined && !isFirst)
        return all("skipped", `genuine attempts are refused: ${cause}`);
      if (runState.stopped !== undefined)
        return all("skipped", `handlers no longer run: ${runState.stopped}`);
      if (runState.loss !== undefined && options.needs?.includes("effects") === true)
        return verdicts.list(otherwise());
      await options.run(kit);
      const hasFailed = requirements.some((one) => verdicts.hasFailed(one));
      if (hasFailed && effects !== undefined)
        runState.loss ??= await findLoss(
          kit,
          runState.handled.map(({ type }) => type),
        );
      const missing = otherwise();
      if (missing === undefined) return verdicts.list();
      if (options.passesByEffects === true) verdicts.withdrawPasses();
      return verdicts.list(
        undefined,
        missing,
        effects === undefined ? "not_applicable" : "skipped",
      );
    };
    try {
      return await Promise.race([judged(), aborted(context.signal)]);
    } catch (error) {
      if (error instanceof RunOverError) return verdicts.list(error.message);
      if (!(error instanceof TargetLostError)) throw error;
      const isBlamed = !wasLost && runState.lost?.isBan !== true;
      // The check of R-ALIVE fails: what was being sent may have nothing to do with it.
      const isOwn = judgesLoss || context.isWhole !== true;
      if (isBlamed || judgesLoss)
        verdicts.fail(kit.blamedIfLost, error.message, [error.exchange], !isOwn);
      return verdicts.list(lossOf(runState.lost, "in this check"));
    }
  };
  return { id, title, role: "receiver", requirements, run };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(new RunOverError("the run was interrupted"));
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Returns the reason why a check cannot send anything more, if there is one. */
async function reasonToStop({ runState, sockets }: ReceiverTarget): Promise<string | undefined> {
  const { lost } = runState;
  if (lost === undefined) return undefined;
  runState.isGone ??= !(await isThere(sockets, [0]));
  return runState.isGone ? lossOf(lost, `in this run, with ${lost.during}`) : undefined;
}

function lossOf(lost: ReceiverTarget["runState"]["lost"], when: string): string {
  return lost?.isBan === true
    ? `genuine attempts are refused: ${lost.during}`
    : `the receiver ended or hung earlier ${when}`;
}

/** The reason without --slow. */
export const WAITS = "only a slow run (--slow) waits for the receiver's own deadlines";

type Need = "slow" | "effects" | "id" | "types" | "time" | "json" | "bytes";

/** Needs that a target or provider may lack, each with the reason that a report gives. */
const needs: Readonly<Record<Need, (target: ReceiverTarget) => string | false>> = {
  slow: ({ slow }) => !slow && WAITS,
  effects: ({ effects }) => effects === undefined && NO_EFFECTS,
  id: ({ events, provider: { title } }) => !events.hasId && `${title} sends no id of the event`,
  types: ({ events, provider: { title } }) => !events.isOpen && `${title} has one type of event`,
  time: ({ signing, provider: { title } }) => !signing.covers.timestamp && `${title} signs no time`,
  json: ({ events, provider: { title } }) => events.isForm && `${title} sends forms`,
  bytes: ({ signing, provider: { title } }) =>
    !signing.covers.body && `${title} does not sign the bytes of the body`,
};

function inapplicableReason(
  { needs: own = [], inapplicable }: ReceiverCheckOptions,
  target: ReceiverTarget,
): string | undefined {
  for (const need of own) {
    const reason = needs[need](target);
    if (reason !== false) return reason;
  }
  return inapplicable?.(target);
}

/** Accepted invalid attempts of one requirement, or refused valid ones, after which no more are sent. */
const ENOUGH = 5;

/** An attempt that a receiver must refuse. */
export interface InvalidAttempt extends Attempt {
  /** Ids that it carries instead of its event's. */
  readonly otherIds?: readonly string[];
}

/**
 * Sends attempts that must be refused, then a genuine one: none of the former may be acknowledged or show an effect,
 * and the receiver must still answer.
 */
export async function expectRefusedThenGenuine(
  kit: KitSender,
  requirement: string,
  attempts: readonly InvalidAttempt[],
): Promise<readonly Reply[]> {
  const { verdicts, target, expect } = kit;
  kit.blamedIfLost = requirement;
  const isFound = (reply: Reply): boolean => reply.isAcknowledged;
  const sent = await kit.postAll(attempts, { isFound, enough: ENOUGH });
  // Answers are checked before effects.
  for (const { what, reply } of sent.filter((one) => one.reply.isAcknowledged).slice(0, ENOUGH))
    verdicts.fail(requirement, reply.insteadOf(`${what}: expected a refusal`), [reply]);
  const last = attempts.at(-1)?.what ?? "them";
  const genuine = kit.attempt({ what: `a genuine attempt after ${last}` });
  const after = await kit.post(genuine);
  if (isShutOut(after) && isShutOut(await kit.post(kit.attempt())))
    kit.shutOut(target.runState.refused.length + sent.length, after);
  const answer = `${genuine.what} is answered by ${after.summary}`;
  expect(requirement, after.isAcknowledged, answer, after);
  // The genuine attempt's effect appears after the effects of earlier attempts.
  const seen = await kit.waitForEffects(after.isAcknowledged ? [genuine.event] : []);
  for (const row of seen?.nameless ?? [])
    verdicts.fail(requirement, `after ${attempts[0]?.what ?? "them"}: ${row}`);
  for (const one of sent) {
    const { what, event, otherIds = [], reply } = one;
    if (reply.isAcknowledged) continue;
    const hasRun = (seen?.count({ ids: [...event.ids, ...otherIds] }) ?? 0) > 0;
    const ran = `${what}: refused with ${reply.summary}, and a handler ran all the same`;
    if (expect(requirement, !hasRun, ran, reply)) target.runState.refused.push(one);
  }
  return sent.map(({ reply }) => reply);
}

/** True for an answer by which a receiver bans a sender: `post` judges 429. */
const isShutOut = ({ status }: Reply): boolean => status === 403;

/** An attempt that a receiver must accept. */
export interface ValidAttempt extends Attempt {
  /** Default: the requirement of the whole call. */
  readonly requirement?: string;
  /** True if a correct receiver may refuse it, by 4xx: it must not fail, nor lose what it acknowledges. */
  readonly mayBeRefused?: boolean;
  /** True if no handler is known to run for it: its type is not in the catalogue. */
  readonly isUnhandled?: boolean;
}

/** True for the answer to a valid attempt that loses nothing. */
export const isTaken = (reply: Reply, { mayBeRefused = false }: Partial<ValidAttempt>): boolean => {
  const { status = 0, isAcknowledged } = reply;
  return isAcknowledged || (mayBeRefused && status >= 400 && status < 500);
};

/** Sends genuine attempts: each must be acknowledged, and its handler run once. */
export async function expectAccepted(
  kit: KitSender,
  requirement: string,
  attempts: readonly ValidAttempt[],
): Promise<void> {
  const { verdicts, expect } = kit;
  kit.blamedIfLost = requirement;
  const isFound = (reply: Reply, one: ValidAttempt): boolean => !isTaken(reply, one);
  const sent = await kit.postAll(attempts, { isFound, enough: ENOUGH });
  const handled = sent.filter((one) => one.reply.isAcknowledged && one.isUnhandled !== true);
  const seen = await kit.waitForEffects(handled.map(({ event }) => event));
  for (const row of seen?.nameless ?? []) verdicts.fail(requirement, row);
  for (const one of sent) {
    const { what, reply, requirement: own = requirement } = one;
    const answer = `${what}: it is genuine, and was answered by ${reply.summary}`;
    expect(own, isTaken(reply, one), answer, reply);
    if (seen !== undefined && handled.includes(one)) expectOneRun(kit, own, one, seen);
  }
}

/** Expects that the handler of an acknowledged attempt has run once, and remembers its event if so. */
export function expectOneRun(
  { target, expect }: KitSender,
  requirement: string,
  { what, event, reply }: Sent,
  seen: Seen,
): void {
  const ran = seen.of(event);
  if (ran?.count === 1) target.runState.handled.push(event);
  const got =
    ran === undefined
      ? "acknowledged, but without an effect"
      : `expected one effect of ${event.type}, got ${describeEffect(ran)}`;
  const isRight = ran?.count === 1 && event.types.includes(ran.type);
  expect(requirement, isRight, `${what}: ${got}`, reply);
}
