import type { ReceiverCheck, Verdict } from "../check.ts";
import {
  type Attempt,
  type AttemptOptions,
  Sender,
  TargetLostError,
} from "../harness/attempt-sender.ts";
import { type Header, type Reply, withHeader, without, withSignature } from "../harness/message.ts";
import { Verdicts } from "../verdicts.ts";
import { describeEffect } from "../harness/effects.ts";
import { diagnose } from "./diagnose.ts";
import { isThere } from "../harness/sockets.ts";

/** A check of a receiver before it is run. */
interface ReceiverCheckOptions extends Pick<ReceiverCheck, "id" | "title"> {
  readonly requirements: readonly [string, ...string[]];
  /** True if it waits for the receiver's own deadlines. */
  readonly slow?: boolean;
  /** True if the seed chooses what it sends: a thorough run plays it in rounds, each with the next seed. */
  readonly isSearch?: boolean;
  /** True if it reports why genuine attempts are refused. All others are skipped then. */
  readonly isFirst?: boolean;
  readonly run: (sender: Sender) => Promise<void>;
}

/** Defines a check that sends attempts to a receiver and records what it sees. */
export function receiverCheck({
  id,
  title,
  requirements,
  run,
  ...how
}: ReceiverCheckOptions): ReceiverCheck {
  const all = (status: "not_applicable" | "skipped", message: string): readonly Verdict[] =>
    requirements.map((requirement) => ({ requirement, status, message }));
  return {
    id,
    title,
    role: "receiver",
    requirements,
    run: async (target, context) => {
      const { runState } = target;
      if (how.slow === true && target.slow !== true)
        return all("not_applicable", "it waits for the receiver's own deadlines: --slow runs it");
      if (runState.lost !== undefined) {
        runState.isGone ??= !(await isThere(target.sockets, [0]));
        if (runState.isGone) return all("skipped", runState.lost);
      }
      const verdicts = new Verdicts(id, requirements);
      const rounds = how.isSearch === true ? target.effort : 1;
      let sender = new Sender(target, context, verdicts);
      try {
        if (how.isFirst !== true) {
          const first = new Sender(target, context, verdicts, { check: "receiver/triage" });
          runState.diagnosis ??= diagnose(first);
          const cause = await runState.diagnosis;
          if (cause !== undefined) return all("skipped", `genuine attempts are refused: ${cause}`);
        }
        const isDone = (): boolean => requirements.every((one) => verdicts.hasFailed(one));
        for (let round = 0; round < rounds && !isDone(); round += 1) {
          const seeded = { ...context, seed: context.seed + round };
          sender = new Sender(target, seeded, verdicts, { round });
          await run(sender);
        }
      } catch (error) {
        if (!(error instanceof TargetLostError)) throw error;
        verdicts.fail(sender.requirement, error.message, [error.exchange]);
        return verdicts.list("the receiver ended or hung earlier in this check");
      }
      return verdicts.list();
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
export async function expectRefused(
  sender: Sender,
  requirement: string,
  forgeries: readonly Forgery[],
): Promise<readonly Reply[]> {
  const { verdicts } = sender;
  sender.requirement = requirement;
  const sent = await sender.postAll(forgeries);
  // Answers are checked before effects.
  for (const one of sent.filter(({ reply }) => reply.isAcknowledged)) {
    const { what, reply } = await plainest(sender, one);
    verdicts.fail(requirement, reply.insteadOf(`${what}: expected a refusal`), [reply]);
  }
  const genuine = sender.genuine();
  const after = await sender.post(genuine);
  verdicts.expect(
    requirement,
    after.isAcknowledged,
    () => {
      return `a genuine attempt after ${forgeries.at(-1)?.what ?? "them"} is answered by ${after.summary}`;
    },
    [after],
  );
  // The genuine attempt's effect appears after the effects of earlier attempts.
  const seen = await sender.effects(after.isAcknowledged ? genuine.ids : []);
  for (const row of seen?.nameless ?? [])
    verdicts.fail(requirement, `after ${forgeries[0]?.what ?? "them"}: ${row}`);
  for (const { what, ids, reply } of sent) {
    if (reply.isAcknowledged) continue;
    const hasRun = ids.some((id) => (seen?.count(id) ?? 0) > 0);
    verdicts.expect(
      requirement,
      !hasRun,
      () => {
        return `${what}: refused with ${reply.summary}, and a handler ran all the same`;
      },
      [reply],
    );
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
  const sent = await sender.postAll(attempts);
  const handled = sent.filter((one) => one.reply.isAcknowledged && one.isUnhandled !== true);
  const seen = await sender.effects(handled.map(({ event }) => event.id));
  for (const row of seen?.nameless ?? []) verdicts.fail(requirement, row);
  for (const one of sent) {
    const { what, event, reply, requirement: own = requirement } = one;
    verdicts.expect(
      own,
      reply.isAcknowledged,
      () => {
        return `${what}: it is genuine, and was answered by ${reply.summary}`;
      },
      [reply],
    );
    if (seen === undefined || !handled.includes(one)) continue;
    const ran = seen.get(event.id);
    verdicts.expect(
      own,
      ran?.count === 1 && ran.type === event.type,
      () =>
        ran === undefined
          ? `${what}: acknowledged, but without an effect within ${target.effectsWaitMs} ms`
          : `${what}: expected one effect of ${event.type}, got ${describeEffect(ran)}`,
      [reply],
    );
    if (ran?.count === 1) target.runState.handled.push(event);
  }
}

type Headers = readonly Header[];

/** New attempts that a receiver must refuse for their signature or time; the first one is plainly forged. */
export function unverified(
  sender: Sender,
  data: Readonly<Record<string, unknown>> = {},
): readonly Attempt[] {
  const { names, covers, withTime, all } = sender.signing;
  const tolerance = sender.signing.toleranceSeconds + 3600;
  const genuine = (what: string, options?: AttemptOptions): Attempt =>
    sender.attempt(sender.event({ data }), { ...options, what: `an attempt ${what}` });
  const headed = (what: string, change: (headers: Headers) => Headers): Attempt => {
    const attempt = genuine(what);
    return { ...attempt, headers: change(attempt.headers) };
  };
  const signature = (what: string, change: (value: string) => string): Attempt =>
    headed(what, (headers) => withHeader(headers, names.signature, change));
  const at = (what: string, seconds: number): Attempt =>
    genuine(what, { timestamp: sender.seconds() + seconds });
  const other = genuine("of a changed body");
  const idChanged = (headers: Headers): Headers => withHeader(headers, names.id, (id) => `${id}x`);
  return [
    genuine("signed by another secret", { secrets: [sender.signing.stranger("unverified")] }),
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
