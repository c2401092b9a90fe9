import type { ResourceState } from "@countersign/rules";
import type { EventState } from "./event-state.ts";
import type { EventKey, Inbox, ResourceKey } from "./inbox.ts";
import {
  type EventRow,
  type EventRows,
  type Guard,
  heldByBytes,
  rowsInbox,
  textOfKey,
  textOfName,
  type Written,
} from "./rows-inbox.ts";

export interface MemoryInboxOptions {
  /** Handled events that are remembered, the oldest forgotten first. Default 100,000, about 20 MB. */
  readonly capacity?: number;
  /** Time for which a handled event is remembered, in milliseconds. Default 30 days. */
  readonly retentionMs?: number;
}

const DAY_MS = 86_400_000;

/**
 * An inbox in this process's memory: for development and tests. It forgets on restart and does not
 * see other processes, so a duplicate that arrives after either runs its handler again. It keeps no
 * events for workers.
 *
 * @throws {TypeError} `capacity` or `retentionMs` is not a positive integer.
 */
export function memoryInbox(options: MemoryInboxOptions = {}): Inbox {
  const { capacity = 100_000, retentionMs = 30 * DAY_MS } = options;
  if (!Number.isSafeInteger(capacity) || capacity < 1)
    throw new TypeError('memoryInbox: "capacity" must be a positive integer');
  if (!Number.isSafeInteger(retentionMs) || retentionMs < 1)
    throw new TypeError('memoryInbox: "retentionMs" must be a positive integer of milliseconds');
  return { ...rowsInbox(new MemoryRows(capacity, retentionMs)), retentionMs };
}

/** A row, changed in place: a copy for each state would be most of an event's cost. */
type Kept = { -readonly [Member in keyof EventRow]: EventRow[Member] } & {
  changedAt: number;
  /** Its place among the events that ended, unless it is claimed. */
  place: number | undefined;
};

/** A table of events in memory. Each call runs in one turn of the event loop, so it is atomic. */
export class MemoryRows implements EventRows {
  readonly #capacity: number;
  readonly #retentionMs: number;
  readonly #rows = new Map<string, Kept>();
  readonly #claimOf = new Map<string, Kept>();
  readonly #lastOf = new Map<string, Kept>();
  /** Events with one digest, in the order of their first recording. */
  readonly #withBytes = new Map<string, Kept[]>();
  /**
   * Handled and released events, the oldest first; a row that left has left its place empty. The map itself is in
   * order too, but finding its first row takes long once it has forgotten many.
   */
  #ended: (Kept | undefined)[] = [];
  #endedCount = 0;
  /** All places before are empty. */
  #front = 0;
  /** No ended event is forgotten before. */
  #forgetAt = Infinity;

  constructor(capacity: number, retentionMs: number) {
    this.#capacity = capacity;
    this.#retentionMs = retentionMs;
  }

  insert(row: EventRow, guard: Guard): Promise<Written> {
    const now = row.seenAt;
    this.#forgetOld(now);
    const name = textOfKey(row.key);
    if (this.#rows.has(name)) return Promise.resolve("changed");
    const { key, digest, type, resource, state, comparesBytes } = row;
    const record = { key, digest, type, resource, state, seenAt: now, comparesBytes };
    const kept: Kept = { ...record, changedAt: now, place: undefined };
    const written = this.#write(kept, state, now, guard);
    if (written !== "done") return Promise.resolve(written);
    this.#rows.set(name, kept);
    if (comparesBytes) {
      const bytes = textOfName(key, digest);
      const others = this.#withBytes.get(bytes);
      if (others === undefined) this.#withBytes.set(bytes, [kept]);
      else others.push(kept);
    }
    return Promise.resolve("done");
  }

  read(key: EventKey): Promise<EventRow | undefined> {
    const row = this.#rows.get(textOfKey(key));
    return Promise.resolve(row && { ...row });
  }

  update({ key, from, to, now, ...guard }: Parameters<EventRows["update"]>[0]): Promise<Written> {
    const row = this.#rows.get(textOfKey(key));
    if (row?.state.at !== from.at || row.state.token !== from.token)
      return Promise.resolve("changed");
    const written = this.#write(row, to, now, guard);
    this.#forgetOld(now);
    return Promise.resolve(written);
  }

  withBytes(digest: string, key: EventKey, now: number): Promise<EventRow | undefined> {
    return Promise.resolve(this.#otherWith(digest, key, now));
  }

  #otherWith(digest: string, key: EventKey, now: number): EventRow | undefined {
    const rows = this.#withBytes.get(textOfName(key, digest)) ?? [];
    const others = rows.filter((row) => row.key.id !== key.id);
    return others.find((row) => heldByBytes(row, now) !== undefined) ?? others[0];
  }

  lastHandled(resource: ResourceKey): Promise<ResourceState | undefined> {
    const row = this.#lastOf.get(textOfName(resource, resource.name));
    if (row?.resource === undefined) return Promise.resolve(undefined);
    const { rank, timestamp } = row.resource;
    return Promise.resolve({ type: row.type, rank, timestamp });
  }

  purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    const old = [...this.#rows.values()]
      .filter(({ place, changedAt }) => place !== undefined && changedAt < before)
      .slice(0, limit);
    for (const row of old) this.#forget(row);
    return Promise.resolve(old.length);
  }

  #write(row: Kept, state: EventState, now: number, { refused }: Guard): Written {
    const held = refused === undefined ? undefined : this.#otherWith(refused, row.key, now);
    const answer = heldByBytes(held, now);
    if (answer !== undefined) return answer;
    const slot = row.resource && textOfName(row.key, row.resource.name);
    if (slot !== undefined) {
      const claim = this.#claimOf.get(slot);
      const other = claim === row ? undefined : claim?.state;
      if (state.at === "claimed") {
        if (other?.at === "claimed" && now < other.leaseEndsAt)
          return { heldUntil: other.leaseEndsAt };
        this.#claimOf.set(slot, row);
      } else if (claim === row) this.#claimOf.delete(slot);
      if (state.at === "handled") this.#lastOf.set(slot, row);
    }
    this.#leave(row);
    row.state = state;
    row.changedAt = now;
    if (state.at !== "claimed") {
      row.place = this.#ended.push(row) - 1;
      this.#endedCount += 1;
      this.#forgetAt = Math.min(this.#forgetAt, now + this.#retentionMs);
      if (this.#ended.length > 2 * this.#endedCount + 1000) this.#closeRanks();
    }
    return "done";
  }

  #closeRanks(): void {
    const rows = this.#ended.filter((row) => row !== undefined);
    for (const [place, row] of rows.entries()) row.place = place;
    this.#ended = rows;
    this.#front = 0;
  }

  /** Takes the row from the ended ones. */
  #leave(row: Kept): void {
    if (row.place === undefined) return;
    this.#ended[row.place] = undefined;
    this.#endedCount -= 1;
    row.place = undefined;
  }

  #forgetOld(now: number): void {
    if (this.#endedCount <= this.#capacity && now < this.#forgetAt) return;
    this.#forgetAt = Infinity;
    for (; this.#front < this.#ended.length; this.#front += 1) {
      const row = this.#ended[this.#front];
      if (row === undefined) continue;
      this.#forgetAt = row.changedAt + this.#retentionMs;
      if (this.#endedCount <= this.#capacity && now < this.#forgetAt) break;
      this.#forgetAt = Infinity;
      this.#forget(row);
    }
  }

  #forget(row: Kept): void {
    this.#leave(row);
    this.#rows.delete(textOfKey(row.key));
    if (row.comparesBytes) {
      const bytes = textOfName(row.key, row.digest);
      const others = this.#withBytes.get(bytes)?.filter((other) => other !== row) ?? [];
      if (others.length === 0) this.#withBytes.delete(bytes);
      else this.#withBytes.set(bytes, others);
    }
    if (row.resource === undefined) return;
    const slot = textOfName(row.key, row.resource.name);
    if (this.#lastOf.get(slot) === row) this.#lastOf.delete(slot);
  }
}
