import type { IncomingBody } from "./body.ts";

/** Leaves a slot, once. */
type Leave = () => void;

/**
 * Bounds the handlers that run at once, or the events that are stored at once; others wait, first in, first out. A
 * tenant gets a slot only while it has no more of them than are free: some are left for others, whatever it sends.
 */
export class HandlerSlots {
  readonly #waiting = new Map<(leave: Leave | undefined) => void, string>();
  readonly #ofTenant = new Map<string, number>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot if one is free. Nobody overtakes the attempts that wait: a slot that frees is theirs. */
  tryEnter(tenant: string): Leave | undefined {
    const taken = tenant === "" ? 0 : (this.#ofTenant.get(tenant) ?? 0);
    if (this.#free === 0 || taken >= this.#free) return undefined;
    this.#free -= 1;
    if (tenant !== "") this.#ofTenant.set(tenant, taken + 1);
    let isIn = true;
    return () => {
      if (isIn) this.#leave(tenant);
      isIn = false;
    };
  }

  /** Waits for a slot. `undefined` once the time has passed: the attempt is then answered with `late()`. */
  wait<Late>(
    tenant: string,
    deadline: Deadline<Late>,
    late: () => Late,
  ): Promise<Leave | undefined> {
    if (deadline.isPassed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const giveUp = (): Late => {
        if (this.#waiting.delete(resolve)) resolve(undefined);
        return late();
      };
      deadline.during(giveUp, () => this.#waiting.set(resolve, tenant));
    });
  }

  #leave(tenant: string): void {
    this.#free += 1;
    if (tenant !== "") {
      const left = (this.#ofTenant.get(tenant) ?? 1) - 1;
      if (left > 0) this.#ofTenant.set(tenant, left);
      else this.#ofTenant.delete(tenant);
    }
    for (const [resolve, next] of this.#waiting) {
      const leave = this.tryEnter(next);
      if (leave === undefined) continue;
      this.#waiting.delete(resolve);
      resolve(leave);
      return;
    }
  }
}

/** Counts attempts until they and their handlers have settled. */
export class Running {
  readonly #idle: (() => void)[] = [];
  #count = 0;

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves once nothing runs. */
  async settled(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}

/** The time in which an attempt is answered. Elapsed time is measured by a timer, never by the wall clock. */
export class Deadline<Late> {
  /** True if a handler was running when the time passed: it keeps its claim. */
  handlerGoesOn = false;
  #timer: ReturnType<typeof setTimeout>;
  readonly #endsAt: number;
  #isPassed = false;
  /** Returns the answer if the time passes now. */
  #late: () => Late;
  #answerLate: ((late: Late) => void) | undefined;

  /** @param body Given up after its `bodyMs` if it is not read by then; one timer measures both times. */
  constructor(ms: number, late: () => Late, body?: IncomingBody) {
    this.#late = late;
    this.#endsAt = performance.now() + ms;
    const { bodyMs = ms } = body ?? {};
    const pass = (left: number): void => {
      body?.refuse("CS_BODY_TIMEOUT");
      if (left > 0) {
        this.#timer = setTimeout(pass, left, 0);
        return;
      }
      this.#isPassed = true;
      const outcome = this.#late();
      this.#answerLate?.(outcome);
    };
    this.#timer = setTimeout(pass, bodyMs, ms - bodyMs);
  }

  get isPassed(): boolean {
    return this.#isPassed;
  }

  /** Runs a step of the flow; if the time passes before the next step, the answer is `late()`. */
  during<Result>(late: () => Late, step: () => Result): Result {
    this.#late = late;
    return step();
  }

  /**
   * Resolves as `flow` does, which never rejects, or with the late answer of its step once the time has passed; `later`
   * gets a flow whose handler goes on then.
   */
  bound(flow: Promise<Late>, later: Promise<Late>[]): Promise<Late> {
    return new Promise((resolve) => {
      this.#answerLate = (late) => {
        if (this.handlerGoesOn) later.push(flow);
        resolve(late);
      };
      void flow.then((outcome) => {
        this.end();
        resolve(outcome);
      });
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the timer: the events of a batch have one each. @returns The time that is left now, in milliseconds. */
  handOver(): () => number {
    this.end();
    return () => this.#endsAt - performance.now();
  }
}
