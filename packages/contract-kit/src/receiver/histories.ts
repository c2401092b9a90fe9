import fc from "fast-check";
import type { Exchange } from "../exchange-text.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { Sender } from "../harness/sender.ts";

/** Steps of a history, as they are reported. The frequent ones are repeated. */
const KINDS = {
  fails: (name: string) => `an attempt of ${name} whose handler fails`,
  together: (name: string) => `two attempts of ${name} at once`,
  others: () => "three other events",
  plain: (name: string) => `an attempt of ${name}`,
} as const;

interface Step {
  readonly kind: keyof typeof KINDS;
  /** The event's place in the history. */
  readonly event: number;
}

interface Fault {
  /** The requirement that what went wrong breaks. */
  readonly requirement: string;
  readonly message: string;
  readonly exchanges: readonly Exchange[];
}

const EVENTS = 3;
const STEPS = 8;
const HISTORIES = 6;
/** Shorter histories that are tried after a fault. */
const MAX_SHORTENINGS = 40;

const histories = fc.array(
  fc.record({
    kind: fc.constantFrom<Step["kind"]>("fails", "fails", "together", "others", "plain", "plain"),
    event: fc.nat({ max: EVENTS - 1 }),
  }),
  { minLength: STEPS, maxLength: STEPS },
);

/**
 * Plays random histories: deliveries of a few events, with failing handlers, repeats in between and concurrently,
 * and other events. After each, the model of one delivery must hold: an event that was acknowledged
 * has been handled exactly once, and one that was not is accepted in the end.
 *
 * @returns The first fault, with the fewest steps that were found to show it.
 */
export async function explore(sender: Sender): Promise<Fault | undefined> {
  const drawn = fc.sample(histories, { seed: sender.seed, numRuns: HISTORIES });
  for (const history of drawn) {
    const found = await findFault(sender, history);
    if (found === undefined) continue;
    let best = { steps: history, found };
    let tries = 0;
    for (let at = 0; at < best.steps.length && tries < MAX_SHORTENINGS; tries += 1) {
      const steps = best.steps.toSpliced(at, 1);
      const shorter = await findFault(sender, steps);
      if (shorter === undefined) at += 1;
      else best = { steps, found: shorter };
    }
    const parts = best.steps.map(({ kind, event }) => KINDS[kind](`event ${event + 1}`));
    return { ...best.found, message: `${parts.join(", then ")}: ${best.found.message}` };
  }
  return undefined;
}

async function findFault(sender: Sender, steps: readonly Step[]): Promise<Fault | undefined> {
  const { effects } = sender.target;
  const { rows } = sender.events;
  const events = Array.from({ length: EVENTS }, (_, index) =>
    sender.event({ row: rows[(sender.seed + index * 3) % rows.length] }),
  );
  const sent = new Set<TestEvent>();
  const accepted = new Set<TestEvent>();
  const exchanges: Exchange[] = [];
  const send = async (event: TestEvent, isOnce = true): Promise<string> => {
    const reply = await sender.post(sender.attempt(event), { isOnce });
    exchanges.push(reply.exchange());
    if (reply.isAcknowledged) accepted.add(event);
    return reply.summary;
  };
  for (const { kind, event: index } of steps) {
    const event = events[index];
    if (kind === "others" || event === undefined) {
      await sender.postAll(Array.from({ length: 3 }, () => sender.genuine()));
      continue;
    }
    sent.add(event);
    // A repeat of an accepted event runs no handler, so the failure would hit another event.
    if (kind === "fails" && !accepted.has(event)) await effects?.failNext(1);
    if (kind === "together") await Promise.all([send(event), send(event)]);
    else await send(event);
    if (kind === "fails") await effects?.failNext(0);
  }
  const early = new Set(accepted);
  for (const event of sent) {
    if (accepted.has(event)) continue;
    const answer = await send(event, false);
    if (!accepted.has(event))
      return {
        requirement: "R-ACK-FAILED",
        message: `the next attempt of ${event.type} is answered by ${answer}`,
        exchanges,
      };
  }
  const seen = await sender.effects([...sent]);
  const wrong = [...sent].find((event) => seen !== undefined && seen.count(event) !== 1);
  if (seen === undefined || wrong === undefined) return undefined;
  const count = seen.count(wrong);
  const how = early.has(wrong) ? "acknowledged" : "acknowledged at the end";
  const message = `${wrong.type} was ${how}, and its handler has succeeded ${count} times`;
  const isTogether = steps.some((step) => step.kind === "together" && events[step.event] === wrong);
  const isFailed = steps.some((step) => step.kind === "fails");
  const repeated = isTogether ? "R-ONCE-CONCURRENT" : "R-ONCE-DUPLICATE";
  const lost = isTogether && isFailed ? "R-ACK-IN-PROGRESS" : "R-ACK-FAILED";
  return { requirement: count > 1 ? repeated : lost, message, exchanges };
}
