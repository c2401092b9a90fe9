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
import type { DeliveryPolicy } from "../../../src/delivery/policy.ts";

export interface ModelDelivery {
  readonly id: string;
  readonly key: string;
  readonly seq: number;
  state: DeliveryState;
  nextAt: number | null;
  attempts: number;
  replays: number;
}

export interface ModelSubscription {
  readonly endpoint: Endpoint;
  status: "ACTIVE" | "PAUSED" | "CLOSED";
  failures: number;
  failingSince: number | null;
}

/** The rows of a delivery queue, as the rest of the service changes them. */
export interface QueueRows {
  subscribe(key: string, clockId?: "live" | "clk_1"): unknown;
  /** Writes an event, and its delivery of the same name. */
  write(key: string, id: string, nextAt: number): unknown;
  replay(id: string, at: number): unknown;
  pause(key: string): unknown;
  resume(key: string): unknown;
  /** Closes a subscription and drops its waiting deliveries. */
  close(key: string): unknown;
}

/** A store and its rows. The clock `clk_1` is at `CLOCK_START`. */
export interface OpenQueue extends QueueRows {
  readonly store: DeliveryStore;
  /** True if joining ends all other processes. */
  readonly isSingle: boolean;
  /** The delivery's state, due time and attempts. */
  delivery(id: string): Promise<readonly (string | number | null | undefined)[]>;
}

/**
 * The tables of the delivery queue in memory. Each method is one transaction; `delivery-store-suite.ts` says what it has in
 * common with the databases.
 */
export class ModelStore implements DeliveryStore, QueueRows {
  readonly subscriptions = new Map<string, ModelSubscription>();
  readonly deliveries = new Map<string, ModelDelivery>();
  /** Clocks of namespaces; `live` is the due clock that was stored last. */
  readonly clocks = new Map<string, number>();
  readonly members = new Map<string, number>();
  /** Members by subscription. */
  readonly leases = new Map<string, string>();
  readonly #isSingle: boolean;

  /** @param options `isSingle`: as SQLite, whose file one process has. */
  constructor({ isSingle = false }: { readonly isSingle?: boolean } = {}) {
    this.#isSingle = isSingle;
  }

  subscribe(key: string, clockId = "live", merchantId = `mer_${clockId}`): void {
    const secret = { keyId: "", text: "" };
    const endpoint = { key, merchantId, clockId, url: `https://${key}.example/`, secret };
    this.subscriptions.set(key, { endpoint, status: "ACTIVE", failures: 0, failingSince: null });
  }

  write(key: string, id: string, nextAt: number): void {
    if (this.subscriptions.get(key)?.status === "CLOSED") return;
    const seq = this.deliveries.size + 1;
    this.deliveries.set(id, { id, key, seq, nextAt, state: "waiting", attempts: 0, replays: 0 });
  }

  replay(id: string, at: number): boolean {
    const row = this.deliveries.get(id);
    if (row === undefined || this.subscriptions.get(row.key)?.status === "CLOSED") return false;
    row.replays += 1;
    row.state = "waiting";
    const before = at - (row.nextAt ?? -Infinity);
    row.nextAt = before >= 0 && before <= 999 ? at - before - 1 : at;
    return true;
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
    if (this.#isSingle) this.members.clear();
    if (!this.members.has(id)) this.members.set(id, 0);
  }

  async beat({
    id,
    beat,
    now,
  }: Parameters<DeliveryStore["beat"]>[0]): Promise<{ members: Member[]; now: number }> {
    if (this.members.has(id)) this.members.set(id, beat);
    const latest = Math.max(now, this.clocks.get("live") ?? -Infinity);
    this.clocks.set("live", latest);
    const members = [...this.members].map(([member, stored]) => {
      const endpoints = [...this.leases.values()].filter((one) => one === member).length;
      return { id: member, beat: stored, endpoints };
    });
    return { members, now: latest };
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
      return status === "ACTIVE" && isFree && this.#isWanted(endpoint, wanted);
    });
    const taken = chosen.slice(0, "keys" in wanted ? undefined : wanted.most);
    for (const { endpoint } of taken) this.leases.set(endpoint.key, id);
    return taken.map(({ endpoint }) => endpoint);
  }

  #isWanted(
    { key, clockId }: Endpoint,
    wanted: Exclude<Parameters<DeliveryStore["take"]>[1], "own">,
  ): boolean {
    if ("keys" in wanted) return wanted.keys.includes(key);
    if (wanted.clockId !== undefined && wanted.clockId !== clockId) return false;
    const by = clockId === "live" ? wanted.dueBy : (this.clocks.get(clockId) ?? 0);
    return this.#queue(key).some(({ nextAt }) => nextAt <= by);
  }

  async release(id: string, keys: readonly string[]): Promise<void> {
    for (const key of keys) if (this.leases.get(key) === id) this.leases.delete(key);
  }

  async read(
    requests: readonly ReadRequest[],
    { now: live, most }: { readonly now: number; readonly most: number },
  ): Promise<ReadResult[]> {
    const count = 2 ** Math.floor(Math.log2(most));
    return requests.flatMap(({ endpoint: { key }, after }) => {
      const subscription = this.subscriptions.get(key);
      if (subscription?.status !== "ACTIVE") return [];
      const { clockId } = subscription.endpoint;
      const now = clockId === "live" ? live : (this.clocks.get(clockId) ?? 0);
      const queue = this.#queue(key);
      const due = queue
        .filter(
          ({ nextAt, seq }) =>
            nextAt <= now &&
            (nextAt > after.nextAt || (nextAt === after.nextAt && seq > after.seq)),
        )
        .slice(0, count)
        .map(({ id, seq, nextAt, attempts }) => ({
          id,
          eventId: id,
          seq,
          nextAt,
          attempts,
          payload: id,
        }));
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
      .toSorted((one, other) => one.nextAt - other.nextAt || one.seq - other.seq);
  }

  async complete(
    completions: readonly Completion[],
    { pause }: Pick<DeliveryPolicy, "pause">,
  ): Promise<CompletedGroup> {
    const completed = completions.flatMap((one) => this.completeOne(one) ?? []);
    const paused = this.#count(completed, pause);
    for (const { isGone, attempt } of completed) if (isGone) this.close(attempt.endpoint.key);
    return { completed, paused };
  }

  /** @returns `undefined` if the delivery has another number of attempts. */
  protected completeOne(completion: Completion): Completion | undefined {
    const { attempt, state, nextAt } = completion;
    const row = this.deliveries.get(attempt.delivery.id);
    if (row === undefined || !this.isNext(row, attempt.number)) return undefined;
    const isWaiting = row.state === "waiting";
    const isFailed = state === "waiting" || state === "exhausted";
    row.attempts = attempt.number;
    if (isWaiting && isFailed && row.nextAt !== null && row.nextAt !== attempt.delivery.nextAt)
      return { ...completion, state: "waiting", nextAt: row.nextAt };
    if (isWaiting || state === "delivered") row.state = state;
    row.nextAt = isWaiting ? nextAt : null;
    return completion;
  }

  protected isNext(row: ModelDelivery, number: number): boolean {
    return row.attempts === number - 1;
  }

  #count(
    completed: readonly Completion[],
    { failures, afterMs }: DeliveryPolicy["pause"],
  ): string[] {
    const failed = new Map<string, number>();
    for (const { attempt, state, at } of completed) {
      const subscription = this.subscriptions.get(attempt.endpoint.key);
      if (subscription === undefined) continue;
      const isDelivered = state === "delivered";
      subscription.failures = isDelivered ? 0 : subscription.failures + 1;
      subscription.failingSince = isDelivered ? null : (subscription.failingSince ?? at);
      failed.set(attempt.endpoint.key, at);
    }
    const paused = [...failed].filter(([key, at]) => {
      const { status, failures: count, failingSince } = this.subscriptions.get(key) ?? {};
      return (
        status === "ACTIVE" &&
        (count ?? 0) >= failures &&
        failingSince != null &&
        failingSince <= at - afterMs
      );
    });
    for (const [key] of paused) this.pause(key);
    return paused.map(([key]) => key);
  }
}
