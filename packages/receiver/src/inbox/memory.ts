import type { ResourceState } from "@countersign/rules";
import { MistakeError } from "../mistake.ts";
import type { EventState } from "./event-state.ts";
import type { EventKey, Inbox, ResourceKey } from "./inbox.ts";
import {
  type EventRow,
  type EventRows,
  type Guard,
  heldByBytes,
  rowsInbox,
  type Update,
  type Written,
} from "./rows-inbox.ts";

export interface MemoryInboxOptions {
  /** Handled events that are remembered, the oldest forgotten first. Default 100,000: about 40 MB, or 50 MB where bytes are compared. */
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
    throw new MistakeError('memoryInbox: "capacity" must be a positive integer');
  if (!Number.isSafeInteger(retentionMs) || retentionMs < 1)
    throw new MistakeError('memoryInbox: "retentionMs" must be a positive integer of milliseconds');
  return { ...rowsInbox(new MemoryRows(capacity, retentionMs)), retentionMs };
}

/** A row, changed in place: a copy for each state would be most of an event's cost. */
type Kept = { -readonly [Member in keyof EventRow]: EventRow[Member] } & {
  readonly space: Space;
  changedAt: number;
  /** Its place among the events that ended, unless it is claimed. */
  place: number | undefined;
};

/** Events of one provider and tenant. */
class Space {
  readonly rows = new Map<string, Kept>();
  /** By the name of the resource: the event that has claimed it, and the one that was handled last. */
  readonly claimOf = new Map<string, Kept>();
  readonly lastOf = new Map<string, Kept>();
  /** By their digest, in the order of their first recording. */
  readonly withBytes = new Map<string, Kept[]>();
}

/** The most events of one digest that are looked at: a replay may have any number. */
const MAX_SAME = 100;

/** A table of events in memory. Each call runs in one turn of the event loop, so it is atomic. */
class MemoryRows implements EventRows {
  readonly #capacity: number;
  readonly #retentionMs: number;
  readonly #spaces = new Map<string, Space>();
  /**
   * Handled and released events, the oldest first; a row that left has left its place empty. A map is in order too, but
   * finding its first row takes long once it has forgotten many.
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

  async insert(row: EventRow, guard: Guard): Promise<Written> {
    const { key, digest, type, resource, state, seenAt, comparesBytes } = row;
    this.#forgetOld(seenAt);
    const space = this.#space(key);
    if (space.rows.has(key.id)) return "changed";
    const kept: Kept = {
      key,
      digest,
      type,
      resource,
      state,
      seenAt,
      comparesBytes,
      space,
      changedAt: seenAt,
      place: undefined,
    };
    const written = this.#write(kept, state, seenAt, guard);
    if (written !== "done") return written;
    space.rows.set(key.id, kept);
    if (comparesBytes) {
      const same = space.withBytes.get(digest);
      if (same === undefined) space.withBytes.set(digest, [kept]);
      else if (same.length < MAX_SAME) same.push(kept);
    }
    return "done";
  }

  async read(key: EventKey): Promise<EventRow | undefined> {
    const row = this.#space(key).rows.get(key.id);
    return row && { ...row };
  }

  async update({ key, from, to, now, ...guard }: Update): Promise<Written> {
    const row = this.#space(key).rows.get(key.id);
    if (row?.state.at !== from.at || row.state.token !== from.token) return "changed";
    const written = this.#write(row, to, now, guard);
    this.#forgetOld(now);
    return written;
  }

  async withBytes(digest: string, key: EventKey, now: number): Promise<EventRow | undefined> {
    return this.#otherWith(digest, key, now);
  }

  async lastHandled({ name, ...of }: ResourceKey): Promise<ResourceState | undefined> {
    const row = this.#space(of).lastOf.get(name);
    if (row?.resource === undefined) return undefined;
    const { rank, timestamp } = row.resource;
    return { type: row.type, rank, timestamp };
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    const old = this.#ended.filter((row) => row !== undefined && row.changedAt < before);
    for (const row of old.slice(0, limit)) if (row !== undefined) this.#forget(row);
    return Math.min(old.length, limit);
  }

  #space(of: Pick<EventKey, "provider" | "tenant">): Space {
    const name = nameOf(of);
    const known = this.#spaces.get(name) ?? new Space();
    this.#spaces.set(name, known);
    return known;
  }

  #otherWith(digest: string, key: EventKey, now: number): EventRow | undefined {
    const rows = this.#space(key).withBytes.get(digest) ?? [];
    const others = rows.filter((row) => row.key.id !== key.id);
    return others.find((row) => heldByBytes(row, now) !== undefined) ?? others[0];
  }
  #write(row: Kept, state: EventState, now: number, { refused }: Guard): Written {
    const other = refused === undefined ? undefined : this.#otherWith(refused, row.key, now);
    const answer = heldByBytes(other, now);
    if (answer !== undefined) return answer;
    const { claimOf, lastOf } = row.space;
    if (row.resource !== undefined) {
      const { name } = row.resource;
      const claim = claimOf.get(name);
      if (state.at === "claimed") {
        const held = claim === row ? undefined : claim?.state;
        if (held?.at === "claimed" && now < held.leaseEndsAt)
          return { heldUntil: held.leaseEndsAt };
        claimOf.set(name, row);
      } else if (claim === row) claimOf.delete(name);
      if (state.at === "handled") lastOf.set(name, row);
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
      const forgetAt = row.changedAt + this.#retentionMs;
      if (this.#endedCount <= this.#capacity && now < forgetAt) {
        this.#forgetAt = forgetAt;
        return;
      }
      this.#forget(row);
    }
  }

  #forget(row: Kept): void {
    const { key, digest, resource, space } = row;
    this.#leave(row);
    space.rows.delete(key.id);
    const same = space.withBytes.get(digest)?.filter((other) => other !== row);
    if (same?.length === 0) space.withBytes.delete(digest);
    else if (same !== undefined) space.withBytes.set(digest, same);
    if (resource !== undefined && space.lastOf.get(resource.name) === row)
      space.lastOf.delete(resource.name);
    if (space.rows.size === 0) this.#spaces.delete(nameOf(key));
  }
}

/** A provider's name has no colon. */
const nameOf = ({ provider, tenant }: Pick<EventKey, "provider" | "tenant">): string =>
  `${provider}:${tenant}`;
