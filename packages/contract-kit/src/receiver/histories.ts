import fc from "fast-check";
import type { Exchange } from "../exchange-text.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { TestEvent } from "../harness/provider-events.ts";

/** Steps of a history, as they are reported. */
const KINDS = {
  fails: "an attempt whose handler fails",
  together: "two attempts at once",
  others: "three other events of the same types",
  plain: "an attempt",
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

/** An event that was handled in the end: `settled` reads it again, in case that a handler runs once more by itself. */
export function rememberFailed({ target, now }: KitSender, event: TestEvent): void {
  target.runState.handled.push(event);
  target.runState.failedAt = now();
}

const EVENTS = 3;
const STEPS = 8;
const HISTORIES = 10;
/** Histories that are played to find the shortest one with a fault. */
const MAX_PLAYED = 40;

const histories = fc.array(
  fc.record({
    // The frequent ones are repeated.
    kind: fc.constantFrom<Step["kind"]>("fails", "fails", "together", "others", "plain", "plain"),
    event: fc.nat({ max: EVENTS - 1 }),
  }),
  { minLength: 1, maxLength: STEPS, size: "max" },
);

/**
 * Plays random histories: deliveries of a few events, with failing handlers, repeats in between and concurrently,
 * and other events. After each, the model of one delivery must hold: an event that was acknowledged
 * has been handled exactly once, and one that was not is accepted in the end.
 *
 * @returns A fault of the shortest history that was found to have one.
 */
export async function explore(kit: KitSender): Promise<Fault | undefined> {
  let shortest: Fault | undefined;
  let played = 0;
  const holds = fc.asyncProperty(histories, async (steps) => {
    if (played >= MAX_PLAYED) return true;
    played += 1;
    const fault = await findFault(kit, steps);
    const names = steps.map(({ kind, event }) => `${KINDS[kind]} of event ${event + 1}`);
    if (fault) shortest = { ...fault, message: `${names.join(", then ")}: ${fault.message}` };
    // Its shortest history would take as many timeouts.
    if (fault?.requirement === "R-ACK-IN-TIME") played = MAX_PLAYED;
    return fault === undefined;
  });
  await fc.check(holds, { seed: kit.seed, numRuns: HISTORIES });
  return shortest;
}

async function findFault(kit: KitSender, steps: readonly Step[]): Promise<Fault | undefined> {
  const { effects } = kit.target;
  const rowOf = (index: number) => kit.row(index * 3);
  const events = Array.from({ length: EVENTS }, (_, index) => kit.event({ row: rowOf(index) }));
  const sent = new Set<TestEvent>();
  const accepted = new Set<TestEvent>();
  const exchanges: Exchange[] = [];
  let fault: Fault | undefined;
  const send = async (event: TestEvent, retriesOnly429 = true): Promise<string> => {
    const reply = await kit.post(kit.attempt({ event }), { retriesOnly429 });
    exchanges.push(reply.exchange());
    if (reply.isAcknowledged) accepted.add(event);
    if (reply.failure === "timeout")
      fault = {
        requirement: "R-ACK-IN-TIME",
        message: `an attempt of ${event.type}: ${reply.summary}`,
        exchanges,
      };
    return reply.summary;
  };
  for (const { kind, event: index } of steps) {
    const event = events[index];
    if (kind === "others" || event === undefined) {
      const others = await kit.postAll(events.map((_, at) => kit.attempt({ row: rowOf(at) })));
      const refused = others.find(({ reply }) => !reply.isAcknowledged)?.reply;
      if (refused !== undefined) {
        const message = `one of the other events is answered by ${refused.summary}`;
        return {
          requirement: "R-ACK-FAILED",
          message,
          exchanges: [...exchanges, refused.exchange()],
        };
      }
      continue;
    }
    sent.add(event);
    // A repeat of an accepted event runs no handler, so the failure would hit another event.
    if (kind === "fails" && !accepted.has(event)) await effects?.failNext(1);
    if (kind === "together") await Promise.all([send(event), send(event)]);
    else await send(event);
    if (kind === "fails") await effects?.failNext(0);
    if (fault !== undefined) return fault;
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
  const seen = await kit.waitForEffects([...sent]);
  const wrong = [...sent].find((event) => seen !== undefined && seen.count(event) !== 1);
  if (seen === undefined) return undefined;
  if (wrong === undefined) {
    for (const event of sent) rememberFailed(kit, event);
    return undefined;
  }
  const count = seen.count(wrong);
  const how = early.has(wrong) ? "acknowledged" : "acknowledged at the end";
  const message = `${wrong.type} was ${how}, and its handler has succeeded ${count} times`;
  const isTogether = steps.some((step) => step.kind === "together" && events[step.event] === wrong);
  const isFailed = steps.some((step) => step.kind === "fails");
  const repeated = isTogether ? "R-ONCE-CONCURRENT" : "R-ONCE-DUPLICATE";
  const lost = isTogether && isFailed ? "R-ACK-IN-PROGRESS" : "R-ACK-FAILED";
  return { requirement: count > 1 ? repeated : lost, message, exchanges };
}
