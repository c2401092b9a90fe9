import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import type { FailureLog } from "../http/log.ts";
import { StoreUnavailableError, type Driver, type Vitals } from "./driver.ts";
import type { StoreFault } from "./fault.ts";

/** Least free space of the disk of a SQLite file, in bytes: below it the service is not ready. */
const MIN_FREE_BYTES = 64 * 2 ** 20;
/** Size of a SQLite file's WAL that is reported: a reader that does not end keeps it growing. */
const LARGE_WAL_BYTES = 64 * 2 ** 20;
/** Least time between two probes, and the longest that one may take, in milliseconds. */
const PROBE_EVERY_MS = 1000;
const PROBE_TIMEOUT_MS = 5000;
/** Time between two looks at the file without anybody asking, in milliseconds. */
const LOOK_EVERY_MS = 5000;
/** Changes nothing: the engine's beats own the row. */
const WRITE = "UPDATE clocks SET instant = instant WHERE id = 'live'";

/** A check of the readiness that fails. */
export type ReadinessCheck = "write" | "space";

export interface StoreWatchOptions {
  readonly failures: FailureLog;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Hears of every call that the database failed. */
  readonly failed: (fault: StoreFault) => void;
}

/** Watches a database: counts and logs its failures by their cause, and reports if calls can use it. */
export class StoreWatch {
  /** The database, whose failures are noticed. */
  readonly driver: Driver;
  readonly #driver: Driver;
  readonly #options: StoreWatchOptions;
  #checked: Promise<readonly ReadinessCheck[]> | undefined;
  #checkedAt = -Infinity;
  #isChecking = false;
  /** True from a failed call until a probe succeeds. */
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(driver: Driver, options: StoreWatchOptions) {
    this.#driver = driver;
    this.#options = options;
    this.driver = {
      query: (sql, params) => this.#watched(driver.query(sql, params)),
      transaction: (run, how) => this.#watched(driver.transaction(run, how)),
      exclusive: (run) => this.#watched(driver.exclusive(run)),
      isAlone: driver.isAlone,
      vitals: () => this.vitals(),
      close: () => driver.close(),
    };
  }

  /** Looks at the file now and then, so that its growth is bounded and reported. */
  start(): void {
    this.#timer ??= setInterval(() => this.vitals(), LOOK_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  /** Facts about the file or the pool; reports a WAL that is too large. */
  vitals(): Vitals {
    try {
      const vitals = this.#driver.vitals?.() ?? {};
      if ((vitals.walBytes ?? 0) > LARGE_WAL_BYTES) {
        const cause = `the WAL has ${vitals.walBytes} bytes: a reader keeps it from being emptied`;
        this.#options.failures.report("wal", { cause }, "the database's log grows");
      }
      return vitals;
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      this.#options.failures.report("vitals", { cause }, "the database's file cannot be looked at");
      return {};
    }
  }

  /** Returns the failing checks, empty if the database can be used. Asks it at most once a second. */
  check(): Promise<readonly ReadinessCheck[]> {
    const now = this.#options.elapsed();
    const isOld = now - this.#checkedAt >= PROBE_EVERY_MS && !this.#isChecking;
    if (this.#checked !== undefined && !isOld) return this.#checked;
    this.#checkedAt = now;
    this.#isChecking = true;
    this.#checked = this.#check().finally(() => {
      this.#isChecking = false;
    });
    return this.#checked;
  }

  async #check(): Promise<readonly ReadinessCheck[]> {
    const failing: ReadinessCheck[] = [];
    if (!(await this.#isUsable())) failing.push("write");
    const { freeBytes = Infinity } = this.vitals();
    if (freeBytes < MIN_FREE_BYTES) {
      const cause = `the disk has ${freeBytes} free bytes, fewer than ${MIN_FREE_BYTES}`;
      this.#options.failures.report("space", { cause }, "the service is not ready");
      failing.push("space");
    }
    return failing;
  }

  async #isUsable(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      const cause = `no answer within ${PROBE_TIMEOUT_MS} ms`;
      this.#options.failures.report("probe", { cause }, "the service is not ready");
      late.resolve(false);
    }, PROBE_TIMEOUT_MS);
    try {
      return await Promise.race([this.#probe(), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads a row; writes it after a call has failed. Not durable: it is about the database's answer, not about the flush. */
  async #probe(): Promise<boolean> {
    const writes = this.#hasFailed;
    this.#hasFailed = false;
    try {
      if (writes) await this.driver.transaction((tx) => tx.query(WRITE), { isDurable: false });
      else await this.driver.query("SELECT instant FROM clocks WHERE id = 'live'");
    } catch (error) {
      this.#hasFailed = true;
      if (!(error instanceof StoreUnavailableError)) {
        const cause = error instanceof Error ? error.message : String(error);
        this.#options.failures.report("probe", { cause }, "the service is not ready");
      }
    }
    // Another call may have failed meanwhile.
    return !this.#hasFailed;
  }

  async #watched<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof StoreUnavailableError) this.#noticed(error);
      throw error;
    }
  }

  #noticed(error: StoreUnavailableError): void {
    const { failures, failed } = this.#options;
    const { fault, cause, name: errorName } = error;
    this.#hasFailed = true;
    failed(fault);
    // The words of the database itself, such as "database or disk is full".
    const words = cause instanceof Error && cause.message !== "" ? cause.message : error.message;
    failures.report(`store ${fault}`, { errorName, cause: words }, "the database cannot be used");
  }
}
