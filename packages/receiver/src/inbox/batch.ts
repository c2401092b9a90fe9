import { isError } from "../pipeline/outcome.ts";
import type { TimeLimit } from "./store-faults.ts";

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

export interface BatchOptions<Item, Result> {
  /** Items of one name never share a batch. */
  readonly nameOf: (item: Item) => string;
  /** Runs a batch in one statement; the results in the items' order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** True if a failed batch did nothing, so that each of its items may run by itself. */
  readonly didNothing: (error: unknown) => boolean;
  /** Of \`run\`; a call that has waited as long for its batch is rejected. */
  readonly limit: TimeLimit;
}

/** Batches under way at once: the one that is committed, and the one that the server reads meanwhile. */
const MAX_RUNNING = 2;
const MAX_ITEMS = 256;

/** Joins calls that wait anyway into one statement, and so into one flush to the server's disk. */
export class Batch<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #scheduled = false;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, since: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#running === MAX_RUNNING || this.#waiting.length === 0) return;
    this.#scheduled = true;
    // After the sockets of this turn were read: their calls join.
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

  #next(): Waiting<Item, Result>[] {
    const { nameOf, limit } = this.#options;
    const oldest = performance.now() - limit.ms;
    const names = new Set<string>();
    const left: Waiting<Item, Result>[] = [];
    const next = this.#waiting.filter((waiting) => {
      if (waiting.since < oldest) {
        waiting.reject(limit.error());
        return false;
      }
      const name = nameOf(waiting.item);
      const joins = names.size < MAX_ITEMS && !names.has(name);
      if (joins) names.add(name);
      else left.push(waiting);
      return joins;
    });
    this.#waiting = left;
    return next;
  }

  /** Settles each call; never rejects. */
  async #run(calls: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(calls.map(({ item }) => item));
      for (const [index, call] of calls.entries()) {
        const result = results[index];
        if (result === undefined) call.reject(new Error("a call has no result"));
        else call.resolve(result);
      }
    } catch (error) {
      const alone = calls.length > 1 && this.#options.didNothing(error);
      if (alone) for (const call of calls) await this.#run([call]);
      else for (const call of calls) call.reject(asError(error));
    }
  }
}

const asError = (error: unknown): Error =>
  isError(error) ? error : new Error("the statement failed", { cause: error });
