import { isError } from "../pipeline/outcome.ts";
import type { EventKey } from "./inbox.ts";
import { isRefusal } from "./postgres-database.ts";
import { textOfKey, type Written } from "./rows-inbox.ts";
import type { SqlValue } from "./sql-rows.ts";
import type { TimeLimit } from "./store-faults.ts";

/** A write of one row. */
export interface Write {
  readonly key: EventKey;
  readonly values: readonly SqlValue[];
  /** The resource of a stored event, whose sequence must grow with the commits of that resource. */
  readonly lock?: string | undefined;
}

interface Waiting {
  readonly write: Write;
  readonly name: string;
  readonly since: number;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: Error) => void;
}

/** Runs writes of different rows in one statement. @returns The names of those that were written. */
type Run = (writes: readonly Write[]) => Promise<ReadonlySet<string>>;

/** Batches under way at once: the one that is committed, and the one that the server reads meanwhile. */
const MAX_RUNNING = 2;
const MAX_ITEMS = 256;

/** Joins writes that wait anyway into one statement, and so into one flush to the server's disk. */
export class Batch {
  readonly #write: Run;
  readonly #limit: TimeLimit;
  #waiting: Waiting[] = [];
  #running = 0;
  #scheduled = false;

  /** @param limit Of `run`; a write that has waited as long for its batch is rejected. */
  constructor(run: Run, limit: TimeLimit) {
    this.#write = run;
    this.#limit = limit;
  }

  add(write: Write): Promise<Written> {
    return new Promise((resolve, reject) => {
      const name = textOfKey(write.key);
      this.#waiting.push({ write, name, since: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#running === MAX_RUNNING || this.#waiting.length === 0) return;
    this.#scheduled = true;
    // After the sockets of this turn were read: their writes join.
    setImmediate(() => {
      this.#scheduled = false;
      this.#running += 1;
      void this.#run(this.#next()).finally(() => {
        this.#running -= 1;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  #next(): Waiting[] {
    const oldest = performance.now() - this.#limit.ms;
    const names = new Set<string>();
    const left: Waiting[] = [];
    const next = this.#waiting.filter((waiting) => {
      if (waiting.since < oldest) {
        waiting.reject(this.#limit.error());
        return false;
      }
      const joins = names.size < MAX_ITEMS && !names.has(waiting.name);
      if (joins) names.add(waiting.name);
      else left.push(waiting);
      return joins;
    });
    this.#waiting = left;
    return next;
  }

  /** Settles each write; never rejects. */
  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const written = await this.#write(batch.map(({ write }) => write));
      for (const { name, resolve } of batch) resolve(written.has(name) ? "done" : "changed");
    } catch (error) {
      // The server did nothing, so each may run by itself.
      if (batch.length > 1 && isRefusal(error)) for (const one of batch) await this.#run([one]);
      else for (const { reject } of batch) reject(asError(error));
    }
  }
}

const asError = (error: unknown): Error =>
  isError(error) ? error : new Error("the statement failed", { cause: error });
