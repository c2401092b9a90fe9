import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks } from "@countersign/signatures";
import { onTestFinished } from "vitest";
import type { Attempt } from "../../src/delivery/attempt.ts";
import { claim, type Claim } from "../../src/delivery/claim.ts";
import { Deliverer, type DelivererPorts } from "../../src/delivery/deliver.ts";
import { createDeliveryEngine, type DeliveryEngine } from "../../src/delivery/delivery-engine.ts";
import { DueList } from "../../src/delivery/due-list.ts";
import { deliveryPolicyOf, type DeliveryPolicy } from "../../src/delivery/policy.ts";
import { settle } from "../../src/delivery/settle.ts";
import type { Answer, PostRequest, Transport } from "../../src/delivery/transport.ts";
import type { Vault } from "../../src/secrets/vault.ts";
import type { Driver, Queryable } from "../../src/store/driver.ts";
import { migrate } from "../../src/store/migrate.ts";
import { instantOf } from "../../src/store/tables/clocks.ts";
import { dueSubscriptions } from "../../src/store/operations/deliveries/due-subscriptions.ts";
import { secretPlace } from "../../src/store/tables/subscriptions.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { testVault } from "../test-vault.ts";

export const SECRET = "a-secret-of-24-characters-or-more";
/** Real time at which every test begins. */
export const REAL_START = Date.parse("2026-11-02T12:00:00.000Z");
/** What the sandbox clock `clk_1` shows at first. */
export const CLOCK_START = Date.parse("2026-03-02T09:00:00.000Z");
/** For `expect.poll`: a loaded machine takes longer than vitest's second. */
export const SOON = { timeout: 10_000 };
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
  readonly leased_until: number;
}

interface SubscribeOptions {
  readonly url?: string | undefined;
  readonly clockId?: string;
  readonly secret?: string;
}

interface EventOptions {
  readonly clockId?: string;
  readonly payload?: string;
  readonly nextAt?: number;
}

/** A database with one merchant on the sandbox clock `clk_1` and one on `live`, and a clock to set. */
export class Queue {
  readonly driver: Driver;
  readonly file: string;
  realNow: number = REAL_START;
  #made = 0;

  constructor(file: string, driver: Driver) {
    this.file = file;
    this.driver = driver;
  }

  /** The ports of a deliverer over this queue. Its random source is the middle of every range. */
  ports(transport: Transport = fakeTransport(() => answered(204))): DelivererPorts {
    const scheme = standardWebhooks();
    return {
      driver: this.driver,
      clock: { now: () => this.realNow },
      random: { bytes: (length) => Buffer.concat([Buffer.from([0x80]), Buffer.alloc(length - 1)]) },
      transport,
      vault,
      sign: (message, secret) => scheme.sign(message, [{ raw: secret }]),
      endpoints: { allowLoopback: true },
      userAgent: "Countersign/test",
    };
  }

  subscribe(key: string, options: SubscribeOptions = {}): Promise<void> {
    return this.driver.transaction((tx) => this.#subscribe(tx, key, options));
  }

  async #subscribe(tx: Queryable, key: string, options: SubscribeOptions): Promise<void> {
    const { clockId = "clk_1", url = `https://${key}.example/hooks`, secret = SECRET } = options;
    const { text, keyId } = vault.seal(secret, secretPlace(key));
    await tx.query(
      `INSERT INTO subscriptions
         (key, merchant_id, clock_id, url, secret, secret_key_id, selection, status, created_at,
          updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, '{}', 'ACTIVE', 0, 0)`,
      [key, merchantOf(clockId), clockId, url, text, keyId],
    );
  }

  /** Subscriptions `sub_0`, `sub_1`, …, each with one event in its queue. */
  async subscribeMany(count: number, urlOf?: (number: number) => string): Promise<void> {
    await this.driver.transaction(async (tx) => {
      for (let number = 0; number < count; number += 1) {
        await this.#subscribe(tx, `sub_${number}`, { url: urlOf?.(number) });
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
    const event = `evt_${number}`;
    const { clockId = "clk_1", payload = JSON.stringify({ id: event }) } = options;
    const nextAt = options.nextAt ?? (clockId === "live" ? this.realNow : CLOCK_START);
    await tx.query(
      `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
       VALUES ($1, $2, $3, 'refund.authorized', 'PAYMENT', $4, $5)`,
      [event, merchantOf(clockId), clockId, payload, nextAt],
    );
    const ids = keys.map((key) => `dlv_${number}${keys.length > 1 ? `_${key}` : ""}`);
    for (const [at, key] of keys.entries()) {
      await tx.query(
        `INSERT INTO deliveries
           (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
         VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $6)`,
        [ids[at] ?? "", event, key, merchantOf(clockId), clockId, nextAt],
      );
    }
    return ids[0] ?? "";
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
      "SELECT id, state, attempts, next_at, leased_until FROM deliveries ORDER BY created_at, id",
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

  setInstant(instant: number): Promise<unknown> {
    return this.write("UPDATE clocks SET instant = $1 WHERE id = 'clk_1'", [instant]);
  }

  /** A deliverer over this queue that is stopped at the end of the running test. */
  deliverer(transport: Transport, change: Partial<DeliveryPolicy> = {}): Deliverer {
    const one = new Deliverer(this.ports(transport), { ...policy, ...change });
    onTestFinished(() => one.stop({ graceMs: 10 }));
    return one;
  }

  // A worker that is led by hand: it claims, and says how the attempt went.

  /** Claims what is due on `clk_1`, as a deliverer with nothing in flight would. */
  async claim(total = 100): Promise<Claim[]> {
    const ports = this.ports();
    const now = await instantOf(ports.driver, ports.clock, "clk_1");
    const list = new DueList();
    list.replace(await dueSubscriptions(ports.driver, "clk_1", { now, realNow: this.realNow }));
    const shares = list.share({ total, fits: () => 8, fitsOnHost: () => 64 });
    return claim("clk_1", shares, ports, policy);
  }

  async claimOne(): Promise<Claim> {
    const [one] = await this.claim(1);
    if (one === undefined) throw new Error("nothing is due");
    return one;
  }

  /** Settles one group of attempts, each as its claim and the answer or its status. */
  settle(
    attempts: readonly (readonly [Claim, Answer | number])[],
    change: Partial<DeliveryPolicy> = {},
  ) {
    const made = attempts.map(([one, answer]): Attempt => ({
      claim: one,
      startedAt: REAL_START,
      durationMs: 20,
      answer: typeof answer === "number" ? answered(answer) : answer,
    }));
    return settle(made, this.ports(), { ...policy, ...change });
  }
}

const merchantOf = (clockId: string): string => (clockId === "live" ? "mer_live" : "mer_1");

/** A queue with subscriptions of these keys, in a database file that lasts as long as the test. */
export async function openQueue(...keys: readonly string[]): Promise<Queue> {
  const file = temporaryDatabase();
  const driver = sqliteDriver(file);
  onTestFinished(() => driver.close());
  await queueOf(driver, ...keys);
  return new Queue(file, driver);
}

/** A queue with subscriptions of these keys, in an empty database. */
export async function queueOf(driver: Driver, ...keys: readonly string[]): Promise<Queue> {
  await migrate(driver, { now: REAL_START });
  await driver.transaction(async (tx) => {
    await tx.query("INSERT INTO clocks (id, instant) VALUES ('clk_1', $1)", [CLOCK_START]);
    const insert = "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ($1, 'M', $2, 0)";
    for (const clockId of ["clk_1", "live"]) await tx.query(insert, [merchantOf(clockId), clockId]);
  });
  const queue = new Queue("", driver);
  for (const key of keys) await queue.subscribe(key);
  return queue;
}

/** An engine that is stopped at the end of the running test, and hardly ever polls unless an option says so. */
export function openEngine(
  ports: DelivererPorts,
  options: Partial<Parameters<typeof createDeliveryEngine>[0]> = {},
): DeliveryEngine {
  const moveDueRefunds = async () => ({ passedOver: [] });
  const fixed = { ...ports, policy, moveDueRefunds, pollMs: 1_000_000 };
  const one = createDeliveryEngine({ ...fixed, ...options });
  onTestFinished(() => one.stop({ graceMs: 0 }));
  return one;
}

/** A network that answers what it is told, and keeps what it was asked. */
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
    answer: (status: number) => waiting.shift()?.(answered(status)),
  };
}

export function answered(status: number, retryAfter?: string): Answer {
  return { kind: "answered", status, retryAfter, excerpt: "" };
}

export const timeout: Answer = { kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" };
