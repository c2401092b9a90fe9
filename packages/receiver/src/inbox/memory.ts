import { MistakeError } from "../mistake.ts";
import { type EventState, isHeld } from "./event-state.ts";
import type { EventKey, Inbox } from "./inbox.ts";
import {
  busyUntil,
  type EventRow,
  type EventRows,
  type Guard,
  heldByBytes,
  rowsInbox,
  type Update,
  type Written,
} from "./rows-inbox.ts";

export interface MemoryInboxOptions {
  /**
   * Handled events that are remembered: beyond it the oldest tenth is forgotten. Default 100,000: about 40 MB, or 50 MB
   * where bytes are compared.
   */
  readonly capacity?: number;
}

/**
 * An inbox in this process's memory: for development and tests. It forgets on restart and does not
 * see other processes, so a duplicate that arrives after either runs its handler again. It keeps no
 * events for workers.
 *
 * @throws {TypeError} `capacity` is not a positive integer.
 */
export function memoryInbox(options: MemoryInboxOptions = {}): Inbox {
  const { capacity = 100_000 } = options;
  if (!Number.isSafeInteger(capacity) || capacity < 1)
    throw new MistakeError('memoryInbox: "capacity" must be a positive integer');
  return rowsInbox(new MemoryRows(capacity));
}

/** The inserted row itself, changed in place: a copy for each state would be most of an event's cost. */
type Kept = { -readonly [Member in keyof EventRow]: EventRow[Member] };

/** The most events of one digest that are looked at: a replay may have any number. */
const MAX_SAME = 100;

/** A table of events in memory. Each call runs in one turn of the event loop, so it is atomic. */
class MemoryRows implements EventRows {
  readonly #capacity: number;
  /** By provider, tenant and id: no text is made for each event. */
  readonly #rows = new Map<string, Map<string, Map<string, Kept>>>();
  /** By the resource: the event that has claimed it, and the one that was handled last. */
  readonly #claimOf = new Map<string, Kept>();
  readonly #lastOf = new Map<string, Kept>();
  /** By their bytes, in the order of their first recording. */
  readonly #withBytes = new Map<string, Kept[]>();
  /** Handled and released events, the oldest first. */
  readonly #ended = new Set<Kept>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  insert(row: EventRow, guard: Guard): Written {
    const rows = this.#rowsOf(row);
    if (rows.has(row.id)) return "changed";
    const written = this.#write(row, row, row.stored_at, guard);
    if (written !== "done") return written;
    rows.set(row.id, row);
    if (row.bytes !== null) {
      const same = this.#withBytes.get(row.bytes);
      if (same === undefined) this.#withBytes.set(row.bytes, [row]);
      else if (same.length < MAX_SAME) same.push(row);
    }
    return "done";
  }

  read(key: EventKey): EventRow | undefined {
    const row = this.#rowsOf(key).get(key.id);
    return row && { ...row };
  }

  update({ key, from, to, now, guard }: Update): Written {
    const row = this.#rowsOf(key).get(key.id);
    if (row?.state !== from.state || row.token !== from.token) return "changed";
    return this.#write(row, to, now, guard);
  }

  withBytes(bytes: string, key: EventKey, now: number): EventRow | undefined {
    const others = this.#withBytes.get(bytes)?.filter(({ id }) => id !== key.id) ?? [];
    return others.find((row) => heldByBytes(row, now) !== undefined) ?? others[0];
  }

  lastHandled(resource: string): EventRow | undefined {
    return this.#lastOf.get(resource);
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    const old = [...this.#ended].filter(({ changed_at: at }) => at < before).slice(0, limit);
    for (const row of old) this.#forget(row);
    return old.length;
  }

  #rowsOf({ provider, tenant }: EventKey): Map<string, Kept> {
    const tenants = this.#rows.get(provider) ?? new Map<string, Map<string, Kept>>();
    const rows = tenants.get(tenant) ?? new Map<string, Kept>();
    if (tenants.size === 0) this.#rows.set(provider, tenants);
    if (rows.size === 0) tenants.set(tenant, rows);
    return rows;
  }

  #write(row: Kept, to: EventState, now: number, guard?: Guard): Written {
    const { resource } = row;
    const other = guard?.refused == null ? undefined : this.withBytes(guard.refused, row, now);
    const held = heldByBytes(other, now);
    if (held !== undefined) return held;
    if (resource !== null) {
      const claimed = this.#claimOf.get(resource);
      if (to.state === "claimed") {
        if (claimed !== undefined && claimed !== row && isHeld(claimed, now))
          return busyUntil(claimed.due_at);
        this.#claimOf.set(resource, row);
      } else if (claimed === row) this.#claimOf.delete(resource);
      if (to.state === "handled") this.#lastOf.set(resource, row);
    }
    row.state = to.state;
    row.token = to.token;
    row.attempts = to.attempts;
    row.due_at = to.due_at;
    row.changed_at = now;
    this.#ended.delete(row);
    if (to.state !== "claimed") this.#ended.add(row);
    if (this.#ended.size > this.#capacity) this.#forgetOldest();
    return "done";
  }

  /** A tenth at once: finding the first row of a set takes long once many before it have left. */
  #forgetOldest(): void {
    let left = Math.ceil(this.#capacity / 10);
    for (const row of this.#ended) {
      this.#forget(row);
      left -= 1;
      if (left === 0) return;
    }
  }

  #forget(row: Kept): void {
    const { bytes, resource } = row;
    this.#ended.delete(row);
    const rows = this.#rowsOf(row);
    rows.delete(row.id);
    if (rows.size === 0) this.#rows.get(row.provider)?.delete(row.tenant);
    if (resource !== null && this.#lastOf.get(resource) === row) this.#lastOf.delete(resource);
    const same = bytes === null ? undefined : this.#withBytes.get(bytes);
    if (bytes === null || same === undefined) return;
    const others = same.filter((other) => other !== row);
    if (others.length === 0) this.#withBytes.delete(bytes);
    else this.#withBytes.set(bytes, others);
  }
}
