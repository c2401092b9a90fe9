import { clearTimeout, setTimeout } from "node:timers";
import pg from "pg";
import { newId } from "../ids.ts";
import type { Random } from "../random.ts";
import type { Worker } from "../start-service.ts";

export interface PostgresHintsOptions {
  /** As `postgresDriver` takes it. */
  readonly url: string;
  /** Another process has written something that may be due. */
  readonly onHint: () => void;
  readonly random: Random;
}

/** Tells the processes of one database that there is something to do. */
export interface Hints extends Worker {
  /** Something may be due. Returns at once; those of some milliseconds are told together. */
  tell(): void;
}

const CHANNEL = "countersign_deliveries";
const TOGETHER_MS = 10;
const AGAIN_MS = 1000;

/**
 * LISTEN and NOTIFY over a connection of its own, never inside a business transaction, whose COMMIT a
 * NOTIFY would make wait for every other one's. A hint and no more: one that is lost, also with the
 * connection, costs the others a poll's interval.
 */
export function postgresHints(options: PostgresHintsOptions): Hints {
  return new PostgresHints(options);
}

class PostgresHints implements Hints {
  readonly #options: PostgresHintsOptions;
  /** Of this process, whose own hints come back to it. */
  readonly #name: string;
  #client: pg.Client | undefined;
  #telling: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: PostgresHintsOptions) {
    this.#options = options;
    this.#name = newId(options.random, "evt");
  }

  start(): void {
    void this.#connect();
  }

  tell(): void {
    if (this.#client === undefined || this.#telling !== undefined) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      // Its failure ends the connection, which is told by its `end`.
      this.#client?.query("SELECT pg_notify($1, $2)", [CHANNEL, this.#name]).catch(() => {});
    }, TOGETHER_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#telling);
    clearTimeout(this.#again);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      keepAlive: true,
      application_name: "countersign hints",
    });
    client.on("error", () => {});
    client.on("end", () => {
      if (this.#client === client) this.#client = undefined;
      this.#later();
    });
    client.on("notification", ({ payload }) => {
      if (payload !== this.#name) this.#options.onHint();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.#stopped) await client.end();
      else this.#client = client;
    } catch {
      await client.end().catch(() => {});
      this.#later();
    }
  }

  #later(): void {
    if (this.#stopped) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.#connect(), AGAIN_MS);
  }
}
