import type { Clock } from "../src/clock.ts";

/** A clock that stands until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  /** @param start ISO 8601, UTC. */
  constructor(start: string) {
    this.#now = Date.parse(start);
  }
  now(): number {
    return this.#now;
  }
  /** @param instant ISO 8601 in UTC, or milliseconds from now. */
  moveTo(instant: string): void {
    this.#now = Date.parse(instant);
  }
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
