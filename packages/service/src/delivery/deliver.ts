import { setImmediate, setTimeout } from "node:timers/promises";
import { releaseDeliveries } from "../store/operations/deliveries/release-deliveries.ts";
import { attempt, type AttemptPorts } from "./attempt.ts";
import { claim, type Claim, type ClaimPorts } from "./claim.ts";
import type { DeliveryObserver } from "./observer.ts";
import type { DeliveryPolicy } from "./policy.ts";
import type { SettlePorts } from "./settle.ts";
import { SettleQueue } from "./settle-queue.ts";

export type DelivererPorts = ClaimPorts & AttemptPorts & SettlePorts;

/**
 * Delivers what is due: claim, attempt, settle. A stream and no batch: each attempt that ends makes
 * room for the next claim, so that none waits for the slowest of its batch.
 *
 * At least once: the claim is stored before the attempt and the settlement after it. A process that
 * dies in between leaves a lease, and the delivery goes on when that has ended.
 */
export class Deliverer {
  readonly #ports: DelivererPorts;
  readonly #policy: DeliveryPolicy;
  readonly #observer: DeliveryObserver;
  readonly #settling: SettleQueue;
  /** Clocks that may have something due. */
  readonly #wanted = new Set<string>();
  /** From claim to settlement. */
  readonly #underWay = new Map<Promise<void>, Claim>();
  /** Attempts that wait for their answers, by subscription. */
  readonly #posting = new Map<string, number>();
  #posts = 0;
  #turn = 0;
  #claiming: Promise<unknown> = Promise.resolve();
  #pumping = false;
  #stopped = false;
  #abandoned = false;

  /**
   * @throws {TypeError} The lease is not at least 5 s longer than the deadline: a second worker could
   *   attempt what a first one still attempts. Or a concurrency is not 1 or more.
   */
  constructor(ports: DelivererPorts, policy: DeliveryPolicy, observer: DeliveryObserver = {}) {
    if (!(policy.leaseMs >= policy.deadlineMs + 5000)) {
      throw new TypeError('"leaseMs" must be at least 5000 more than "deadlineMs"');
    }
    if (!(policy.concurrency >= 1 && policy.concurrencyPerSubscription >= 1)) {
      throw new TypeError('"concurrency" and "concurrencyPerSubscription" must be 1 or more');
    }
    this.#ports = ports;
    this.#policy = policy;
    this.#observer = observer;
    this.#settling = new SettleQueue(ports, policy, observer);
  }

  /** Says that a clock may have something due. Returns at once. */
  wake(clockId: string): void {
    this.#wanted.add(clockId);
    if (!this.#pumping) void this.#pump();
  }

  /**
   * Delivers until nothing of a clock is due and nothing of it under way. What comes to be due in the
   * meantime is delivered too.
   *
   * @returns `false` where the deliverer was stopped before.
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
   */
  async drain(clockId: string): Promise<boolean> {
    while (!this.#stopped) {
      const looked = await this.#claimDue(clockId);
      const own = [...this.#underWay].filter(([, { clockId: id }]) => id === clockId);
      if (this.#stopped) break;
      if (looked && own.length === 0) return true;
      await Promise.race(own.length > 0 ? own.map(([done]) => done) : this.#underWay.keys());
    }
    return false;
  }

  /**
   * Claims nothing more, waits for what is under way, and gives the rest back to be claimed by
   * others. An attempt that is cut short may have arrived: it counts, without a record.
   *
   * @param graceMs How long to wait, in milliseconds.
   */
  async stop({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#stopped = true;
    await this.#claiming;
    const enough = new AbortController();
    await Promise.race([
      Promise.all(this.#underWay.keys()),
      setTimeout(graceMs, undefined, { signal: enough.signal }).catch(() => {}),
    ]);
    enough.abort();
    this.#abandoned = true;
    const rest = [...this.#underWay.values()];
    await this.#ports.transport.close();
    if (rest.length > 0) {
      await this.#ports.driver.transaction((tx) => releaseDeliveries(tx, rest));
    }
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    // One turn later: the wakes of this turn share one look.
    await setImmediate();
    try {
      // A set hands out what is added while it is walked.
      for (const clockId of this.#wanted) {
        this.#wanted.delete(clockId);
        if (!(await this.#claimDue(clockId))) {
          // No room: the next attempt that ends looks again.
          this.#wanted.add(clockId);
          break;
        }
      }
    } catch (error) {
      this.#observer.failed?.(error);
    } finally {
      this.#pumping = false;
    }
  }

  /** Claims and attempts what is due and has room; `false` where there was no room to look. */
  #claimDue(clockId: string): Promise<boolean> {
    // One at a time: the room is counted before the claim is made.
    const claimed = this.#claiming.then(async () => {
      const total = this.#policy.concurrency - this.#posts;
      if (this.#stopped || total <= 0) return false;
      this.#turn += 1;
      const underWay = (key: string): number => this.#posting.get(key) ?? 0;
      const room = { total, underWay, turn: this.#turn };
      for (const one of await claim(clockId, room, this.#ports, this.#policy)) this.#begin(one);
      return true;
    });
    this.#claiming = claimed.catch(() => {});
    return claimed;
  }

  #begin(claimed: Claim): void {
    const done = this.#carryOut(claimed)
      .catch((error: unknown) => this.#observer.failed?.(error))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.set(done, claimed);
  }

  async #carryOut(claimed: Claim): Promise<void> {
    this.#count(claimed.subscription.key, 1);
    let made;
    try {
      made = await attempt(claimed, this.#ports);
    } finally {
      this.#count(claimed.subscription.key, -1);
      this.wake(claimed.clockId);
    }
    if (!this.#abandoned) await this.#settling.settle(made);
  }

  #count(subscriptionKey: string, change: 1 | -1): void {
    this.#posts += change;
    const posting = (this.#posting.get(subscriptionKey) ?? 0) + change;
    if (posting === 0) this.#posting.delete(subscriptionKey);
    else this.#posting.set(subscriptionKey, posting);
  }
}
