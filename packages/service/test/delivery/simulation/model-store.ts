import type {
  CompletedGroup,
  Completion,
  DeliveryState,
  DeliveryStore,
  Endpoint,
  Member,
  ReadRequest,
  ReadResult,
} from "../../../src/delivery/types.ts";
import { byPlace } from "../../../src/delivery/held.ts";
import type { DeliveryPolicy } from "../../../src/delivery/policy.ts";

export interface ModelDelivery {
  readonly id: string;
  readonly key: string;
  readonly seq: number;
  state: DeliveryState;
  nextAt: number | null;
  attempts: number;
}

export interface ModelSubscription {
  readonly endpoint: Endpoint;
  status: "ACTIVE" | "PAUSED" | "CLOSED";
  failures: number;
  failingSince: number | null;
}

/** How the rest of the service changes the rows of a delivery queue, and what it sees of them. */
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
  readonly members = new Map<string, number>();
  /** Members by subscription. */
  readonly leases = new Map<string, string>();
  /** Deliveries that were ever replayed. */
  readonly replayed = new Set<string>();
  /** The latest due clock of all processes. */
  storedNow: number | undefined;

  subscribe(key: string, merchantId = "mer_live"): void {
    const secret = { keyId: "", text: "" };
    const url = `https://${key}.example/`;
    const endpoint = { key, merchantId, clockId: "live", url, secret };
    this.subscriptions.set(key, { endpoint, status: "ACTIVE", failures: 0, failingSince: null });
  }

  /** Writes an event, and its delivery of the same name. */
  write(key: string, id: string, nextAt: number): void {
    if (this.subscriptions.get(key)?.status === "CLOSED") return;
    const seq = this.deliveries.size + 1;
    this.deliveries.set(id, { id, key, seq, nextAt, state: "waiting", attempts: 0 });
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

  async join(id: string): Promise<void> {
    if (!this.members.has(id)) this.members.set(id, 0);
  }

  async beat({
    id,
    beat,
    now,
  }: Parameters<DeliveryStore["beat"]>[0]): Promise<{ members: Member[]; now: number }> {
    if (this.members.has(id)) this.members.set(id, beat);
    this.storedNow = Math.max(now, this.storedNow ?? -Infinity);
    const members = [...this.members].map(([member, stored]) => {
      const endpoints = [...this.leases.values()].filter((one) => one === member).length;
      return { id: member, beat: stored, endpoints };
    });
    return { members, now: this.storedNow };
  }

  async remove({ id, beat }: Parameters<DeliveryStore["remove"]>[0]): Promise<void> {
    const stored = this.members.get(id);
    if (stored === undefined || (beat !== undefined && beat !== stored)) return;
    this.members.delete(id);
    for (const [key, member] of this.leases) if (member === id) this.leases.delete(key);
  }

  async take(id: string, wanted: Parameters<DeliveryStore["take"]>[1]): Promise<Endpoint[]> {
    const all = [...this.subscriptions.values()];
    if (wanted === "own")
      return all.flatMap(({ endpoint }) => (this.leases.get(endpoint.key) === id ? endpoint : []));
    const chosen = all.filter(({ endpoint, status }) => {
      const holder = this.leases.get(endpoint.key);
      const isFree = holder === undefined || !this.members.has(holder);
      const isWanted =
        "keys" in wanted
          ? wanted.keys.includes(endpoint.key)
          : this.#queue(endpoint.key).some(({ nextAt }) => nextAt <= wanted.dueBy);
      return status === "ACTIVE" && isFree && isWanted;
    });
    const taken = chosen.slice(0, "keys" in wanted ? undefined : wanted.most);
    for (const { endpoint } of taken) this.leases.set(endpoint.key, id);
    return taken.map(({ endpoint }) => endpoint);
  }

  async release(id: string, keys: readonly string[]): Promise<void> {
    for (const key of keys) if (this.leases.get(key) === id) this.leases.delete(key);
  }

  async read(
    requests: readonly ReadRequest[],
    { now, most }: { readonly now: number; readonly most: number },
  ): Promise<ReadResult[]> {
    const count = 2 ** Math.floor(Math.log2(most));
    return requests.flatMap(({ endpoint: { key }, after }) => {
      if (this.subscriptions.get(key)?.status !== "ACTIVE") return [];
      const queue = this.#queue(key);
      const due = queue
        .filter((row) => row.nextAt <= now && byPlace(row, after) > 0)
        .slice(0, count)
        .map(({ id, seq, nextAt, attempts }) => {
          return { id, eventId: id, seq, nextAt, attempts, payload: id };
        });
      const nextAt = queue.find((row) => row.nextAt > now)?.nextAt;
      return [{ key, now, due, nextAt, isWhole: due.length < count }];
    });
  }

  /** The waiting deliveries of a subscription, in the order of its queue. */
  #queue(key: string): (ModelDelivery & { nextAt: number })[] {
    return [...this.deliveries.values()]
      .filter(
        (row): row is ModelDelivery & { nextAt: number } => row.key === key && row.nextAt !== null,
      )
      .toSorted(byPlace);
  }

  async complete(
    completions: readonly Completion[],
    { pause }: Pick<DeliveryPolicy, "pause">,
  ): Promise<CompletedGroup> {
    const completed = completions.flatMap((one) => this.#completeOne(one) ?? []);
    const paused = this.#count(completed, pause);
    for (const { isGone, attempt } of completed) if (isGone) this.close(attempt.endpoint.key);
    return { completed, paused };
  }

  /** @returns `undefined` if the delivery has another number of attempts. */
  #completeOne(completion: Completion): Completion | undefined {
    const { attempt, state, nextAt } = completion;
    const row = this.deliveries.get(attempt.delivery.id);
    if (row?.attempts !== attempt.number - 1) return undefined;
    const isWaiting = row.state === "waiting";
    const isFailed = state === "waiting" || state === "exhausted";
    row.attempts = attempt.number;
    if (isWaiting && isFailed && row.nextAt !== null && row.nextAt !== attempt.delivery.nextAt)
      return { ...completion, state: "waiting", nextAt: row.nextAt };
    if (isWaiting || state === "delivered") row.state = state;
    row.nextAt = isWaiting ? nextAt : null;
    return completion;
  }

  #count(
    completed: readonly Completion[],
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
