import { DeliveryEngine } from "../../../src/delivery/engine.ts";
import { StoreUnavailableError } from "../../../src/store/driver.ts";
import type { DeliveryStore } from "../../../src/delivery/types.ts";
import { Invariants, type EndpointState } from "./invariants.ts";
import { ModelStore } from "./model-store.ts";
import { answerOf, POLICY, type Hint, type Move, type Plan } from "./plan.ts";
import { Process, type EngineClass, type Post, type World } from "./process.ts";
import { Dice, Timeline } from "./timeline.ts";

/** Wall time at the beginning. */
const START = Date.parse("2026-11-02T12:00:00.000Z");
/** Time for everything to be found after the last move. */
const QUIET_MS = 160_000;

/** The engine of a world: ours, or one with a bug. */
export interface Parts {
  readonly Engine?: EngineClass;
  readonly Store?: typeof ModelStore;
}

export interface Outcome {
  /** The rule that was broken, and when. */
  readonly violation: string | undefined;
  /** One line for each event, if requested. */
  readonly trace: readonly string[];
}

/** Runs a world until everything is delivered, or nothing more is to be expected. */
export function simulate(plan: Plan, parts: Parts = {}, isTraced = false): Promise<Outcome> {
  return new Simulation(plan, parts, isTraced).run();
}

class Simulation implements World {
  readonly timeline = new Timeline();
  readonly policy = POLICY;
  readonly store: DeliveryStore;
  readonly isSingle: boolean;
  readonly #model: ModelStore;
  readonly #plan: Plan;
  readonly #Engine: EngineClass;
  readonly #dice: Dice;
  readonly #processes: (Process | undefined)[] = [];
  readonly #endpoints: EndpointState[];
  readonly #invariants: Invariants;
  readonly #trace: string[] | undefined;
  /** The steps of each process's wall time. */
  readonly #steps: number[];
  /** The largest of them so far. */
  #furthest = 0;
  #lives = 0;
  #violation: string | undefined;

  constructor(
    plan: Plan,
    { Engine = DeliveryEngine, Store = ModelStore }: Parts,
    isTraced: boolean,
  ) {
    this.#plan = plan;
    this.#Engine = Engine;
    this.isSingle = plan.isSingle;
    this.#model = new Store({ isSingle: plan.isSingle });
    this.#dice = new Dice(plan.seed + 1);
    this.#trace = isTraced ? [] : undefined;
    this.#steps = Array.from({ length: plan.processes }, () => 0);
    this.#endpoints = plan.endpoints.map((behaviour, index) => ({
      key: `e${index}`,
      behaviour,
      isGood: behaviour === "good",
      goodSince: 0,
      overloads: 0,
      inactiveSince: undefined,
      overloadedBy: new Map(),
    }));
    for (const [index, { key }] of this.#endpoints.entries())
      this.#model.subscribe(key, "live", `m${index % 3}`);
    this.#invariants = new Invariants({
      plan,
      policy: POLICY,
      store: this.#model,
      timeline: this.timeline,
      endpoints: new Map(this.#endpoints.map((one) => [one.key, one])),
      running: () => this.#running(),
      latestNow: () => START + this.timeline.now + this.#furthest,
      broken: (rule) => this.#broken(rule),
    });
    this.store = this.#invariants.watch(this.#model);
  }

  async run(): Promise<Outcome> {
    for (const move of this.#plan.moves) this.timeline.after(move.at, () => this.#move(move));
    const lastAt = this.#plan.moves.at(-1)?.at ?? 0;
    let isOver = false;
    const tick = (): void => {
      this.#invariants.check();
      const now = this.timeline.now;
      isOver = now > lastAt + QUIET_MS || (now > lastAt && this.#invariants.isDone());
      this.timeline.after(250, tick, { isSilent: true });
    };
    tick();
    await this.timeline.run(() => isOver || this.#violation !== undefined);
    if (this.#violation === undefined) this.#invariants.checkEnd();
    for (const process of this.#running()) process.die();
    return { violation: this.#violation, trace: this.#trace ?? [] };
  }

  wallNow(process: number): number {
    return Math.floor(START + this.timeline.now) + (this.#steps[process] ?? 0);
  }

  note(text: () => string): void {
    this.#trace?.push(`${(this.timeline.now / 1000).toFixed(3)} ${text()}`);
  }

  disturb(until: number): void {
    this.#invariants.disturb(until);
  }

  failed(process: Process, error: unknown): void {
    this.note(() => `${process.id} failed: ${String(error)}`);
    if (!(error instanceof StoreUnavailableError))
      this.#broken(`the engine failed with ${String(error)}`);
  }

  died(process: Process): void {
    this.note(() => `${process.id} dies`);
    this.disturb(this.timeline.now);
  }

  began(process: Process, id: string): Post {
    const endpoint = this.#endpointOf(this.#model.deliveries.get(id)?.key);
    const { takes, answer } = answerOf(endpoint.behaviour, this.#dice);
    const post = { process, id, answer, takes };
    this.note(() => `${process.id} posts ${id} to ${endpoint.key}`);
    this.#invariants.began(post);
    return post;
  }

  ended(post: Post): void {
    const { answer, id } = post;
    this.note(() => `${id} has ${answer.kind === "answered" ? answer.status : answer.code}`);
    this.#invariants.ended(post);
  }

  #broken(rule: string): void {
    this.#violation ??= `${rule}, at ${(this.timeline.now / 1000).toFixed(3)} s`;
    this.note(() => rule);
  }

  #running(): Process[] {
    return this.#processes.filter((one) => one !== undefined && !one.isDead) as Process[];
  }

  #endpointOf(key: string | undefined): EndpointState {
    const found = this.#endpoints.find((one) => one.key === key);
    if (found === undefined) throw new Error(`unknown endpoint ${key}`);
    return found;
  }

  #move(move: Move): void {
    this.note(() => JSON.stringify(move));
    const now = this.timeline.now;
    const process =
      "process" in move && move.process !== undefined ? this.#processes[move.process] : undefined;
    const running = process === undefined || process.isDead ? undefined : process;
    switch (move.do) {
      case "start":
        if (running === undefined) this.#start(move.process);
        break;
      case "stop":
        if (running?.state === "runs") void this.#stop(running);
        break;
      case "crash":
        if (running !== undefined) running.crashAt = { calls: move.calls, isSent: move.isSent };
        break;
      case "stand still":
        if (running === undefined) break;
        running.stoodStill = true;
        running.standsUntil = now + move.ms;
        this.disturb(now + move.ms);
        break;
      case "away":
        if (running !== undefined) running.awayUntil = now + move.ms;
        this.disturb(now + move.ms);
        break;
      case "outage":
        for (const one of this.#running()) one.awayUntil = now + move.ms;
        this.disturb(now + move.ms);
        break;
      case "fault":
        running?.faults.push(move);
        break;
      case "step":
        for (const number of this.#steps.keys())
          if (move.process === undefined || move.process === number)
            this.#steps[number] = (this.#steps[number] ?? 0) + move.ms;
        this.#furthest = Math.max(this.#furthest, ...this.#steps);
        this.disturb(now);
        break;
      case "behave":
      case "write":
      case "replay":
      case "pause":
      case "resume":
      case "close":
        this.#moveQueue(move);
        break;
      default:
        move satisfies never;
    }
  }

  /** Changes the queue, as other parts of the service do, or an endpoint. */
  #moveQueue(
    move: Extract<Move, { do: "behave" | "write" | "replay" | "pause" | "resume" | "close" }>,
  ): void {
    const store = this.#model;
    if (move.do === "replay") {
      const stored = store.clocks.get("live");
      const at = stored === undefined ? this.wallNow(0) : stored + 6000;
      if (store.replay(move.id, at)) this.#hint(move.hint, { id: move.id });
      return;
    }
    const endpoint = this.#endpointOf(`e${move.endpoint}`);
    const { key } = endpoint;
    switch (move.do) {
      case "behave":
        Object.assign(endpoint, {
          behaviour: move.behaviour,
          isGood: true,
          goodSince: this.timeline.now,
        });
        break;
      case "write": {
        const [writer] = this.#running();
        // Nobody knows what time it is if wall time steps while no process runs.
        if (writer === undefined && this.#plan.moves.some((one) => one.do === "step")) break;
        const now =
          writer?.dueClock.now() ?? Math.max(this.wallNow(0), store.clocks.get("live") ?? 0);
        store.write(key, move.id, now - move.lag);
        this.#hint(move.hint, { id: move.id, key, at: now - move.lag });
        break;
      }
      case "resume":
        store.resume(key);
        if (store.subscriptions.get(key)?.status === "ACTIVE") endpoint.inactiveSince = undefined;
        this.#hint(move.hint, { key });
        break;
      case "pause":
      case "close":
        store[move.do](key);
        endpoint.inactiveSince ??= this.timeline.now;
        break;
      default:
        move satisfies never;
    }
  }

  #hint(hint: Hint, { id, key, at }: { id?: string; key?: string; at?: number }): void {
    this.#invariants.hinted(hint, { id, key });
    if (hint === "lost") return;
    const work = key === undefined || at === undefined ? ("anything" as const) : [{ key, at }];
    this.timeline.after(hint === "own" ? 1 : hint, () => {
      const reached = hint === "own" ? this.#running().slice(0, 1) : this.#running();
      for (const process of reached)
        process.reach(() => {
          this.note(() => `${process.id} has a hint`);
          process.engine.onWork(work);
        });
    });
  }

  #start(number: number): void {
    this.#lives += 1;
    if (this.#running().length > 0 || this.#lives > 1) this.disturb(this.timeline.now);
    this.#processes[number] = new Process(
      { number, life: this.#lives, seed: this.#plan.seed },
      this,
      this.#Engine,
    );
  }

  async #stop(process: Process): Promise<void> {
    process.state = "stopping";
    this.disturb(this.timeline.now + 3000);
    await process.engine.stop({ graceMs: POLICY.deadlineMs + 1000 });
    this.note(() => `${process.id} has stopped`);
    this.#invariants.stopped(process);
    process.die();
  }
}
