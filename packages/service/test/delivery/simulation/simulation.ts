import { seeded, type Random } from "../../../../../test/fuzz/random.ts";
import { DeliveryEngine } from "../../../src/delivery/deliver.ts";
import { StoreUnavailableError } from "../../../src/store/driver.ts";
import type { RecordedGroup } from "../../../src/delivery/types.ts";
import { Invariants, type EndpointState } from "./invariants.ts";
import { ModelStore, type ModelDelivery } from "./model-store.ts";
import { planOf, POLICY, REACTIONS, type Move, type Plan, type QueueMove } from "./plan.ts";
import { Process, type EngineClass, type Post } from "./process.ts";
import { Timeline } from "./timeline.ts";

/** Wall time at the beginning. */
const START = Date.parse("2026-11-02T12:00:00.000Z");
/** Time for everything to be found after the last move. */
const QUIET_MS = 120_000;

/** Runs worlds of consecutive seeds, until one breaks a rule. */
export async function findViolation(
  seed: number,
  worlds: number,
  Engine: EngineClass = DeliveryEngine,
): Promise<{ readonly plan: Plan; readonly rule: string } | undefined> {
  for (let world = seed; world < seed + worlds; world += 1) {
    const plan = planOf(world);
    // oxlint-disable-next-line no-await-in-loop -- one world after the other
    const rule = await new Simulation(plan, Engine).run();
    if (rule !== undefined) return { plan, rule };
  }
  return undefined;
}

/** @returns A report of the first broken rule, without the moves that it does not need; `undefined` if none is broken. */
export async function firstViolation(seed: number, worlds: number): Promise<string | undefined> {
  const found = await findViolation(seed, worlds);
  if (found === undefined) return undefined;
  let { plan } = found;
  for (const move of found.plan.moves) {
    const less = { ...plan, moves: plan.moves.filter((one) => one !== move) };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    if ((await new Simulation(less, DeliveryEngine).run()) !== undefined) plan = less;
  }
  const trace: string[] = [];
  const rule = await new Simulation(plan, DeliveryEngine, trace).run();
  const endpoints = `endpoints: ${plan.endpoints.join(", ")}`;
  return [`seed ${plan.seed}: ${rule}`, endpoints, ...trace].join("\n");
}

/** The model's tables, whose calls the invariants see. */
class WatchedStore extends ModelStore {
  readonly #world: Simulation;
  constructor(world: Simulation) {
    super(() => world.databaseNow());
    this.#world = world;
  }
  override async record(...all: Parameters<ModelStore["record"]>): Promise<RecordedGroup> {
    const group = await super.record(...all);
    this.#world.invariants.completed(group.recorded);
    return group;
  }
}

/** A world of processes, which share its store and its time. */
export class Simulation {
  readonly timeline = new Timeline();
  readonly store: ModelStore = new WatchedStore(this);
  readonly plan: Plan;
  readonly endpoints: ReadonlyMap<string, EndpointState>;
  readonly invariants: Invariants;
  readonly #Engine: EngineClass;
  readonly #random: Random;
  readonly #processes: (Process | undefined)[] = [];
  readonly #trace: string[] | undefined;
  /** The steps of each process's wall time, and of the database's. */
  readonly #steps: number[];
  #databaseStep = 0;
  #lives = 0;
  #violation: string | undefined;

  /** @param trace Gets one line for each event. */
  constructor(plan: Plan, Engine: EngineClass, trace?: string[]) {
    this.plan = plan;
    this.#Engine = Engine;
    this.#random = seeded(plan.seed + 1);
    this.#trace = trace;
    this.#steps = Array.from({ length: plan.processes }, () => 0);
    const endpoints = plan.endpoints.map((behaviour, index): EndpointState => {
      const goodSince = behaviour === "good" ? 0 : undefined;
      return { key: `e${index}`, behaviour, goodSince, inactiveSince: undefined };
    });
    this.endpoints = new Map(endpoints.map((one) => [one.key, one]));
    for (const [index, { key }] of endpoints.entries()) this.store.subscribe(key, `m${index % 3}`);
    this.invariants = new Invariants(this);
  }

  /** Runs the world until everything is delivered, or nothing more is to be expected. @returns The rule that was broken. */
  async run(): Promise<string | undefined> {
    for (const move of this.plan.moves) this.timeline.after(move.at, () => this.#move(move));
    const lastAt = this.plan.moves.at(-1)?.at ?? 0;
    let isOver = false;
    const tick = (): void => {
      this.invariants.check();
      const now = this.timeline.now;
      isOver = now > lastAt + QUIET_MS || (now > lastAt && this.invariants.isDone());
      this.timeline.after(250, tick);
    };
    tick();
    await this.timeline.run(() => isOver || this.#violation !== undefined);
    for (const process of this.running()) process.die();
    return this.#violation;
  }

  wallNow(process: number): number {
    return Math.floor(START + this.timeline.now) + (this.#steps[process] ?? 0);
  }

  databaseNow(): number {
    return Math.floor(START + this.timeline.now) + this.#databaseStep;
  }

  note(text: () => string): void {
    this.#trace?.push(`${(this.timeline.now / 1000).toFixed(3)} ${text()}`);
  }

  /** A fault lasts until then. */
  disturb(until: number): void {
    this.invariants.disturb(until);
  }

  failed(process: Process, error: unknown): void {
    this.note(() => `${process.id} failed: ${String(error)}`);
    if (!(error instanceof StoreUnavailableError))
      this.broken(`the engine failed with ${String(error)}`);
  }

  began(process: Process, id: string): Post {
    const { behaviour, key } = this.#endpointOf(this.store.deliveries.get(id)?.key ?? "");
    const post = { process, id, ...REACTIONS[behaviour](this.#random) };
    this.note(() => `${process.id} posts ${id} to ${key}`);
    this.invariants.began(post);
    return post;
  }

  ended(post: Post): void {
    const { answer, id } = post;
    this.note(() => `${id} has ${answer.kind === "answered" ? answer.status : answer.code}`);
    this.invariants.ended(post);
  }

  broken(rule: string): void {
    this.#violation ??= `${rule}, at ${(this.timeline.now / 1000).toFixed(3)} s`;
    this.note(() => rule);
  }

  running(): Process[] {
    return this.#processes.filter((one) => one !== undefined && !one.isDead) as Process[];
  }

  #endpointOf(key: string): EndpointState {
    const found = this.endpoints.get(key);
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
      case "fault":
        running?.faults.push(move);
        break;
      case "step":
        for (const number of this.#steps.keys())
          if (move.process === undefined || move.process === number)
            this.#steps[number] = (this.#steps[number] ?? 0) + move.ms;
        if (move.process === undefined) this.#databaseStep += move.ms;
        this.disturb(now);
        break;
      case "recover":
        Object.assign(this.#endpointOf(`e${move.endpoint}`), { behaviour: "good", goodSince: now });
        break;
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

  #moveQueue(move: QueueMove): void {
    const store = this.store;
    if (move.do === "replay") {
      const at = store.storedNow ?? this.wallNow(0);
      if (store.replay(move.id, at)) this.#hint(move.hint, ({ id }) => id === move.id);
      return;
    }
    const endpoint = this.#endpointOf(`e${move.endpoint}`);
    const { key } = endpoint;
    if (move.do === "write") {
      const [writer] = this.running();
      // Nobody knows what time it is if wall time steps while no process runs.
      if (writer === undefined && this.plan.moves.some((one) => one.do === "step")) return;
      const now = writer?.dueClock.now() ?? Math.max(this.wallNow(0), store.storedNow ?? 0);
      const at = now - move.lag;
      store.write(key, move.id, at);
      const { merchantId = "", url = "" } = store.subscriptions.get(key)?.endpoint ?? {};
      this.#hint(move.hint, ({ id }) => id === move.id, [{ key, merchantId, url, at }]);
    } else if (move.do === "resume") {
      store.resume(key);
      if (store.subscriptions.get(key)?.status === "ACTIVE") endpoint.inactiveSince = undefined;
      this.#hint(move.hint, (row) => row.key === key);
    } else {
      store[move.do](key);
      endpoint.inactiveSince ??= this.timeline.now;
    }
  }

  #hint(
    ms: number,
    isChanged: (row: ModelDelivery) => boolean,
    work: Parameters<DeliveryEngine["onWork"]>[0] = "anything",
  ): void {
    this.invariants.changed(isChanged);
    if (ms === Infinity) return;
    this.timeline.after(ms, () => {
      for (const process of this.running())
        process.reach(() => {
          this.note(() => `${process.id} has a hint`);
          process.engine.onWork(work);
        });
    });
  }

  #start(number: number): void {
    this.#lives += 1;
    if (this.running().length > 0 || this.#lives > 1) this.disturb(this.timeline.now);
    const name = { number, life: this.#lives };
    this.#processes[number] = new Process(name, this.#random, this, this.#Engine);
  }

  async #stop(process: Process): Promise<void> {
    process.state = "stopping";
    this.disturb(this.timeline.now + 3000);
    await process.engine.stop({ graceMs: POLICY.deadlineMs + 1000 });
    this.note(() => `${process.id} has stopped`);
    process.die();
  }
}
