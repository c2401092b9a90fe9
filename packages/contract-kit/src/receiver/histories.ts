import fc from "fast-check";
import { sleep } from "../harness/clock.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { Reply } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";

/** An attempt of one event; `share`: how much of the time of one attempt passes before the next. */
export interface Step {
  readonly kind: "plain" | "fails" | "overlap" | "failing overlap" | "hang-up" | "others";
  /** The event's place in the history. */
  readonly event: number;
  /** 0: at the same moment. */
  readonly share: number;
}

export interface Fault {
  readonly requirement: string;
  readonly message: string;
  readonly replies: readonly Reply[];
}

/** The answer of a receiver to one plain attempt. */
export interface Pace {
  /** Milliseconds from an attempt to its answer. */
  readonly ms: number;
  /** True if an effect is there once its attempt is acknowledged. */
  readonly isAfterHandler: boolean;
  /** False if plain events show no effect at all: then no history is to blame. */
  readonly isShown: boolean;
}

/** Attempts at the same moment. */
const TOGETHER = 8;
/** Milliseconds until a sender that has hung up repeats its attempt, and the same as a share of one attempt's time. */
const RETRY_MS = 100;
const RETRY_SHARE = 1.5;
const EVENTS = 3;
const STEPS = 8;
const HISTORIES = 10;
/** Histories that are played to find the shortest one with a fault. */
const MAX_PLAYED = 40;

const histories = fc.array(
  fc.record({
    // The frequent ones are repeated.
    kind: fc.constantFrom<Step["kind"]>(
      ...(["fails", "fails", "overlap", "failing overlap", "others", "plain", "plain"] as const),
    ),
    event: fc.nat({ max: EVENTS - 1 }),
    share: fc.constantFrom(0, 0.25, 0.5, 0.75),
  }),
  { minLength: 1, maxLength: STEPS, size: "max" },
);

/**
 * Plays random histories: deliveries of a few events, with failing handlers, repeats in between and concurrently,
 * and other events.
 *
 * @returns A fault of the shortest history that was found to have one.
 */
export async function explore(kit: KitSender): Promise<Fault | undefined> {
  const pace = await paceOf(kit);
  let shortest: Fault | undefined;
  let played = 0;
  const holds = fc.asyncProperty(histories, async (steps) => {
    if (played >= MAX_PLAYED) return true;
    played += 1;
    const fault = await runHistory(kit, steps, pace);
    if (fault) shortest = fault;
    // Its shortest history would take as many timeouts.
    if (fault?.requirement === "R-ACK-IN-TIME") played = MAX_PLAYED;
    return fault === undefined;
  });
  await fc.check(holds, { seed: kit.seed, numRuns: HISTORIES });
  return shortest;
}

export async function paceOf(kit: KitSender): Promise<Pace> {
  const times: number[] = [];
  let isAfterHandler = true;
  const attempts = [kit.attempt(), kit.attempt(), kit.attempt()];
  for (const attempt of attempts) {
    const began = kit.clock.elapsed();
    const reply = await kit.post(attempt);
    times.push(kit.clock.elapsed() - began);
    const seen = await kit.waitForEffects([]);
    isAfterHandler &&= reply.isAcknowledged && seen?.count(attempt.event) === 1;
  }
  const events = attempts.map(({ event }) => event);
  const seen = await kit.waitForEffects(events);
  const isShown = events.every((event) => seen?.count(event) === 1);
  return { ms: Math.min(...times), isAfterHandler, isShown };
}

/** An event that was handled in the end: `settled` reads it again, in case that a handler runs once more by itself. */
export function rememberFailed({ target, clock }: KitSender, event: TestEvent): void {
  target.runState.handled.push(event);
  target.runState.failedAt = clock.elapsed();
}

/**
 * Runs a history, and then expects of each event what the model of one delivery says: an event that was acknowledged
 * has been handled exactly once, and one that was not is accepted in the end.
 */
export async function runHistory(
  kit: KitSender,
  steps: readonly Step[],
  pace: Pace,
): Promise<Fault | undefined> {
  const { effects } = kit.target;
  const rowOf = (index: number) => kit.row(index * 3);
  const events = Array.from({ length: EVENTS }, (_, index) => kit.event({ row: rowOf(index) }));
  const sent = new Map<TestEvent, Reply[]>();
  const isAccepted = (event: TestEvent): boolean =>
    sent.get(event)?.some((reply) => reply.isAcknowledged) === true;
  const names = steps.map((step) => describe(step));
  const fault = (requirement: string, message: string, replies: readonly Reply[]): Fault => ({
    requirement,
    message: `${names.join(", then ")}: ${message}`,
    replies,
  });
  for (const step of steps) {
    const event = events[step.event];
    if (step.kind === "others" || event === undefined) {
      const others = await kit.postAll(events.map((_, at) => kit.attempt({ row: rowOf(at) })));
      const refused = others.find(({ reply }) => !reply.isAcknowledged)?.reply;
      if (refused === undefined) continue;
      return fault("R-ACK-FAILED", `one of the other events got ${refused.summary}`, [refused]);
    }
    const before = sent.get(event) ?? [];
    // A repeat of an accepted event runs no handler, so the failure would hit another event.
    const isFailing = step.kind.startsWith("fail") && !isAccepted(event);
    if (isFailing) await effects?.failNext(1);
    const { replies, early } = await send(kit, event, step, pace);
    if (isFailing) await effects?.failNext(0);
    const late = replies.find(({ failure }) => failure === "timeout");
    if (late) return fault("R-ACK-IN-TIME", `an attempt of ${event.type}: ${late.summary}`, [late]);
    const unsafe = `the second one was acknowledged while the handler of the first one ran: if it fails, the event is lost`;
    if (early !== undefined) return fault("R-ACK-IN-PROGRESS", unsafe, [early]);
    sent.set(event, [...before, ...replies]);
  }
  const open = [...sent.keys()].filter((event) => !isAccepted(event));
  for (const event of open) {
    const reply = await kit.post(kit.attempt({ event, retries: 1 }));
    sent.get(event)?.push(reply);
    const message = `the next attempt of ${event.type} is answered by ${reply.summary}`;
    if (reply.isAcknowledged) continue;
    const found = fault("R-ACK-FAILED", message, sent.get(event) ?? []);
    const isGoingOn = steps.some(({ kind }) => kind === "hang-up") && reply.isInProgress;
    if (!isGoingOn) return found;
    // The run that nobody waits for may go on: a later check sends the event again.
    kit.target.runState.unfinished.push({ event, message: found.message });
    return undefined;
  }
  const seen = await kit.waitForEffects([...sent.keys()]);
  if (seen === undefined) return undefined;
  for (const [event, replies] of sent) {
    const count = seen.count(event);
    if (count === 1) {
      rememberFailed(kit, event);
      continue;
    }
    const own = steps.filter((step) => events[step.event] === event);
    const isTogether = own.some(({ kind }) => kind.endsWith("overlap"));
    const isFailed = steps.some(({ kind }) => kind.startsWith("fail"));
    const acknowledged = replies.filter((reply) => reply.isAcknowledged);
    // The one whose handler failed acknowledged too early, which the check of failing handlers judges.
    if (count === 0 && own.length === 1 && isFailed && acknowledged.length === 1) continue;
    const how = open.includes(event) ? "acknowledged at the end" : "acknowledged";
    const message = `${event.type} was ${how}, and its handler has succeeded ${count} times`;
    const repeated = isTogether ? "R-ONCE-CONCURRENT" : "R-ONCE-DUPLICATE";
    const lost = isFailed ? "R-ACK-IN-PROGRESS" : "R-ONCE-CONCURRENT";
    const none = isTogether ? lost : "R-ACK-FAILED";
    return fault(count > 1 ? repeated : none, message, acknowledged);
  }
  return undefined;
}

function describe({ kind, event, share }: Step): string {
  if (kind === "others") return "three other events of the same types";
  const when = share === 0 ? "at once" : `${Math.round(share * 100)} % of its time apart`;
  const overlap = `attempts ${when}`;
  const names = {
    plain: "an attempt",
    fails: "an attempt whose handler fails",
    overlap,
    "failing overlap": `${overlap}, whose handler fails,`,
    "hang-up": `an attempt whose sender hung up after ${Math.round(share * 100)} % of its time`,
  };
  return `${names[kind]} of event ${event + 1}`;
}

interface Answers {
  readonly replies: readonly Reply[];
  /** The second one if it was acknowledged while the first one had neither an answer nor an effect. */
  readonly early?: Reply;
}

async function send(
  kit: KitSender,
  event: TestEvent,
  { kind, share }: Step,
  pace: Pace,
): Promise<Answers> {
  const { clock } = kit;
  const attempt = kit.attempt({ event });
  const once = { retriesOnly429: true };
  const waitMs = share * pace.ms;
  if (kind === "hang-up") {
    const { connection } = await kit.begin(attempt);
    connection.write(attempt.body);
    await connection.ready;
    await sleep(clock, waitMs);
    connection.close();
    await sleep(clock, Math.max(RETRY_MS, RETRY_SHARE * pace.ms));
    return { replies: [] };
  }
  if (!kind.endsWith("overlap")) return { replies: [await kit.post(attempt, once)] };
  if (share === 0) {
    const all = await kit.postTogether(Array.from({ length: TOGETHER }, () => ({ ...attempt })));
    return { replies: all.filter((reply) => reply !== undefined) };
  }
  let isAnswered = false;
  const first = kit.post(attempt, once).finally(() => (isAnswered = true));
  await sleep(clock, waitMs);
  const second = await kit.post(attempt, once);
  const seen = second.isAcknowledged && pace.isAfterHandler && (await kit.waitForEffects([]));
  const isEarly = seen && !isAnswered && seen.count(event) === 0;
  return { replies: [await first, second], ...(isEarly && { early: second }) };
}
