import type { ReceiverCheck } from "../check.ts";
import { type Attempt, type Bench, openBench } from "./bench.ts";
import { openDocket } from "./docket.ts";
import type { Reply } from "./reply.ts";

/** A check of a receiver before it is run. */
export interface Play {
  /** `receiver/…` */
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  /** Whether it waits for the receiver's own deadlines. */
  readonly slow?: boolean;
  /** Whether it may run where no genuine attempt is acknowledged. Default: all of it would say nothing then. */
  readonly isFirst?: boolean;
  readonly play: (bench: Bench) => Promise<void>;
}

/** Ends a check whose further steps would say nothing. */
class EndedEarly extends Error {}

/** A check that sends attempts to a receiver and notes what it sees. */
export function receiverCheck({ id, title, requirements, play, ...how }: Play): ReceiverCheck {
  return {
    id,
    title,
    role: "receiver",
    requirements,
    run: async (target, context) => {
      if (how.slow === true && target.slow !== true) {
        const message = "it waits for the receiver's own deadlines: --slow runs it";
        return requirements.map((requirement) => ({
          requirement,
          status: "not_applicable",
          message,
        }));
      }
      const docket = openDocket(id, requirements);
      const bench = openBench(target, context, { check: id, docket });
      try {
        if (how.isFirst !== true) await mustAcknowledge(bench);
        await play(bench);
      } catch (error) {
        if (!(error instanceof EndedEarly)) throw error;
        return docket.verdicts(error.message);
      }
      return docket.verdicts();
    },
  };
}

/** A receiver that refuses everything would pass for one that refuses what it must. */
async function mustAcknowledge(bench: Bench): Promise<void> {
  const reply = await bench.post(bench.attempt(bench.event()));
  if (!reply.isAcknowledged)
    throw new EndedEarly(`a genuine attempt was answered by ${reply.said}: nothing else says much`);
}

/** An attempt that a receiver must not take. */
export interface Forgery {
  /** What is wrong with it, as the subject of a sentence. */
  readonly what: string;
  readonly attempt: Attempt;
}

/**
 * Sends what must be refused, then a genuine attempt: nothing of the former may be acknowledged or show
 * an effect, and the receiver must still be there.
 */
export async function mustRefuse(
  bench: Bench,
  requirement: string,
  forgeries: readonly Forgery[],
): Promise<readonly Reply[]> {
  const { docket } = bench;
  const replies = await bench.postAll(forgeries.map(({ attempt }) => attempt));
  const genuine = bench.event();
  const after = await bench.post(bench.attempt(genuine));
  docket.judge(
    requirement,
    after.isAcknowledged,
    () => `a genuine attempt after ${forgeries[0]?.what ?? "them"} is answered by ${after.said}`,
    () => [after.exchange()],
  );
  // The genuine one's effect comes after those of what was sent before it.
  const effects = await bench.effects([genuine.id]);
  forgeries.forEach(({ what, attempt }, index) => {
    const reply = replies[index];
    if (reply === undefined) return;
    const ran = attempt.ids.find((id) => (effects?.get(id)?.count ?? 0) > 0);
    docket.judge(
      requirement,
      !reply.isAcknowledged && ran === undefined,
      () =>
        `${what}: a refusal expected, ${reply.said} came${ran === undefined ? "" : ", and a handler ran"}`,
      () => [reply.exchange()],
    );
  });
  return replies;
}
