import { clearTimeout, setTimeout as setTimer } from "node:timers";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Attempt } from "./attempt.ts";
import type { DeliveryObserver } from "./observer.ts";
import type { DeliveryPolicy } from "./policy.ts";
import { settle, type SettlePorts } from "./settle.ts";

/** Attempts that share one transaction. */
const MAX_GROUP = 256;
/** A group this large is written at once; a smaller one waits a little for what is still to end. */
const ENOUGH = 64;
const PATIENCE_MS = 5;
/** What is in no hurry waits for others' groups so long, since each group is a flush to disk. */
const LONG_PATIENCE_MS = 100;
/** Milliseconds between two tries to write a group. */
const RETRY_MS = 250;

interface Waiting {
  readonly attempt: Attempt;
  readonly done: () => void;
}

/**
 * Settles attempts in groups: those that end while a transaction is under way share the next one. A
 * group that the store did not take is written again, until its leases end and others decide.
 */
export class SettleQueue {
  readonly #ports: SettlePorts;
  readonly #policy: DeliveryPolicy;
  readonly #observer: DeliveryObserver;
  readonly #isMoreToCome: () => boolean;
  readonly #beforeGroup: () => void;
  readonly #waiting: Waiting[] = [];
  #running = false;
  /** Begins the group of those that are in no hurry. */
  #timer: NodeJS.Timeout | undefined;
  #isHurried = false;
  #isClosed = false;
  /** Attempts of the group that is being written. */
  #written = 0;

  /**
   * @param parts `isMoreToCome`: whether attempts are under way, so that a small group is worth some
   *   waiting. `beforeGroup` is called a turn before a group is written: what it writes may share the flush to
   *   disk.
   */
  constructor(
    ports: SettlePorts,
    policy: DeliveryPolicy,
    parts: {
      readonly observer: DeliveryObserver;
      readonly isMoreToCome: () => boolean;
      readonly beforeGroup: () => void;
    },
  ) {
    this.#ports = ports;
    this.#policy = policy;
    this.#observer = parts.observer;
    this.#isMoreToCome = parts.isMoreToCome;
    this.#beforeGroup = parts.beforeGroup;
  }

  /** Whether a group is being written, which nothing can join any more. */
  get isWriting(): boolean {
    return this.#written > 0;
  }

  /** Attempts that are not settled yet. */
  get size(): number {
    return this.#waiting.length + this.#written;
  }

  /**
   * Resolves once the attempt is settled, or its lease has ended without. Never rejects.
   *
   * @param isPatient Whether it may wait a tenth of a second for a group of others.
   */
  settle(attempt: Attempt, isPatient = false): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ attempt, done });
      if (isPatient && !this.#isHurried)
        this.#timer ??= setTimer(() => this.#begin(), LONG_PATIENCE_MS);
      else this.#begin();
    });
  }

  /** Nothing waits any more but for the store. */
  hurry(): void {
    this.#isHurried = true;
    if (this.#waiting.length > 0) this.#begin();
  }

  /** Gives up what the store does not take. */
  close(): void {
    this.#isClosed = true;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < ENOUGH && this.#isMoreToCome()) await setTimeout(PATIENCE_MS);
      this.#beforeGroup();
      // One turn later: attempts that end in this turn join the group.
      await setImmediate();
      const group = this.#waiting.splice(0, MAX_GROUP);
      this.#written = group.length;
      await this.#settleGroup(group);
      this.#written = 0;
    }
    this.#running = false;
  }

  async #settleGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const attempts = group.map(({ attempt }) => attempt);
      const { settled, paused } = await settle(attempts, this.#ports, this.#policy);
      for (const one of settled) this.#observer.attempted?.(one);
      for (const key of paused) this.#observer.paused?.(key);
    } catch (error) {
      this.#observer.failed?.(error);
      await setTimeout(RETRY_MS);
      const now = this.#ports.clock.now();
      const isLeased = ({ attempt }: Waiting): boolean =>
        attempt.claim.leasedUntil > now && !this.#isClosed;
      this.#waiting.unshift(...group.filter(isLeased));
      for (const late of group) if (!isLeased(late)) late.done();
      return;
    }
    for (const { done } of group) done();
  }
}
