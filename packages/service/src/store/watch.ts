import { clearTimeout, setTimeout } from "node:timers";
import { StoreUnavailableError, type Driver } from "./driver.ts";

/** Least time between two probes, and the longest that one may take, in milliseconds. */
const PROBE_EVERY_MS = 1000;
const PROBE_TIMEOUT_MS = 5000;
/** Changes nothing: the delivery engine owns the row. */
const WRITE = "UPDATE clocks SET instant = instant WHERE id = 'live'";

interface StoreWatchOptions {
  /** Logs what fails, one line for each kind and minute. */
  readonly failures: {
    report(kind: string, fields: Readonly<Record<string, string>>, message: string): void;
  };
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Hears of every call that the database failed. */
  readonly failed: () => void;
}

type Failing = "database" | "disk" | undefined;

/** Watches a database: counts and logs its failures, and reports if calls can use it. */
export class StoreWatch {
  /** The database, whose failures are noticed. */
  readonly driver: Driver;
  readonly #driver: Driver;
  readonly #options: StoreWatchOptions;
  #checked: Promise<Failing> | undefined;
  #checkedAt = -Infinity;
  #isChecking = false;
  /** True from a failed call until a probe succeeds. */
  #hasFailed = false;

  constructor(driver: Driver, options: StoreWatchOptions) {
    this.#driver = driver;
    this.#options = options;
    this.driver = {
      query: (sql, params) => this.#watched(driver.query(sql, params)),
      transaction: (run, how) => this.#watched(driver.transaction(run, how)),
      isAlone: driver.isAlone,
      close: () => driver.close(),
    };
  }

  /** Returns what fails: the database, or the disk of its file, which has little room. Asks at most once a second. */
  failing(): Promise<Failing> {
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

  async #check(): Promise<Failing> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      this.#notReady(`no answer within ${PROBE_TIMEOUT_MS} ms`);
      late.resolve(false);
    }, PROBE_TIMEOUT_MS);
    const answers = await Promise.race([this.#probe(), late.promise]);
    clearTimeout(timer);
    if (!answers) return "database";
    return this.#driver.hasRoom?.() === false ? "disk" : undefined;
  }

  /** Reads a row; writes it after a call has failed. Never rejects. @returns False also if another call failed meanwhile. */
  async #probe(): Promise<boolean> {
    const writes = this.#hasFailed;
    this.#hasFailed = false;
    try {
      if (writes) await this.driver.transaction((tx) => tx.query(WRITE), { isDurable: false });
      else await this.driver.query("SELECT instant FROM clocks WHERE id = 'live'");
    } catch (error) {
      this.#hasFailed = true;
      if (!(error instanceof StoreUnavailableError))
        this.#notReady(error instanceof Error ? error.message : String(error));
    }
    return !this.#hasFailed;
  }

  #notReady(cause: string): void {
    this.#options.failures.report("probe", { cause }, "the service is not ready");
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
    const { cause, name: errorName } = error;
    this.#hasFailed = true;
    failed();
    // The words of the database itself, such as "database or disk is full".
    const words = cause instanceof Error && cause.message !== "" ? cause.message : error.message;
    const fields = { errorName, cause: words };
    failures.report(`store ${codeOf(cause)}`, fields, "the database cannot be used");
  }
}

/** SQLite's result code, PostgreSQL's SQLSTATE or Node's code: few values, so that each new cause has its line. */
function codeOf(cause: unknown): string {
  const { errcode, code } = { errcode: undefined, code: undefined, ...Object(cause) } as Readonly<
    Record<"errcode" | "code", unknown>
  >;
  return String(errcode ?? code);
}
