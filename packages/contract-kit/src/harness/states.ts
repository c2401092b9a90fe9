import type { Exchange } from "../exchange-text.ts";
import type { Bench, BenchEvent } from "./bench.ts";
import type { Reply } from "./message.ts";

interface Step {
  readonly what: string;
  readonly kind: "first" | "again" | "fail" | "others" | "together";
  /** The event's place in the history. */
  readonly event: number;
}

/** The fewest steps that were found to show a fault. */
export interface Found {
  readonly steps: readonly Step[];
  readonly fault: string;
  readonly exchanges: readonly Exchange[];
}

const EVENTS = 3;
const STEPS = 8;
const HISTORIES = 6;
/** Shorter histories that are tried after a fault. */
const MAX_SHORTENINGS = 40;

/**
 * Plays random histories: deliveries of a few events, with failing handlers, repeats in between and concurrently,
 * and other events. After each, the model of one delivery must hold: an event that was acknowledged
 * has been handled exactly once, and one that was not is accepted in the end.
 */
export async function explore(bench: Bench): Promise<Found | undefined> {
  const random = drawing(bench.seed);
  for (let history = 0; history < HISTORIES; history += 1) {
    const steps = Array.from({ length: STEPS }, () => drawStep(random));
    const found = await faultOf(bench, steps);
    if (found !== undefined) return shortened(bench, found);
  }
  return undefined;
}

async function shortened(bench: Bench, found: Found): Promise<Found> {
  let best = found;
  let tries = 0;
  for (let at = 0; at < best.steps.length && tries < MAX_SHORTENINGS; tries += 1) {
    const shorter = await faultOf(bench, best.steps.toSpliced(at, 1));
    if (shorter === undefined) at += 1;
    else best = shorter;
  }
  return best;
}

async function faultOf(bench: Bench, steps: readonly Step[]): Promise<Found | undefined> {
  const { target } = bench;
  const { catalogue } = target.profile;
  const rowOf = (index: number) => catalogue[(bench.seed + index * 3) % catalogue.length];
  const events = Array.from({ length: EVENTS }, (_, index) => bench.event({ row: rowOf(index) }));
  const taken = new Set<BenchEvent>();
  const exchanges: Exchange[] = [];
  const send = async (event: BenchEvent): Promise<Reply> => {
    const reply = await bench.post(bench.attempt(event), { isOnce: true });
    exchanges.push(reply.exchange());
    if (reply.isAcknowledged) taken.add(event);
    return reply;
  };
  const sent = new Set<BenchEvent>();
  for (const { kind, event: index } of steps) {
    const event = events[index];
    if (event === undefined) continue;
    if (kind === "others") {
      await bench.postAll(Array.from({ length: 3 }, () => bench.attempt(bench.event())));
      continue;
    }
    sent.add(event);
    // A repeat of an accepted event runs no handler, so the failure would hit another event.
    if (kind === "fail" && !taken.has(event)) await target.effects?.failNext(1);
    if (kind === "together") await Promise.all([send(event), send(event)]);
    else await send(event);
    if (kind === "fail") await target.effects?.mend();
  }
  const acknowledged = new Set(taken);
  for (const event of sent) {
    if (taken.has(event)) continue;
    const reply = await bench.post(bench.attempt(event));
    exchanges.push(reply.exchange());
    if (reply.isAcknowledged) taken.add(event);
    else
      return {
        steps,
        fault: `the next attempt of ${event.type} is answered by ${reply.said}`,
        exchanges,
      };
  }
  const seen = await bench.effects([...sent].map(({ id }) => id));
  if (seen === undefined) return undefined;
  for (const event of sent) {
    const count = seen.count(event.id);
    if (count === 1) continue;
    const how = acknowledged.has(event) ? "acknowledged" : "acknowledged at the end";
    return {
      steps,
      fault: `${event.type} was ${how}, and its handler has succeeded ${count} times`,
      exchanges,
    };
  }
  return undefined;
}

function drawStep(random: (below: number) => number): Step {
  const event = random(EVENTS);
  const name = `event ${event + 1}`;
  switch (random(6)) {
    case 0:
    case 1:
      return { kind: "fail", event, what: `an attempt of ${name} whose handler fails` };
    case 2:
      return { kind: "together", event, what: `two attempts of ${name} at once` };
    case 3:
      return { kind: "others", event, what: "three other events" };
    case 4:
      return { kind: "again", event, what: `another attempt of ${name}` };
    default:
      return { kind: "first", event, what: `an attempt of ${name}` };
  }
}

/** Numbers below a bound that depend on the seed only (mulberry32). */
function drawing(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
