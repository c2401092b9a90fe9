import { standardWebhooks } from "@countersign/signatures";
import { onTestFinished } from "vitest";
import { claim, type Claim } from "../../src/delivery/claim.ts";
import { DueList, type Room } from "../../src/delivery/due-list.ts";
import type { DelivererPorts } from "../../src/delivery/deliver.ts";
import type { DeliveryPolicy } from "../../src/delivery/policy.ts";
import type { Answer, PostRequest, Transport } from "../../src/delivery/transport.ts";
import type { Driver } from "../../src/store/driver.ts";
import { migrate } from "../../src/store/migrate.ts";
import { instantOf } from "../../src/store/operations/clocks/instant-of.ts";
import { dueSubscriptions } from "../../src/store/operations/deliveries/due-subscriptions.ts";
import { secretPlace } from "../../src/store/operations/subscriptions/secret-place.ts";
import type { Vault } from "../../src/secrets/vault.ts";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { testVault } from "../test-vault.ts";

export const SECRET = "a-secret-of-24-characters-or-more";
/** Real time at which every test begins. */
export const REAL_START = Date.parse("2026-11-02T12:00:00.000Z");
/** What the sandbox clock `clk_1` shows at first. */
export const CLOCK_START = Date.parse("2026-03-02T09:00:00.000Z");

/** Opens the secret of every subscription in a queue. */
export const vault: Vault = testVault();

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const policy: DeliveryPolicy = {
  schedule: {
    steps: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
      (seconds) => seconds * SECOND,
    ),
    jitter: 0,
    retryAfterFactor: 2,
  },
  success: "2xx",
  gone: 410,
  pause: { failures: 400, afterMs: 24 * HOUR },
  deadlineMs: 15 * SECOND,
  leaseMs: MINUTE,
  concurrency: 256,
  concurrencyPerSubscription: 8,
  concurrencyPerHost: 64,
};

export interface DeliveryRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly next_at: number | null;
  readonly leased_until: number;
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
  ports(transport: Transport): DelivererPorts {
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

  async subscribe(
    key: string,
    options: { url?: string; clockId?: string; secret?: string } = {},
  ): Promise<void> {
    const clockId = options.clockId ?? "clk_1";
    const url = options.url ?? `https://${key}.example/hooks`;
    const { text, keyId } = vault.seal(options.secret ?? SECRET, secretPlace(key));
    await this.write(
      `INSERT INTO subscriptions
         (key, merchant_id, clock_id, url, secret, secret_key_id, selection, status, created_at,
          updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, '{}', 'ACTIVE', 0, 0)`,
      [key, merchantOf(clockId), clockId, url, text, keyId],
    );
  }

  /**
   * Subscriptions `sub_0`, `sub_1`, …, each with one event in its queue, in one transaction.
   *
   * @param urlOf Default: each has a host of its own.
   */
  async subscribeMany(
    count: number,
    urlOf = (number: number): string => `https://sub${number}.example/hooks`,
  ): Promise<void> {
    await this.driver.transaction(async (tx) => {
      for (let number = 0; number < count; number += 1) {
        const key = `sub_${number}`;
        const { text, keyId } = vault.seal(SECRET, secretPlace(key));
        await tx.query(
          `INSERT INTO subscriptions (key, merchant_id, clock_id, url, secret, secret_key_id,
             selection, status, created_at, updated_at)
           VALUES ($1, 'mer_1', 'clk_1', $2, $3, $4, '{}', 'ACTIVE', 0, 0)`,
          [key, urlOf(number), text, keyId],
        );
        await tx.query(
          `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
           VALUES ($1, 'mer_1', 'clk_1', 'refund.authorized', 'PAYMENT', '{}', $2)`,
          [`evt_${number}`, CLOCK_START],
        );
        await tx.query(
          `INSERT INTO deliveries
             (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
           VALUES ($1, $2, $3, 'mer_1', 'clk_1', 'waiting', $4, $4)`,
          [`dlv_${number}`, `evt_${number}`, key, CLOCK_START],
        );
      }
    });
  }

  /** Writes events, each in the queues of all these subscriptions; their payloads have their ids. */
  async publish(count: number, keys: readonly string[]): Promise<void> {
    await this.driver.transaction(async (tx) => {
      for (let published = 0; published < count; published += 1) {
        this.#made += 1;
        const event = `evt_${this.#made}`;
        await tx.query(
          `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
           VALUES ($1, 'mer_1', 'clk_1', 'refund.authorized', 'PAYMENT', $2, $3)`,
          [event, JSON.stringify({ id: event }), CLOCK_START],
        );
        for (const key of keys) {
          await tx.query(
            `INSERT INTO deliveries
               (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
             VALUES ($1, $2, $3, 'mer_1', 'clk_1', 'waiting', $4, $4)`,
            [`dlv_${this.#made}_${key}`, event, key, CLOCK_START],
          );
        }
      }
    });
  }

  /** Puts an event in the queue of a subscription. @returns The delivery's id. */
  async enqueue(
    key: string,
    options: { clockId?: string; payload?: string; nextAt?: number } = {},
  ): Promise<string> {
    this.#made += 1;
    const clockId = options.clockId ?? "clk_1";
    const nextAt = options.nextAt ?? (clockId === "live" ? this.realNow : CLOCK_START);
    const [event, delivery] = [`evt_${this.#made}`, `dlv_${this.#made}`];
    await this.write(
      `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
       VALUES ($1, $2, $3, 'refund.authorized', 'PAYMENT', $4, $5)`,
      [event, merchantOf(clockId), clockId, options.payload ?? `{"n":${this.#made}}`, nextAt],
    );
    await this.write(
      `INSERT INTO deliveries
         (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
       VALUES ($1, $2, $3, $4, $5, 'waiting', $6, $6)`,
      [delivery, event, key, merchantOf(clockId), clockId, nextAt],
    );
    return delivery;
  }

  /** Some turns of the event loop and a transaction: time enough for what would be wrong to happen. */
  async passTurns(): Promise<void> {
    for (let count = 0; count < 20; count += 1) await this.write("SELECT 1", []);
  }

  write(sql: string, params: readonly (string | number | null)[]): Promise<unknown> {
    return this.driver.transaction((tx) => tx.query(sql, params));
  }

  deliveries(): Promise<DeliveryRow[]> {
    return this.driver.query<DeliveryRow>(
      "SELECT id, state, attempts, next_at, leased_until FROM deliveries ORDER BY created_at, id",
    );
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

/** Looks for what is due and claims it, as a deliverer with nothing under way would. */
export async function claimDue(
  clockId: string,
  ports: DelivererPorts,
  room: Partial<Room> = {},
): Promise<Claim[]> {
  const now = await instantOf(ports.driver, ports.clock, clockId);
  const list = new DueList();
  list.replace(await dueSubscriptions(ports.driver, clockId, { now, realNow: ports.clock.now() }));
  const shares = list.share({ total: 100, fits: () => 8, fitsOnHost: () => 64, ...room });
  return claim(clockId, shares, ports, policy);
}

const merchantOf = (clockId: string): string => (clockId === "live" ? "mer_live" : "mer_1");

/** An empty queue in a database file that lasts as long as the test. */
export async function openQueue(): Promise<Queue> {
  const file = temporaryDatabase();
  const driver = sqliteDriver(file);
  onTestFinished(() => driver.close());
  return queueOf(driver, file);
}

/** A queue in an empty database. */
export async function queueOf(driver: Driver, file = ""): Promise<Queue> {
  await migrate(driver, { now: REAL_START });
  const queue = new Queue(file, driver);
  await queue.write("INSERT INTO clocks (id, instant) VALUES ('clk_1', $1)", [CLOCK_START]);
  for (const clockId of ["clk_1", "live"]) {
    await queue.write(
      "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ($1, 'M', $2, 0)",
      [merchantOf(clockId), clockId],
    );
  }
  return queue;
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

/** An answer with a status. */
export function answered(status: number, retryAfter?: string): Answer {
  return { kind: "answered", status, retryAfter, excerpt: "" };
}
