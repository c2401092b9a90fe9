import { seeded, type Random } from "../../../../../test/fuzz/random.ts";
import type { DeliveryPolicy } from "../../../src/delivery/policy.ts";
import type { Answer, DeliveryStore } from "../../../src/delivery/types.ts";

/** The behaviour of endpoints at first, outside of quiet worlds: most are good. */
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

/** The outcome of a call of the store; `later` and `late` are requests and answers on the way for `ms`. */
type Fault = "lost" | "repeated" | "later" | "late";

interface OfProcess {
  readonly process: number;
}
interface OfEndpoint {
  readonly endpoint: number;
}
/** Processes learn of the change after `hint` milliseconds; never if it is infinite. */
interface Hinted {
  readonly hint: number;
}

export type Move = { readonly at: number } & (
  | ({ readonly do: "start" | "stop" } & OfProcess)
  /** Its call number `calls` from then on, of any port, is its last one. */
  | ({ readonly do: "crash"; readonly calls: number; readonly isSent: boolean } & OfProcess)
  /** The process stands still, or the store is away for it. */
  | ({ readonly do: "stand still" | "away"; readonly ms: number } & OfProcess)
  | (StoreFault & OfProcess)
  /** Wall time of one process, or of all and of the database, steps by `ms`. */
  | { readonly do: "step"; readonly process: number | undefined; readonly ms: number }
  | ({ readonly do: "recover" } & OfEndpoint)
  | QueueMove
);

export interface StoreFault {
  readonly do: "fault";
  readonly method: keyof DeliveryStore | "any";
  readonly fault: Fault;
  readonly ms: number;
}

/** A change of the queue by another part of the service. */
export type QueueMove =
  | ({ readonly do: "pause" | "close" } & OfEndpoint)
  | ({ readonly do: "resume" } & OfEndpoint & Hinted)
  /** Commits a delivery that is due since `lag` ms. */
  | ({ readonly do: "write"; readonly id: string; readonly lag: number } & OfEndpoint & Hinted)
  | ({ readonly do: "replay"; readonly id: string } & Hinted);

/** A world and all that happens in it. */
export interface Plan {
  readonly seed: number;
  readonly processes: number;
  /** The first behavior of each endpoint. */
  readonly endpoints: readonly Behaviour[];
  readonly moves: readonly Move[];
}

const DAY = 86_400_000;

/** The world of a seed. Each has some of the faults only: a world with all of them shows little of any. */
export function planOf(seed: number): Plan {
  const random = seeded(seed);
  const between = (low: number, high: number): number => low + random.int(high - low + 1);
  const isOne = (percent: number): boolean => random.int(100) < percent;
  const processes = random.pick([1, 2, 2, 3]);
  const span = random.pick([8_000, 20_000, 40_000]);
  const moves: Move[] = [];
  const some = (count: number, make: (at: number) => Move | readonly Move[]): void => {
    for (let made = 0; made < count; made += 1) moves.push(...[make(between(0, span))].flat());
  };
  /** In so many percent of the worlds, something happens from once to `most` times. */
  const sometimes = (percent: number, most: number, make: Parameters<typeof some>[1]): void => {
    if (isOne(percent)) some(between(1, most), make);
  };
  const process = (): number => random.int(processes);

  const isQuiet = isOne(25);
  const endpoints = Array.from({ length: between(1, 6) }, (): Behaviour =>
    isQuiet ? "good" : random.pick(BEHAVIOURS),
  );
  const endpoint = (): number => random.int(endpoints.length);
  const isTold = isOne(50);
  const hint = (): number => (isTold ? 2 : random.pick([2, 2, 10, 3000, Infinity]));

  for (let one = 0; one < processes; one += 1) {
    const at = one === 0 || isOne(50) ? 0 : between(0, span);
    moves.push({ at, do: "start", process: one });
  }
  const isLagging = isOne(30);
  const writes = between(2, 14);
  let made = 0;
  const newId = (): string => `d${(made += 1)}`;
  some(writes, (at) => {
    const lag = isLagging ? random.pick([0, 30, 2000]) : 0;
    return { at, do: "write", id: newId(), endpoint: endpoint(), lag, hint: hint() };
  });
  if (isOne(20)) {
    // Steady work for all endpoints.
    for (let at = 0; at < 140_000; at += 7000)
      for (const one of endpoints.keys())
        moves.push({ at: at + one, do: "write", id: newId(), endpoint: one, lag: 0, hint: 2 });
    if (isLagging)
      some(2, (at) => {
        const late = { lag: 2000, hint: Infinity };
        return { at, do: "write", id: newId(), endpoint: endpoint(), ...late };
      });
  }
  sometimes(20, 3, (at) => ({ at, do: "replay", id: `d${between(1, writes)}`, hint: hint() }));
  sometimes(20, 1, (at) => {
    const paused = endpoint();
    return [
      { at, do: "pause", endpoint: paused },
      { at: at + random.pick([100, 6000]), do: "resume", endpoint: paused, hint: hint() },
    ];
  });
  sometimes(10, 1, (at) => ({ at, do: "close", endpoint: endpoint() }));
  if (!isQuiet) {
    for (const [one, behaviour] of endpoints.entries())
      if (behaviour !== "good" && isOne(50))
        moves.push({ at: between(0, span + 20_000), do: "recover", endpoint: one });
    const restart = (at: number, one: number): Move => {
      const later = at + random.pick([10, 1000, 12_000]);
      return { at: later, do: "start", process: one };
    };
    sometimes(35, 3, (at) => {
      const one = process();
      const [calls, isSent] = [between(0, 12), isOne(50)];
      return [{ at, do: "crash", process: one, calls, isSent }, restart(at, one)];
    });
    sometimes(20, 2, (at) => {
      const one = process();
      return [{ at, do: "stop", process: one }, restart(at + 4000, one)];
    });
    sometimes(50, 4, (at) => {
      const faults: readonly Fault[] = ["lost", "repeated", "later", "late"];
      const [method, fault] = random.pick<readonly [keyof DeliveryStore | "any", Fault]>([
        ["any", random.pick(faults)],
        ["keepTime", "lost"],
        ["findDue", "late"],
        ["claim", "lost"],
        ["claim", "repeated"],
        ["claim", "later"],
        ["claim", "late"],
        ["release", "lost"],
        ["record", "lost"],
        ["record", "repeated"],
      ]);
      const ms = random.pick([50, 2000, 9500, 13_000]);
      return { at, do: "fault", process: process(), method, fault, ms };
    });
    sometimes(20, 1, (at) => {
      const ms = random.pick([500, 5000, 14_000]);
      return { at, do: "stand still", process: process(), ms };
    });
    sometimes(20, 1, (at) => {
      const ms = random.pick([1000, 8000, 14_000]);
      return { at, do: "away", process: process(), ms };
    });
    sometimes(10, 1, (at) => {
      const ms = random.pick([1000, 14_000]);
      return Array.from({ length: processes }, (_, one) => ({ at, do: "away", process: one, ms }));
    });
    sometimes(20, 2, (at) => {
      const ms = random.pick([1000, 60_000, DAY]) * random.pick([1, -1]);
      return { at, do: "step", process: isOne(50) ? undefined : process(), ms };
    });
  }
  moves.sort((one, other) => one.at - other.at);
  return { seed, processes, endpoints, moves };
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

interface Reaction {
  /** Milliseconds until the answer. */
  readonly takes: number;
  readonly answer: Answer;
}

export const REACTIONS: Readonly<Record<Behaviour, (random: Random) => Reaction>> = {
  good: (random) => ({ takes: 5 + random.int(45), answer: answered(204) }),
  slow: (random) => ({ takes: 300 + random.int(1200), answer: answered(200) }),
  hanging: () => ({ takes: POLICY.deadlineMs, answer: TIMEOUT }),
  refusing: () => ({ takes: 1, answer: REFUSED }),
  failing: (random) => ({ takes: 5 + random.int(45), answer: answered(500) }),
  overloaded: (random) => {
    const retryAfter = random.pick(["", "1", "600"]);
    return { takes: 5, answer: answered(random.pick([429, 502]), retryAfter) };
  },
  gone: () => ({ takes: 5, answer: answered(410) }),
};
