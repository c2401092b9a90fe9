import { DeliveryEngine } from "../../../src/delivery/deliver.ts";
import type { ClaimedDelivery, DeliveryStore, EngineOptions } from "../../../src/delivery/types.ts";
import type { EngineClass } from "./process.ts";

/** A fault that the simulation has to find, planted through the ports of the engine. */
interface Bug {
  readonly name: string;
  readonly rule: RegExp;
  readonly plant: (options: EngineOptions) => Partial<EngineOptions>;
}

const inStore =
  (change: (store: DeliveryStore) => Partial<DeliveryStore>): Bug["plant"] =>
  ({ store }) => ({ store: { ...store, ...change(store) } });

export const BUGS: readonly Bug[] = [
  {
    name: "a POST that is repeated before its answer",
    rule: /attempted twice at once/,
    plant: ({ transport }) => ({
      transport: {
        ...transport,
        post: async (request) => {
          void transport.post(request);
          return transport.post(request);
        },
      },
    }),
  },
  {
    name: "an attempt that is recorded and never made",
    rule: /recorded as delivered before it was/,
    plant: ({ transport }) => ({
      transport: {
        ...transport,
        post: async () => ({ kind: "answered", status: 204, retryAfter: undefined, excerpt: "" }),
      },
    }),
  },
  {
    name: "a claim that is answered again after its record",
    rule: /attempted again by the process that delivered it/,
    plant: inStore((store) => {
      const claimed = new Map<string, ClaimedDelivery[]>();
      return {
        claim: async (requests, times) => {
          const claims = await store.claim(requests, times);
          return claims.map((one) => {
            if (one === undefined) return one;
            const before = claimed.get(one.endpoint.key) ?? [];
            claimed.set(one.endpoint.key, [...one.deliveries]);
            return { ...one, deliveries: [...one.deliveries, ...before] };
          });
        },
      };
    }),
  },
  {
    name: "claims that end before their attempts",
    rule: /attempted twice at once/,
    plant: inStore((store) => ({
      claim: (requests, times) => store.claim(requests, { ...times, leaseMs: 0 }),
    })),
  },
  {
    name: "claims that last twice as long after a crash",
    rule: /has not started/,
    plant: inStore((store) => ({
      claim: (requests, times) => store.claim(requests, { ...times, leaseMs: 2 * times.leaseMs }),
    })),
  },
  {
    name: "looks that find nothing",
    rule: /has not started/,
    plant: inStore(() => ({ findDue: async () => [] })),
  },
  {
    name: "a lost record that is never repeated",
    rule: /has not started/,
    plant: inStore((store) => ({
      record: (...all) => store.record(...all).catch(() => new Promise(() => {})),
    })),
  },
  {
    name: "an endpoint with more attempts than its limit",
    rule: /more attempts than its limit/,
    plant: inStore((store) => ({
      claim: (requests, times) =>
        store.claim(
          requests.map((one) => ({ ...one, most: one.most + 1 })),
          times,
        ),
    })),
  },
  {
    name: "a claim of deliveries that are not due",
    rule: /although it is not due/,
    plant: inStore((store) => ({
      claim: (requests, times) => store.claim(requests, { ...times, now: times.now + 5000 }),
    })),
  },
  {
    name: "a retry one step too early",
    rule: /waits for/,
    plant: ({ policy }) => {
      const { schedule } = policy;
      return { policy: { ...policy, schedule: { ...schedule, steps: [0, ...schedule.steps] } } };
    },
  },
];

/** Returns the engine with a bug. */
export const withBug = ({ plant }: Bug): EngineClass =>
  class extends DeliveryEngine {
    constructor(options: EngineOptions) {
      super({ ...options, ...plant(options) });
    }
  };
