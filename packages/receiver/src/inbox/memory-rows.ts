import type { ResourceState } from "@countersign/rules";
import { dueAtOf, type EventRow, type EventRows, nameOf } from "./event-rows.ts";
import type { EventState } from "./event-state.ts";
import type { EventKey } from "./inbox.ts";

export interface MemoryRowsOptions {
  /** Settled events that are remembered, the oldest forgotten first. */
  readonly capacity: number;
  /** How long a settled event is remembered, in milliseconds. */
  readonly retentionMs: number;
}

/** A row, changed in place: a copy for each state would be the most of what an event costs here. */
type Kept = { -readonly [Member in keyof EventRow]: EventRow[Member] } & { changedAt: number };

/** A table of events in memory, which answers at once. */
export function memoryRows({ capacity, retentionMs }: MemoryRowsOptions): EventRows {
  // What is claimed is bounded by the receiver's concurrent handlers, what waits with a body by its queue.
  const open = new Map<string, Kept>();
  // In the order of their settlement: forgetting takes from the front.
  const settled = new Map<string, Kept>();
  const claimedBy = new Map<string, string>();
  const last = new Map<string, { readonly by: string; readonly state: ResourceState }>();
  // Nothing settled is forgotten before.
  let forgetAt = Infinity;

  const find = (name: string): Kept | undefined => open.get(name) ?? settled.get(name);
  const forget = (name: string, row: Kept): void => {
    settled.delete(name);
    const resource = resourceName(row);
    if (resource !== undefined && last.get(resource)?.by === name) last.delete(resource);
  };
  const forgetOld = (now: number): void => {
    if (settled.size <= capacity && now < forgetAt) return;
    forgetAt = Infinity;
    for (const [name, row] of settled) {
      forgetAt = row.changedAt + retentionMs;
      if (settled.size <= capacity && now < forgetAt) return;
      forget(name, row);
    }
  };
  /** Whether another event of the resource is claimed; else the resource is this event's, or free. */
  const isHeld = (name: string, row: EventRow, state: EventState): boolean => {
    const resource = resourceName(row);
    if (resource === undefined) return false;
    const by = claimedBy.get(resource);
    if (state.at === "claimed" && by !== undefined && by !== name) return true;
    if (state.at === "claimed") claimedBy.set(resource, name);
    else if (by === name) claimedBy.delete(resource);
    if (state.at === "handled") last.set(resource, { by: name, state: told(row) });
    return false;
  };
  const put = (name: string, row: Kept, now: number): void => {
    row.changedAt = now;
    if (!isSettled(row)) {
      open.set(name, row);
      return;
    }
    settled.set(name, row);
    if (settled.size === 1) forgetAt = now + retentionMs;
    forgetOld(now);
  };

  return {
    insert: ({ key, digest, type, resource, body, state }, now) => {
      forgetOld(now);
      const name = keyName(key);
      if (find(name) !== undefined) return "changed";
      const row: Kept = { key, digest, type, resource, body, state, changedAt: now };
      if (isHeld(name, row, state)) return "held";
      put(name, row, now);
      return "done";
    },
    read: (key) => copyOf(find(keyName(key))),
    update: (key, guard, state, now, body) => {
      const name = keyName(key);
      const row = find(name);
      if (row?.state.at !== guard.at || row.state.token !== guard.token) return "changed";
      if (isHeld(name, row, state)) return "held";
      (isSettled(row) ? settled : open).delete(name);
      row.state = state;
      row.body = isDone(state) ? undefined : (row.body ?? body);
      put(name, row, now);
      return "done";
    },
    holder: ({ tenant, name }) => {
      const by = claimedBy.get(nameOf(tenant, name));
      return by === undefined ? undefined : open.get(by)?.key;
    },
    lastHandled: ({ tenant, name }) => last.get(nameOf(tenant, name))?.state,
    due: ({ now, limit }) => {
      const due: EventRow[] = [];
      const busy = new Set<string>();
      const rows = [...open.values()]
        .filter(({ body, state }) => body !== undefined && isOpen(state) && dueAtOf(state) <= now)
        .toSorted((a, b) => dueAtOf(a.state) - dueAtOf(b.state));
      for (const row of rows) {
        const resource = resourceName(row);
        const by = resource === undefined ? undefined : claimedBy.get(resource);
        const holder = by === undefined ? undefined : open.get(by);
        if (holder !== undefined && holder !== row && dueAtOf(holder.state) > now) continue;
        if (resource !== undefined && busy.has(resource)) continue;
        if (resource !== undefined) busy.add(resource);
        due.push({ ...row });
        if (due.length === limit) break;
      }
      return due;
    },
    dead: ({ limit }) => {
      const dead = [...open.values()].toReversed().flatMap(({ key, type, state, changedAt }) => {
        if (state.at !== "dead") return [];
        const { attempts, reason } = state;
        return [{ key, type, attempts, reason, diedAt: changedAt }];
      });
      return dead.slice(0, limit);
    },
    purge: ({ before, limit }) => {
      const old = [...settled].filter(([, { changedAt }]) => changedAt < before).slice(0, limit);
      for (const [name, row] of old) forget(name, row);
      return old.length;
    },
  };
}

/** An id holds no colon, so that no tenant's name is an id. */
const keyName = ({ tenant, id }: EventKey): string => (tenant === "" ? id : nameOf(tenant, id));

/** What was read stays as it was. */
const copyOf = (row: Kept | undefined): EventRow | undefined => row && { ...row };

const resourceName = ({ key, resource }: EventRow): string | undefined =>
  resource && nameOf(key.tenant, resource.name);

const told = ({ type, resource }: EventRow): ResourceState => ({
  type,
  timestamp: resource?.timestamp ?? Number.NaN,
  rank: resource?.rank,
});

const isDone = ({ at }: EventState): boolean => at === "handled" || at === "superseded";
const isOpen = ({ at }: EventState): boolean =>
  at === "received" || at === "waiting" || at === "claimed";

/** Settled rows may be forgotten: what is done, and what only its sender's next attempt brings back. */
const isSettled = ({ state, body }: EventRow): boolean =>
  isDone(state) || (state.at === "waiting" && body === undefined);
