import type { Clock } from "../clock.ts";
import type { Random } from "../random.ts";
import { perform, type Driver, type Operation, type Queryable } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import { countOutcomes } from "../store/operations/deliveries/count-outcomes.ts";
import { countRecorded } from "../store/operations/deliveries/count-recorded.ts";
import { endSubscription } from "../store/operations/deliveries/end-subscription.ts";
import { heedReplays } from "../store/operations/deliveries/heed-replays.ts";
import type { AttemptRow } from "../store/operations/deliveries/attempt-row.ts";
import {
  settleDeliveries,
  type SettledDelivery,
} from "../store/operations/deliveries/settle-deliveries.ts";
import type { Attempt } from "./attempt.ts";
import type { Claim } from "./claim.ts";
import { decide, isGone, isSuccess, type DecidingPolicy } from "./decide.ts";
import { outcomesBySubscription } from "./outcomes-by-subscription.ts";
import type { DeliveryPolicy } from "./policy.ts";
import type { SettledAttempt } from "./settled-attempt.ts";

export interface SettlePorts {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly random: Random;
}

interface SettleInput {
  readonly attempts: readonly Attempt[];
  /** Of each attempt, from 0 to below 1. */
  readonly randoms: readonly number[];
  readonly realNow: number;
  readonly policy: Policy;
}

interface SettledGroup<Settled> {
  readonly settled: readonly Settled[];
  /** Keys of the subscriptions that this paused. */
  readonly paused: string[];
}

/** What is settled, by its place in the group. */
type Place = Omit<SettledAttempt, "attempt"> & { readonly at: number };
type Policy = DecidingPolicy & Pick<DeliveryPolicy, "pause">;

/** Decides and settles in one transaction. */
export const settleOperation: Operation<SettleInput, SettledGroup<Place>> = {
  name: "settle",
  async run(tx, { attempts, randoms, realNow, policy }) {
    const decided: (SettledAttempt & { readonly at: number })[] = [];
    const instants = new Map<string, number>();
    const clock = { now: () => realNow };
    const recorded = await countRecorded(tx, retried(attempts, policy));
    for (const [at, attempt] of attempts.entries()) {
      const { id, clockId } = attempt.claim;
      const now = instants.get(clockId) ?? (await instantOf(tx, clock, clockId));
      instants.set(clockId, now);
      const given = { now, random: randoms[at] ?? 0, recorded: recorded.get(id) ?? 0 };
      decided.push({ at, attempt, now, settled: decide(attempt, given, policy) });
    }
    const settled = await putBack(tx, await settleDeliveries(tx, decided.map(withRecord)));
    const paused = await judgeSubscriptions(tx, settled, policy);
    return {
      settled: settled.map(({ at, now, settled: one }) => ({ at, now, settled: one })),
      paused,
    };
  },
};

/** Nobody reads a payload any more, and what goes to another thread is copied. */
const withoutPayload = ({ claim, ...made }: Attempt): Attempt => ({
  ...made,
  claim: { ...claim, payload: "" },
});

/**
 * Decides what becomes of deliveries after their attempts and writes it in one transaction: their
 * new state, the record of each attempt, and what they say of their subscriptions. An attempt whose
 * lease was lost to another worker changes nothing.
 *
 * @returns The attempts that were settled, and the subscriptions that this paused.
 */
export async function settle(
  attempts: readonly Attempt[],
  { driver, clock, random }: SettlePorts,
  { schedule, success, gone, pause }: Policy,
): Promise<SettledGroup<SettledAttempt>> {
  const { settled, paused } = await perform(driver, settleOperation, {
    attempts: driver.performAside === undefined ? attempts : attempts.map(withoutPayload),
    randoms: attempts.map(() => unitInterval(random)),
    realNow: clock.now(),
    policy: { schedule, success, gone, pause },
  });
  return {
    settled: settled.flatMap(({ at, ...one }) => {
      const attempt = attempts[at];
      return attempt === undefined ? [] : [{ ...one, attempt }];
    }),
    paused,
  };
}

/** The claims of failed attempts that others came before, recorded or not: of those the schedule has to know. */
const retried = (attempts: readonly Attempt[], policy: Policy): Claim[] =>
  attempts
    .filter(({ claim, answer }) => claim.attempt > 1 && !isSuccess(answer, policy))
    .map(({ claim }) => claim);

/** What failed and was asked for again meanwhile is due when that was asked. */
async function putBack<Settled extends SettledAttempt>(
  tx: Queryable,
  settled: readonly Settled[],
): Promise<readonly Settled[]> {
  const failed = settled.map((one) => one.settled).filter(({ state }) => hasFailed(state));
  const due = await heedReplays(tx, failed);
  if (due.size === 0) return settled;
  return settled.map((one) => {
    const nextAt = hasFailed(one.settled.state) ? due.get(one.settled.id) : undefined;
    return nextAt === undefined
      ? one
      : { ...one, settled: { ...one.settled, state: "waiting", nextAt } };
  });
}

const hasFailed = (state: SettledDelivery["state"]): boolean =>
  state === "waiting" || state === "exhausted";

async function judgeSubscriptions(
  tx: Queryable,
  settled: readonly SettledAttempt[],
  policy: Policy,
): Promise<string[]> {
  const paused = await countOutcomes(tx, outcomesBySubscription(settled), policy.pause);
  for (const { attempt, now } of settled) {
    if (isGone(attempt.answer, policy)) {
      await endSubscription(tx, attempt.claim.subscription.key, now);
    }
  }
  return paused;
}

const withRecord = <Settled extends SettledAttempt>(
  settled: Settled,
): Settled & { readonly record: AttemptRow } => ({ ...settled, record: recordOf(settled.attempt) });

function recordOf({ claim, startedAt, durationMs, answer }: Attempt): AttemptRow {
  const base = { deliveryId: claim.id, number: claim.attempt, startedAt, durationMs };
  return answer.kind === "answered"
    ? { ...base, status: answer.status, error: null, answer: answer.excerpt }
    : { ...base, status: null, error: answer.code, answer: null };
}

/** From 0 up to, but not including, 1. */
function unitInterval(random: Random): number {
  return Buffer.from(random.bytes(6)).readUIntBE(0, 6) / 2 ** 48;
}
