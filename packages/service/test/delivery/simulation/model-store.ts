import type {
  ClaimedBatch,
  ClaimTimes,
  RecordedGroup,
  DecidedAttempt,
  DeliveryState,
  DeliveryStore,
  DueQueue,
  Endpoint,
  Place,
} from "../../../src/delivery/types.ts";
import type { DeliveryPolicy } from "../../../src/delivery/policy.ts";

export interface ModelDelivery {
  readonly id: string;
  readonly key: string;
  readonly seq: number;
  state: DeliveryState;
  nextAt: number | null;
  claimedUntil: number;
  attempts: number;
}

export interface ModelSubscription {
  readonly endpoint: Endpoint;
  status: "ACTIVE" | "PAUSED" | "CLOSED";
  failures: number;
  failingSince: number | null;
}

/** The changes that the rest of the service makes in the rows of a delivery queue, and its view of them. */
export type QueueRows = Pick<ModelStore, "delivery"> & {
  [Name in "subscribe" | "write" | "replay" | "pause" | "resume" | "close"]: (
    ...change: Parameters<ModelStore[Name]>
  ) => unknown;
};

/**
 * The tables of the delivery queue in memory, for live deliveries. Each method is one transaction;
 * `delivery-store-suite.ts` says what it has in common with the databases.
 */
export class ModelStore implements DeliveryStore {
  readonly subscriptions = new Map<string, ModelSubscription>();
  readonly deliveries = new Map<string, ModelDelivery>();
  /** Deliveries that were ever replayed. */
  readonly replayed = new Set<string>();
  /** The latest due clock of all processes. */
  storedNow: number | undefined;
  readonly #claimNow: (() => number) | undefined;

  /** @param claimNow The database's clock, in milliseconds. Default: the due clock of whoever claims. */
  constructor(claimNow?: () => number) {
    this.#claimNow = claimNow;
  }

  subscribe(key: string, merchantId = "mer_live"): void {
    const secret = { keyId: "", text: "" };
    const url = `https://${key}.example/hooks`;
    const endpoint = { key, merchantId, clockId: "live", url, secret };
    this.subscriptions.set(key, { endpoint, status: "ACTIVE", failures: 0, failingSince: null });
  }

  /** Writes an event, and its delivery of the same name. */
  write(key: string, id: string, nextAt: number): void {
    if (this.subscriptions.get(key)?.status === "CLOSED") return;
    const seq = this.deliveries.size + 1;
    this.deliveries.set(id, {
      id,
      key,
      seq,
      nextAt,
      claimedUntil: 0,
      state: "waiting",
      attempts: 0,
    });
  }

  replay(id: string, at: number): boolean {
    const row = this.deliveries.get(id);
    if (row === undefined || this.subscriptions.get(row.key)?.status === "CLOSED") return false;
    this.replayed.add(id);
    row.state = "waiting";
    const before = at - (row.nextAt ?? -Infinity);
    row.nextAt = before >= 0 && before <= 999 ? at - before - 1 : at;
    return true;
  }

  /** @returns The delivery's state, due time and attempts. */
  async delivery(id: string): Promise<readonly (string | number | null | undefined)[]> {
    const row = this.deliveries.get(id);
    return [row?.state, row?.nextAt, row?.attempts];
  }

  pause(key: string): void {
    const subscription = this.subscriptions.get(key);
    if (subscription?.status === "ACTIVE") subscription.status = "PAUSED";
  }

  resume(key: string): void {
    const subscription = this.subscriptions.get(key);
    if (subscription?.status === "PAUSED")
      Object.assign(subscription, { status: "ACTIVE", failures: 0, failingSince: null });
  }

  /** Closes a subscription and drops its waiting deliveries. */
  close(key: string): void {
    const subscription = this.subscriptions.get(key);
    if (subscription === undefined || subscription.status === "CLOSED") return;
    subscription.status = "CLOSED";
    for (const row of this.deliveries.values())
      if (row.key === key && row.nextAt !== null)
        Object.assign(row, { state: "dropped", nextAt: null });
  }

  // The port.

  async keepTime(now: number): Promise<number> {
    this.storedNow = Math.max(now, this.storedNow ?? -Infinity);
    return this.storedNow;
  }

  async findDue(times: ClaimTimes): Promise<DueQueue[]> {
    return [...this.subscriptions.values()].flatMap(
      ({ endpoint: { key, merchantId, url }, status }) => {
        const [first] = status === "ACTIVE" ? this.#free(key, times) : [];
        return first === undefined
          ? []
          : [{ key, merchantId, url, first: { nextAt: first.nextAt, seq: first.seq } }];
      },
    );
  }

  /** It has live deliveries only. */
  async findDueOf(): Promise<DueQueue[]> {
    return [];
  }

  async claim(
    ...[requests, times]: Parameters<DeliveryStore["claim"]>
  ): Promise<(ClaimedBatch | undefined)[]> {
    return requests.map(({ key, after, most }) => {
      const { endpoint, status } = this.subscriptions.get(key) ?? {};
      if (endpoint === undefined) return undefined;
      const free = status === "ACTIVE" ? this.#free(key, times) : [];
      const rows = free.filter((row) => byPlace(row, after) > 0);
      const claimedUntil = this.#nowOf(times) + times.leaseMs;
      const deliveries = rows.slice(0, most).map((row) => {
        row.claimedUntil = claimedUntil;
        const { id, seq, nextAt, attempts } = row;
        return { id, eventId: id, seq, nextAt, attempts, claimedUntil, payload: id };
      });
      return { endpoint, instant: times.now, deliveries };
    });
  }

  async release(claims: Parameters<DeliveryStore["release"]>[0]): Promise<void> {
    for (const { id, claimedUntil } of claims) {
      const row = this.deliveries.get(id);
      if (row?.claimedUntil === claimedUntil) row.claimedUntil = 0;
    }
  }

  #nowOf({ now }: ClaimTimes): number {
    return this.#claimNow?.() ?? now;
  }

  /** The due deliveries of a subscription that nobody has claimed, in the order of its queue. */
  #free(key: string, times: ClaimTimes): (ModelDelivery & { nextAt: number })[] {
    const now = this.#nowOf(times);
    return [...this.deliveries.values()]
      .filter(
        (row): row is ModelDelivery & { nextAt: number } =>
          row.key === key && row.nextAt !== null && row.nextAt <= times.now,
      )
      .filter(({ claimedUntil: until }) => until <= now || until > now + 2 * times.leaseMs)
      .toSorted(byPlace);
  }

  async record(
    attempts: readonly DecidedAttempt[],
    { pause }: Pick<DeliveryPolicy, "pause">,
  ): Promise<RecordedGroup> {
    const recorded = attempts.flatMap((one) => this.#recordOne(one) ?? []);
    const paused = this.#count(recorded, pause);
    for (const { state, attempt } of recorded)
      if (state === "dropped") this.close(attempt.endpoint.key);
    return { recorded, paused };
  }

  /** @returns `undefined` if the delivery has another number of attempts. */
  #recordOne(decided: DecidedAttempt): DecidedAttempt | undefined {
    const { attempt, state, nextAt } = decided;
    const row = this.deliveries.get(attempt.delivery.id);
    if (row?.attempts !== attempt.number - 1) return undefined;
    const isWaiting = row.state === "waiting";
    const isFailed = state === "waiting" || state === "exhausted";
    row.attempts = attempt.number;
    if (row.claimedUntil === attempt.delivery.claimedUntil) row.claimedUntil = 0;
    if (isWaiting && isFailed && row.nextAt !== null && row.nextAt !== attempt.delivery.nextAt)
      return { ...decided, state: "waiting", nextAt: row.nextAt };
    if (isWaiting || state === "delivered") row.state = state;
    row.nextAt = isWaiting ? nextAt : null;
    return decided;
  }

  #count(
    completed: readonly DecidedAttempt[],
    { failures, afterMs }: DeliveryPolicy["pause"],
  ): string[] {
    const lastAt = new Map<string, number>();
    for (const { attempt, state, at } of completed) {
      const subscription = this.subscriptions.get(attempt.endpoint.key);
      if (subscription === undefined) continue;
      const isDelivered = state === "delivered";
      subscription.failures = isDelivered ? 0 : subscription.failures + 1;
      subscription.failingSince = isDelivered ? null : (subscription.failingSince ?? at);
      lastAt.set(attempt.endpoint.key, at);
    }
    return [...lastAt].flatMap(([key, at]) => {
      const {
        status,
        failures: count = 0,
        failingSince = null,
      } = this.subscriptions.get(key) ?? {};
      const isLong = failingSince !== null && failingSince <= at - afterMs;
      if (status !== "ACTIVE" || count < failures || !isLong) return [];
      this.pause(key);
      return [key];
    });
  }
}

const byPlace = (one: Place, other: Place): number =>
  one.nextAt - other.nextAt || one.seq - other.seq;
