import type { EventKey } from "./inbox.ts";
import { isRefusal } from "./postgres-database.ts";
import { textOfKey, type Written } from "./rows-inbox.ts";
import type { TimeLimit } from "./store-faults.ts";

interface Waiting {
  /** A row, or a change of one. */
  readonly write: EventKey;
  readonly name: string;
  readonly since: number;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes different rows in one statement. @returns The names of those that were written. */
type WriteAll = (writes: readonly EventKey[]) => Promise<ReadonlySet<string>>;

/** Batches under way at once: the one that is committed, and the one that the server reads meanwhile. */
const MAX_RUNNING = 2;
const MAX_ITEMS = 256;

/** Joins writes that wait anyway into one statement, and so into one flush to the server's disk. */
export class Batch {
  readonly #write: WriteAll;
  readonly #limit: TimeLimit;
  #waiting: Waiting[] = [];
  #running = 0;
  #scheduled = false;

  /** @param limit Of `write`; a write that has waited as long for its batch is rejected. */
  constructor(write: WriteAll, limit: TimeLimit) {
    this.#write = write;
    this.#limit = limit;
  }

  add(write: EventKey): Promise<Written> {
    return new Promise((resolve, reject) => {
      const since = performance.now();
      this.#waiting.push({ write, name: textOfKey(write), since, resolve, reject });
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

  #next(): readonly Waiting[] {
    const oldest = performance.now() - this.#limit.ms;
    const next = new Map<string, Waiting>();
    const left: Waiting[] = [];
    for (const waiting of this.#waiting)
      if (waiting.since < oldest) waiting.reject(this.#limit.error());
      else if (next.size < MAX_ITEMS && !next.has(waiting.name)) next.set(waiting.name, waiting);
      else left.push(waiting);
    this.#waiting = left;
    return [...next.values()];
  }

  /** Settles each write; never rejects. */
  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const written = await this.#write(batch.map(({ write }) => write));
      for (const { name, resolve } of batch) resolve(written.has(name) ? "done" : "changed");
    } catch (error) {
      // The server did nothing, so each may run by itself.
      if (batch.length > 1 && isRefusal(error)) for (const one of batch) await this.#run([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
