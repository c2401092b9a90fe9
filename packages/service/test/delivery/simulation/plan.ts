import type { DeliveryPolicy } from "../../../src/delivery/policy.ts";
import type { Answer, DeliveryStore } from "../../../src/delivery/types.ts";
import { Dice } from "./timeline.ts";

/** How endpoints behave at first, outside of quiet worlds: most are good. */
const BEHAVIOURS = [
  "good",
  "good",
  "good",
  "slow",
  "hanging",
  "refusing",
  "failing",
  "overloaded",
  "gone",
] as const;

export type Behaviour = (typeof BEHAVIOURS)[number];

/** When processes learn of a change of the queue: milliseconds after it; `own`: only one of them does; `lost`: none. */
export type Hint = number | "own" | "lost";

/** The outcome of a call of the store; `later` and `late` are requests and answers on the way for `ms`. */
export type Fault = "lost" | "repeated" | "later" | "late";

export type StoreMethod = keyof DeliveryStore | "any";

export type Move = { readonly at: number } & (
  | { readonly do: "start" | "stop"; readonly process: number }
  /** Its call number `calls` from then on, of any port, is its last one. */
  | {
      readonly do: "crash";
      readonly process: number;
      readonly calls: number;
      readonly isSent: boolean;
    }
  | { readonly do: "stand still" | "away"; readonly process: number; readonly ms: number }
  /** The store is away for all. */
  | { readonly do: "outage"; readonly ms: number }
  | {
      readonly do: "fault";
      readonly process: number;
      readonly method: StoreMethod;
      readonly fault: Fault;
      readonly ms: number;
    }
  /** Wall time of one process, or of all, steps by `ms`. */
  | { readonly do: "step"; readonly process: number | undefined; readonly ms: number }
  | { readonly do: "behave"; readonly endpoint: number; readonly behaviour: Behaviour }
  /** Commits a delivery that is due since `lag` ms. */
  | {
      readonly do: "write";
      readonly id: string;
      readonly endpoint: number;
      readonly lag: number;
      readonly hint: Hint;
    }
  | { readonly do: "replay"; readonly id: string; readonly hint: Hint }
  | { readonly do: "pause" | "resume" | "close"; readonly endpoint: number; readonly hint: Hint }
);

/** A world and all that happens in it. */
export interface Plan {
  readonly seed: number;
  readonly processes: number;
  /** True if one process only can have the database. */
  readonly isSingle: boolean;
  /** The first behavior of each endpoint. */
  readonly endpoints: readonly Behaviour[];
  readonly moves: readonly Move[];
}

const DAY = 86_400_000;

/** The world of a seed. Each has some of the faults only: a world with all of them shows little of any. */
export function planOf(seed: number): Plan {
  const dice = new Dice(seed);
  const processes = dice.pick(1, 2, 2, 3);
  const span = dice.pick(8_000, 20_000, 40_000);
  const moves: Move[] = [];
  const some = (count: number, make: (at: number) => Move | readonly Move[]): void => {
    for (let made = 0; made < count; made += 1) moves.push(...[make(dice.from(0, span))].flat());
  };
  /** In this part of the worlds, something happens from once to `most` times. */
  const sometimes = (part: number, most: number, make: Parameters<typeof some>[1]): void => {
    if (dice.chance(part)) some(most === 1 ? 1 : dice.from(1, most), make);
  };
  const process = (): number => dice.from(0, processes - 1);

  const isQuiet = dice.chance(0.25);
  const endpoints = Array.from({ length: dice.from(1, 6) }, (): Behaviour =>
    isQuiet ? "good" : dice.pick(...BEHAVIOURS),
  );
  const endpoint = (): number => dice.from(0, endpoints.length - 1);
  const isTold = dice.chance(0.5);
  const hint = (): Hint => (isTold ? 2 : dice.pick<Hint>(2, 2, 10, "own", "lost", 3000));

  for (let one = 0; one < processes; one += 1) {
    const at = one === 0 || dice.chance(0.5) ? 0 : dice.from(0, span);
    moves.push({ at, do: "start", process: one });
  }
  const isLagging = dice.chance(0.3);
  const writes = dice.from(2, 14);
  let made = 0;
  const newId = (): string => `d${(made += 1)}`;
  some(writes, (at) => {
    const id = newId();
    const lag = isLagging ? dice.pick(0, 30, 2000) : 0;
    return { at, do: "write", id, endpoint: endpoint(), lag, hint: hint() };
  });
  if (dice.chance(0.2)) {
    // Steady work for all endpoints, which processes share and do not give back.
    for (let at = 0; at < 140_000; at += 7000)
      for (const one of endpoints.keys())
        moves.push({ at: at + one, do: "write", id: newId(), endpoint: one, lag: 0, hint: 2 });
    if (isLagging)
      some(2, (at) => {
        const id = newId();
        return { at, do: "write", id, endpoint: endpoint(), lag: 2000, hint: "lost" };
      });
  }
  sometimes(0.2, 3, (at) => {
    const id = `d${dice.from(1, writes)}`;
    return { at, do: "replay", id, hint: hint() };
  });
  sometimes(0.2, 1, (at) => {
    const paused = endpoint();
    return [
      { at, do: "pause", endpoint: paused, hint: "lost" },
      { at: at + dice.pick(100, 6000), do: "resume", endpoint: paused, hint: hint() },
    ];
  });
  sometimes(0.1, 1, (at) => ({ at, do: "close", endpoint: endpoint(), hint: "lost" }));
  if (!isQuiet) {
    for (const [one, behaviour] of endpoints.entries())
      if (behaviour !== "good" && dice.chance(0.5)) {
        const at = dice.from(0, span + 20_000);
        moves.push({ at, do: "behave", endpoint: one, behaviour: "good" });
      }
    const restart = (at: number, one: number): Move => {
      const later = at + dice.pick(10, 1000, 12_000);
      return { at: later, do: "start", process: one };
    };
    sometimes(0.35, 3, (at) => {
      const one = process();
      const [calls, isSent] = [dice.from(0, 12), dice.chance(0.5)];
      return [{ at, do: "crash", process: one, calls, isSent }, restart(at, one)];
    });
    sometimes(0.2, 2, (at) => {
      const one = process();
      return [{ at, do: "stop", process: one }, restart(at + 4000, one)];
    });
    sometimes(0.5, 4, (at) => {
      const [method, fault] = dice.pick<readonly [StoreMethod, Fault]>(
        ["any", dice.pick<Fault>("lost", "repeated", "later", "late")],
        ["join", "repeated"],
        ["beat", "late"],
        ["beat", "later"],
        ["take", "repeated"],
        ["release", dice.pick<Fault>("lost", "repeated")],
        ["read", dice.pick<Fault>("lost", "late")],
        ["complete", "lost"],
        ["complete", "repeated"],
      );
      const one = process();
      return {
        at,
        do: "fault",
        process: one,
        method,
        fault,
        ms: dice.pick(50, 2000, 9500, 13_000),
      };
    });
    sometimes(0.2, 1, (at) => {
      const one = process();
      return { at, do: "stand still", process: one, ms: dice.pick(500, 5000, 14_000) };
    });
    sometimes(0.2, 1, (at) => {
      const one = process();
      return { at, do: "away", process: one, ms: dice.pick(1000, 8000, 14_000) };
    });
    sometimes(0.1, 1, (at) => ({ at, do: "outage", ms: dice.pick(1000, 14_000) }));
    sometimes(0.2, 2, (at) => {
      const ms = dice.pick(1000, 60_000, DAY) * dice.pick(1, -1);
      return { at, do: "step", process: dice.chance(0.5) ? undefined : process(), ms };
    });
  }
  const isSingle = processes === 1 && dice.chance(0.5);
  moves.sort((one, other) => one.at - other.at);
  return { seed, processes, isSingle, endpoints, moves };
}

export const POLICY: DeliveryPolicy = {
  schedule: { steps: [0, 2000, 10_000, 40_000], jitter: 0.1, retryAfterFactor: 2 },
  success: "2xx",
  gone: 410,
  pause: { failures: 4, afterMs: 15_000 },
  deadlineMs: 3000,
  leaseMs: 9000,
  concurrency: 16,
  concurrencyPerEndpoint: 2,
  concurrencyPerHost: 8,
};

const answered = (status: number, retryAfter?: string): Answer => ({
  kind: "answered",
  status,
  retryAfter,
  excerpt: "",
});
const TIMEOUT: Answer = { kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" };
const REFUSED: Answer = { kind: "unanswered", code: "CS_ATTEMPT_CONNECTION_FAILED" };

/** What endpoints answer, and after how many milliseconds. */
const answers: Readonly<Record<Behaviour, (dice: Dice) => { takes: number; answer: Answer }>> = {
  good: (dice) => ({ takes: dice.from(5, 50), answer: answered(204) }),
  slow: (dice) => ({ takes: dice.from(300, 1500), answer: answered(200) }),
  hanging: () => ({ takes: POLICY.deadlineMs, answer: TIMEOUT }),
  refusing: () => ({ takes: 1, answer: REFUSED }),
  failing: (dice) => ({ takes: dice.from(5, 50), answer: answered(500) }),
  overloaded: (dice) => {
    const status = dice.pick(429, 502);
    return { takes: 5, answer: answered(status, dice.pick(undefined, "1", "600")) };
  },
  gone: () => ({ takes: 5, answer: answered(410) }),
};

/** Chooses what an endpoint answers. Each answer is a separate object, by which its attempt is known. */
export function answerOf(behaviour: Behaviour, dice: Dice): { takes: number; answer: Answer } {
  const { takes, answer } = answers[behaviour](dice);
  return { takes, answer: { ...answer } };
}
