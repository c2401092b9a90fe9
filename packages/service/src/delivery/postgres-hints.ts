import { clearTimeout, setTimeout } from "node:timers";
import pg from "pg";
import { systemClock, type DueClock } from "../clock.ts";
import { newId, type Random } from "../random.ts";
import type { Worker } from "../start-service.ts";
import type { Driver } from "../store/driver.ts";
import type { Work } from "./types.ts";

export interface PostgresHintsOptions {
  /** As `postgresDriver` takes it. */
  readonly url: string;
  /** Longest wait for an answer of the server, in milliseconds. Default 10 000. */
  readonly answerMs?: number;
  /** Is called when another process has written deliveries. */
  readonly onWork: (work: Work) => void;
  readonly random: Random;
  /** The due clock of this process. A notice brings it up to that of its sender, whose deliveries are due by it. */
  readonly dueClock: Pick<DueClock, "now" | "raise">;
}

/** Tells the processes of one database about new deliveries. */
export interface Hints extends Worker {
  /** Returns at once. The hints of some milliseconds are sent together. */
  tell(work: Work): void;
}

const CHANNEL = "countersign_deliveries";
const TOGETHER_MS = 10;
const AGAIN_MS = 1000;
/** PostgreSQL takes 8000 bytes; each subscription takes 50. */
const MAX_KEYS = 100;

interface Notice {
  /** The process that sent it, whose own notices come back to it. */
  readonly from: string;
  /** Its due clock, in milliseconds. */
  readonly now: number;
  readonly work: Work;
}

/** A notice of no delivering process. */
const ANYTHING: Notice = { from: "", now: 0, work: "anything" };

/**
 * LISTEN and NOTIFY over a separate connection, never inside a business transaction: its COMMIT would wait for all
 * others that notify. Once a lost connection is back, this process and all others look for anything that is due.
 */
export function postgresHints(options: PostgresHintsOptions): Hints {
  return new PostgresHints(options);
}

/** Has all processes of a database look for what is due; for a process that ends then. SQLite has no notices. */
export async function hintAtAnything(driver: Driver): Promise<void> {
  const sql = { sqlite: "SELECT $1, $2", postgres: "SELECT pg_notify($1, $2)" };
  await driver.query(sql, [CHANNEL, JSON.stringify(ANYTHING)]);
}

/** Reads a notice. An unreadable one, such as another version's, says that anything may be due. */
function readNotice(payload: string): Notice {
  try {
    // The cast: what is used of it is checked below.
    const notice = JSON.parse(payload) as Notice;
    const { now, work } = notice;
    const isReadable =
      work === "anything" || work.every(({ key, at }) => key && Number.isFinite(at));
    return Number.isFinite(now) && isReadable ? notice : ANYTHING;
  } catch {
    return ANYTHING;
  }
}

class PostgresHints implements Hints {
  readonly #options: PostgresHintsOptions;
  readonly #name: string;
  #client: pg.Client | undefined;
  /** The next notice: due times by subscription. */
  readonly #waiting = new Map<string, number>();
  #telling: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: PostgresHintsOptions) {
    this.#options = options;
    this.#name = newId(options.random, "req");
  }

  start(): void {
    void this.#connect();
  }

  tell(work: Work): void {
    if (this.#client === undefined || work.length === 0) return;
    if (work === "anything") this.#send(work);
    else
      for (const { key, at } of work)
        this.#waiting.set(key, Math.min(at, this.#waiting.get(key) ?? Infinity));
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      const all = [...this.#waiting].map(([key, at]) => ({ key, at }));
      this.#waiting.clear();
      if (all.length > 0) this.#send(all.length > MAX_KEYS ? "anything" : all);
    }, TOGETHER_MS);
  }

  #send(work: Work): void {
    const notice: Notice = { from: this.#name, now: this.#options.dueClock.now(), work };
    // A failure ends the connection, which `end` reports.
    this.#client
      ?.query("SELECT pg_notify($1, $2)", [CHANNEL, JSON.stringify(notice)])
      .catch(() => {});
  }

  async stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#telling);
    clearTimeout(this.#again);
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    const over = new AbortController();
    const ended = client.end().catch(() => {});
    // A connection that hangs never ends.
    await Promise.race([ended, systemClock.sleep(graceMs, over.signal)]);
    over.abort();
  }

  async #connect(): Promise<void> {
    const { url, answerMs = 10_000 } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      // `pg` then closes a connection that does not answer. Later notices would wait behind the one without an answer.
      pipeline: true,
      keepAlive: true,
      application_name: "countersign hints",
    });
    client.on("error", () => {});
    client.on("end", () => {
      if (this.#client === client) this.#client = undefined;
      this.#later();
    });
    client.on("notification", ({ payload = "" }) => {
      const { from, now, work } = readNotice(payload);
      if (from === this.#name) return;
      this.#options.dueClock.raise(now);
      this.#options.onWork(work);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.#stopped) return await client.end();
      this.#client = client;
      // Notices of both directions were lost while there was no connection.
      this.#options.onWork("anything");
      this.#send("anything");
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
