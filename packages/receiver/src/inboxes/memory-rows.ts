import type { ResourceState } from "@countersign/rules";
import { dueAtOf, type EventRow, type EventRows, nameOf, type Written } from "../event-rows.ts";
import type { EventState } from "../event-state.ts";
import type { EventKey } from "../inbox.ts";

export interface MemoryRowsOptions {
  /** Settled events that are remembered, the oldest forgotten first. */
  readonly capacity: number;
  /** How long a settled event is remembered, in milliseconds. */
  readonly retentionMs: number;
}

interface Kept {
  readonly row: EventRow;
  readonly changedAt: number;
}

/** A table of events in memory. */
export function memoryRows({ capacity, retentionMs }: MemoryRowsOptions): EventRows {
  // What is claimed is bounded by the receiver's concurrent handlers, what waits with a body by its queue.
  const open = new Map<string, Kept>();
  // In the order of their settlement: forgetting takes from the front.
  const settled = new Map<string, Kept>();
  const claimedBy = new Map<string, string>();
  const last = new Map<string, { readonly by: string; readonly state: ResourceState }>();

  const find = (name: string): Kept | undefined => open.get(name) ?? settled.get(name);
  const forget = (name: string, { row }: Kept): void => {
    settled.delete(name);
    const resource = resourceName(row);
    if (resource !== undefined && last.get(resource)?.by === name) last.delete(resource);
  };
  const forgetOld = (now: number): void => {
    for (const [name, kept] of settled) {
      if (settled.size <= capacity && now < kept.changedAt + retentionMs) return;
      forget(name, kept);
    }
  };
  const write = (name: string, row: EventRow, now: number): Written => {
    const { state } = row;
    const resource = resourceName(row);
    if (resource !== undefined) {
      const by = claimedBy.get(resource);
      if (state.at === "claimed" && by !== undefined && by !== name) return "held";
      if (state.at === "claimed") claimedBy.set(resource, name);
      else if (by === name) claimedBy.delete(resource);
      if (state.at === "handled") last.set(resource, { by: name, state: told(row) });
    }
    open.delete(name);
    settled.delete(name);
    (isSettled(row) ? settled : open).set(name, { row, changedAt: now });
    if (isSettled(row)) forgetOld(now);
    return "done";
  };

  return {
    insert: (row, now) => {
      forgetOld(now);
      const name = keyName(row.key);
      return Promise.resolve(find(name) === undefined ? write(name, row, now) : "changed");
    },
    read: (key) => Promise.resolve(find(keyName(key))?.row),
    update: (key, guard, state, now, body) => {
      const name = keyName(key);
      const known = find(name)?.row;
      if (known?.state.at !== guard.at || known.state.token !== guard.token)
        return Promise.resolve("changed");
      const kept = isDone(state) ? undefined : (known.body ?? body);
      return Promise.resolve(write(name, { ...known, state, body: kept }, now));
    },
    holder: ({ tenant, name }) => {
      const by = claimedBy.get(nameOf(tenant, name));
      return Promise.resolve(by === undefined ? undefined : open.get(by)?.row.key);
    },
    lastHandled: ({ tenant, name }) => Promise.resolve(last.get(nameOf(tenant, name))?.state),
    due: ({ now, limit }) => {
      const due: EventRow[] = [];
      const busy = new Set<string>();
      const rows = [...open.values()]
        .map(({ row }) => row)
        .filter(({ body, state }) => body !== undefined && isOpen(state) && dueAtOf(state) <= now)
        .toSorted((a, b) => dueAtOf(a.state) - dueAtOf(b.state));
      for (const row of rows) {
        const resource = resourceName(row);
        const by = resource === undefined ? undefined : claimedBy.get(resource);
        const holder = by === undefined ? undefined : open.get(by)?.row;
        if (holder !== undefined && holder !== row && dueAtOf(holder.state) > now) continue;
        if (resource !== undefined && busy.has(resource)) continue;
        if (resource !== undefined) busy.add(resource);
        due.push(row);
        if (due.length === limit) break;
      }
      return Promise.resolve(due);
    },
    dead: ({ limit }) => {
      const dead = [...open.values()].toReversed().flatMap(({ row, changedAt }) => {
        if (row.state.at !== "dead") return [];
        const { attempts, reason } = row.state;
        return [{ key: row.key, type: row.type, attempts, reason, diedAt: changedAt }];
      });
      return Promise.resolve(dead.slice(0, limit));
    },
    purge: ({ before, limit }) => {
      const old = [...settled].filter(([, { changedAt }]) => changedAt < before).slice(0, limit);
      for (const [name, kept] of old) forget(name, kept);
      return Promise.resolve(old.length);
    },
  };
}

const keyName = ({ tenant, id }: EventKey): string => nameOf(tenant, id);

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
