import type { ReceiverCheck } from "../check.ts";
import { type Bench, openBench } from "./bench.ts";
import { openDocket } from "./docket.ts";

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
