import { clearTimeout, setTimeout } from "node:timers";
import type { Clock } from "../clock.ts";
import type { Claim } from "./claim.ts";

/** Milliseconds from one beginning to the next: 40 attempts a second, of all failing subscriptions together. */
const GAP_MS = 25;
/** How many times its own lateness a lane waits longer: a process that has much to do leaves it undone. */
const LATENESS_FACTOR = 4;
const LONGEST_GAP_MS = 250;
/** Claims that lie ready: they are made for some tenths of a second, since each group of them is a transaction. */
const MOST_WAITING = 16;

export interface FailingLaneParts {
  readonly clock: Clock;
  /** Attempts under way at one time. */
  readonly most: number;
  readonly admits: (claim: Claim) => boolean;
  readonly begin: (claim: Claim) => void;
  /** There is room for more claims. */
  readonly isLow: () => void;
}

/**
 * Where the claims of failing subscriptions wait. Their attempts begin one by one, however many there are, since
 * dead and hostile endpoints answer as fast as they like: a refused connection costs this process as much as five
 * deliveries, a handshake twenty. Whose turn it is was decided when they were claimed.
 *
 * Deliveries whose receivers work pass by, and find at least half of the process's places free of those that wait
 * for a deadline here.
 */
export class FailingLane {
  readonly #parts: FailingLaneParts;
  readonly #waiting: Claim[] = [];
  readonly #underWay = new Set<Claim>();
  #timer: NodeJS.Timeout | undefined;
  /** Real time of the last beginning, and how long after it the next one comes; milliseconds. */
  #begunAt = 0;
  #gapMs = GAP_MS;

  constructor(parts: FailingLaneParts) {
    this.#parts = parts;
  }

  /** Claims whose attempts have not begun. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Claims that may be added. */
  get room(): number {
    const places = this.#parts.most - this.#underWay.size - this.waiting;
    return Math.max(0, Math.min(MOST_WAITING - this.waiting, places));
  }

  add(claim: Claim): void {
    this.#waiting.push(claim);
    this.#schedule();
  }

  /** Whether its attempt began here, until it is done with. */
  has(claim: Claim): boolean {
    return this.#underWay.has(claim);
  }

  /** A claim is done with. */
  done(claim: Claim): void {
    this.#underWay.delete(claim);
  }

  /** Takes all that wait. */
  takeAll(): Claim[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#waiting.splice(0);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.length === 0) return;
    const now = this.#parts.clock.now();
    // A clock that was set back ends no gap and lengthens none.
    const wait = Math.min(this.#gapMs, Math.max(0, this.#begunAt + this.#gapMs - now));
    this.#timer = setTimeout(() => this.#next(now + wait), wait);
  }

  #next(dueAt: number): void {
    this.#timer = undefined;
    this.#begunAt = this.#parts.clock.now();
    // Timers are a millisecond late at the best.
    const lateMs = Math.max(0, this.#begunAt - dueAt - 1);
    this.#gapMs = Math.min(LONGEST_GAP_MS, GAP_MS + LATENESS_FACTOR * lateMs);
    const at =
      this.#underWay.size < this.#parts.most ? this.#waiting.findIndex(this.#parts.admits) : -1;
    const [claim] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (claim !== undefined) {
      this.#underWay.add(claim);
      this.#parts.begin(claim);
    }
    if (this.#waiting.length <= MOST_WAITING / 4) this.#parts.isLow();
    this.#schedule();
  }
}
