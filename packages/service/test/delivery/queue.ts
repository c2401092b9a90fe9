import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks } from "@countersign/signatures";
import { onTestFinished } from "vitest";
import { DueClock } from "../../src/clock.ts";
import { DeliveryEngine } from "../../src/delivery/deliver.ts";
import { NamespaceClocks, type AdvanceOutcome } from "../../src/delivery/namespace-clocks.ts";
import { deliveryPolicyOf, type DeliveryPolicy } from "../../src/delivery/policy.ts";
import type {
  Answer,
  DeliveryStore,
  EngineOptions,
  PostRequest,
  Transport,
} from "../../src/delivery/types.ts";
import type { Vault } from "../../src/secrets/vault.ts";
import type { Driver, Queryable } from "../../src/store/driver.ts";
import { createTables } from "../../src/store/create-tables.ts";
import { deliveryStore } from "../../src/store/tables/delivery-queue.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { ManualClock } from "../manual-clock.ts";
import { insert } from "../store/rows.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { testVault } from "../test-vault.ts";

export const SECRET = "a-secret-of-24-characters-or-more";
/** Wall time at which every test begins. */
export const REAL_START = Date.parse("2026-11-02T12:00:00.000Z");
/** The first time of the sandbox clock `clk_1`. */
export const CLOCK_START = Date.parse("2026-03-02T09:00:00.000Z");
/** Opens the secret of every subscription in a queue. */
export const vault: Vault = testVault();

const standard = deliveryPolicyOf(profiles.standard);
/** The standard profile's, without jitter. */
export const policy: DeliveryPolicy = {
  ...standard,
  schedule: { ...standard.schedule, jitter: 0 },
};

export interface DeliveryRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly next_at: number | null;
}

/** Options of an engine over a queue; the policy is `policy` with these changes. */
export interface OpenEngine extends Partial<Omit<EngineOptions, "policy">> {
  readonly policy?: Partial<DeliveryPolicy>;
}

interface SubscribeOptions {
  readonly url?: string | undefined;
  /** `live`, or by default `clk_1`. */
  readonly clockId?: string;
  /** Default: the one merchant of the clock. */
  readonly merchantId?: string;
  readonly secret?: string;
}

interface EventOptions {
  /** Of the event and its delivery. Default: their numbers. */
  readonly id?: string;
  readonly payload?: string;
  readonly nextAt?: number;
}

/** A database with one merchant on the sandbox clock `clk_1` and one on `live`, and a clock to set. */
export class Queue {
  readonly driver: Driver;
  readonly store: DeliveryStore;
  readonly clock: ManualClock = new ManualClock(REAL_START);
  readonly #owners = new Map<string, { readonly merchantId: string; readonly clockId: string }>();
  #made = 0;

  constructor(driver: Driver) {
    this.driver = driver;
    this.store = deliveryStore(driver);
  }

  /** An engine over this queue that delivers until the test ends. Its random source is the middle of every range. */
  engine(transport: Transport, { policy: change, ...options }: OpenEngine = {}): DeliveryEngine {
    const scheme = standardWebhooks();
    const { clock = this.clock } = options;
    const engine = new DeliveryEngine({
      store: this.store,
      clock,
      dueClock: new DueClock(clock),
      random: { bytes: (length) => Buffer.concat([Buffer.from([0x80]), Buffer.alloc(length - 1)]) },
      transport,
      vault,
      sign: (message, secret) => scheme.sign(message, [{ raw: secret }]).headers,
      endpoints: { allowLoopback: true },
      userAgent: "Countersign/test",
      ...options,
      policy: { ...policy, ...change },
    });
    onTestFinished(() => engine.stop({ graceMs: 0 }));
    engine.start();
    return engine;
  }

  /** Moves the sandbox clock, while an engine delivers. */
  advance(engine: DeliveryEngine, to: number): Promise<AdvanceOutcome> {
    const { driver, clock } = this;
    const moveDueRefunds = async () => {};
    return new NamespaceClocks({ driver, clock, engine, moveDueRefunds }).advance("clk_1", to);
  }

  subscribe(key: string, options: SubscribeOptions = {}): Promise<void> {
    return this.driver.transaction((tx) => this.#subscribe(tx, key, options));
  }

  async #subscribe(tx: Queryable, key: string, options: SubscribeOptions): Promise<void> {
    const { clockId = "clk_1", url = `https://${key}.example/hooks`, secret = SECRET } = options;
    const { merchantId = merchantOf(clockId) } = options;
    this.#owners.set(key, { merchantId, clockId });
    const owner = { merchant_id: merchantId, clock_id: clockId };
    await insert(tx, "merchants", { id: merchantId, clock_id: clockId });
    const { text, keyId } = vault.seal(secret, key);
    const sealed = { secret: text, secret_key_id: keyId };
    await insert(tx, "subscriptions", { key, ...owner, url, ...sealed });
  }

  /** Subscriptions `sub_0`, `sub_1`, …, each with one event in its queue. */
  async subscribeMany(
    count: number,
    optionsOf: (number: number) => SubscribeOptions = () => ({}),
  ): Promise<void> {
    await this.driver.transaction(async (tx) => {
      for (let number = 0; number < count; number += 1) {
        await this.#subscribe(tx, `sub_${number}`, optionsOf(number));
        await this.#insert(tx, [`sub_${number}`], {});
      }
    });
  }

  /** Writes events, each in the queues of all these subscriptions; their payloads have their ids. */
  async publish(count: number, keys: readonly string[], options: EventOptions = {}): Promise<void> {
    await this.driver.transaction(async (tx) => {
      for (let made = 0; made < count; made += 1) await this.#insert(tx, keys, options);
    });
  }

  /** Puts an event in the queue of a subscription. @returns The delivery's id. */
  enqueue(key: string, options: EventOptions = {}): Promise<string> {
    return this.driver.transaction((tx) => this.#insert(tx, [key], options));
  }

  /** @returns The first delivery's id. */
  async #insert(tx: Queryable, keys: readonly string[], options: EventOptions): Promise<string> {
    this.#made += 1;
    const number = this.#made;
    const event_id = options.id ?? `evt_${number}`;
    const { payload = JSON.stringify({ id: event_id }) } = options;
    const { merchantId = "mer_1", clockId = "clk_1" } = this.#owners.get(keys[0] ?? "") ?? {};
    const nextAt = options.nextAt ?? (clockId === "live" ? this.clock.now() : CLOCK_START);
    const common = { merchant_id: merchantId, clock_id: clockId, created_at: nextAt };
    await insert(tx, "events", { id: event_id, ...common, type: "refund.authorized", payload });
    const idOf = (key = ""): string =>
      options.id ?? `dlv_${number}${keys.length > 1 ? `_${key}` : ""}`;
    for (const key of keys) {
      const place = { event_id, subscription_key: key, next_at: nextAt };
      await insert(tx, "deliveries", { id: idOf(key), ...common, ...place });
    }
    return idOf(keys[0]);
  }

  /** Some turns of the event loop and a transaction: time enough for what would be wrong to happen. */
  async passTurns(): Promise<void> {
    for (let count = 0; count < 20; count += 1) await this.write("SELECT 1");
  }

  write(sql: string, params: readonly (string | number | null)[] = []): Promise<unknown> {
    return this.driver.transaction((tx) => tx.query(sql, params));
  }

  deliveries(): Promise<DeliveryRow[]> {
    return this.driver.query<DeliveryRow>(
      "SELECT id, state, attempts, next_at FROM deliveries ORDER BY created_at, seq",
    );
  }

  async states(): Promise<string[]> {
    return (await this.deliveries()).map(({ state }) => state);
  }

  attempts(): Promise<
    { delivery_id: string; number: number; status: number | null; error: string | null }[]
  > {
    return this.driver.query(
      "SELECT delivery_id, number, status, error FROM attempts ORDER BY delivery_id, number",
    );
  }

  subscription(key: string): Promise<Record<string, unknown>[]> {
    return this.driver.query(
      "SELECT status, consecutive_failures, failing_since, last_success_at FROM subscriptions WHERE key = $1",
      [key],
    );
  }

  async instant(): Promise<number | undefined> {
    const rows = await this.driver.query<{ instant: number }>(
      "SELECT instant FROM clocks WHERE id = 'clk_1'",
    );
    return rows[0]?.instant;
  }
}

const merchantOf = (clockId: string): string => (clockId === "live" ? "mer_live" : "mer_1");

/** A queue with subscriptions of these keys, in a database file that lasts as long as the test. */
export async function openQueue(...keys: readonly string[]): Promise<Queue> {
  const driver = sqliteDriver(temporaryDatabase());
  onTestFinished(() => driver.close());
  return queueOf(driver, ...keys);
}

/** A queue with subscriptions of these keys, in an empty database. */
export async function queueOf(driver: Driver, ...keys: readonly string[]): Promise<Queue> {
  const queue = new Queue(driver);
  await createTables(driver);
  await driver.transaction(async (tx) => {
    await tx.query("INSERT INTO clocks (id, instant) VALUES ('clk_1', $1)", [CLOCK_START]);
    for (const clockId of ["clk_1", "live"])
      await insert(tx, "merchants", { id: merchantOf(clockId), clock_id: clockId });
  });
  for (const key of keys) await queue.subscribe(key);
  return queue;
}

/** A network with given answers, which keeps the requests. */
export function fakeTransport(
  answer: (request: PostRequest, count: number) => Answer | Promise<Answer>,
): Transport & { readonly posts: PostRequest[] } {
  const posts: PostRequest[] = [];
  return {
    posts,
    post: async (request) => {
      posts.push(request);
      return answer(request, posts.length);
    },
    close: async () => {},
  };
}

/** A network whose answers wait until the test gives them. */
export function heldTransport() {
  const waiting: ((answer: Answer) => void)[] = [];
  const transport = fakeTransport(() => new Promise((resolve) => waiting.push(resolve)));
  return {
    transport,
    inFlight: () => waiting.length,
    answer: (answer: number | Answer) =>
      waiting.shift()?.(typeof answer === "number" ? answered(answer) : answer),
  };
}

export function answered(status: number, retryAfter?: string): Answer {
  return { kind: "answered", status, retryAfter, excerpt: "" };
}

export const timeout: Answer = { kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" };
