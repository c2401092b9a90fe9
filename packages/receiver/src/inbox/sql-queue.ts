import type { Bodies } from "./bodies.ts";
import type {
  DeadEvent,
  InboxQueue,
  QueueStatus,
  Stored,
  StoreRequest,
  TakenEvent,
  TakeRequest,
} from "./inbox.ts";
import { RECEIVED } from "./event-state.ts";
import { endOf, put } from "./rows-inbox.ts";
import {
  keyOf,
  keyValues,
  rowOf,
  type SqlRow,
  type SqlRows,
  type SqlValue,
  textIn,
} from "./sql-rows.ts";

/** The events of a table that are stored for workers. */
export function sqlQueue(table: SqlRows, bodies: Bodies): InboxQueue {
  const { sql } = table;
  const take = taker(table);
  return {
    store(request) {
      // In the order of the calls, if nothing is encrypted.
      const body = bodies.closed(request.body);
      if (typeof body === "string") return store(table, { ...request, body });
      return body.then((text) => store(table, { ...request, body: text }));
    },
    take: async (request) => bodies.opened(takenOf(await take(request))),
    async fail({ attempts, maxAttempts, retryAt, reason, ...settlement }) {
      const step = { type: "fail", token: settlement.token, maxAttempts, retryAt, reason } as const;
      const update = endOf(settlement, step, attempts);
      if ((await table.update(update)) !== "done") return undefined;
      return update.to.at === "dead" ? "dead" : "waiting";
    },
    dead: async ({ limit }) => (await table.rows(sql.dead, [limit])).map(deadOf),
    async erase({ key, now }) {
      if ((await table.rows(sql.erase, [...keyValues(key), now])).length === 1) return "erased";
      return (await table.read(key)) === undefined ? "unknown" : "busy";
    },
    ...(bodies.retentionMs > 0 && {
      dropBodies: async ({ now, limit }: { readonly now: number; readonly limit: number }) =>
        (await table.rows(sql.dropBodies, [now - bodies.retentionMs, limit])).length,
    }),
    retry: ({ key, now }) => table.revive(key, now),
    status: async ({ dueBefore }) => statusOf(await table.rows(sql.status, [dueBefore])),
  };
}

function store(rows: SqlRows, request: StoreRequest): Promise<Stored> {
  const { body, facts, now } = request;
  return put<Stored>(rows, request, {
    first: RECEIVED,
    kept: { body, facts },
    next({ state, body: stored }) {
      if (stored !== undefined) return { state: "stored" };
      // Left by an attempt of `after-handler`, which kept no body.
      return state.at === "claimed" && now < state.leaseEndsAt
        ? { state: "busy", until: state.leaseEndsAt }
        : { at: "waiting", token: state.token, attempts: state.attempts, dueAt: 0 };
    },
    granted: () => ({ state: "stored" }),
  });
}

/** Claims due events, of a resource only if no older one is open. Events whose last lease ended become dead. */
function taker(table: SqlRows): (request: TakeRequest) => Promise<readonly SqlRow[]> {
  const { sql } = table;
  let looks = 0;
  /** True once an event of a resource was taken. */
  let isOrdered = false;
  /** The resource behind which the next look for the oldest events begins. */
  let lookedTo = "";
  return async ({ provider, now, limit, leaseMs, maxAttempts }) => {
    const look = (text: string, fifth: SqlValue): Promise<readonly SqlRow[]> =>
      table.rows(text, [now, limit, now + leaseMs, maxAttempts, fifth, provider]);
    // Now and then all resources have a turn, also while the first due events keep all workers busy.
    const isTurn = isOrdered && (looks += 1) % 16 === 0;
    let rows = isTurn ? [] : await look(sql.take, 4 * limit);
    // The first due events of resources may all wait for older ones.
    if (rows.length === 0) rows = await look(sql.takeOldest, lookedTo);
    if (rows.length === 0) {
      const [last] = await table.rows(sql.lastResource, [lookedTo]);
      lookedTo = textIn(last?.["name"]) ?? "";
      if (isTurn) rows = await look(sql.take, 4 * limit);
    }
    isOrdered ||= rows.some((row) => row["resource"] !== null);
    return rows;
  };
}

/** The events claimed by `take`, in the order of storing. Those that became dead must not be handled. */
function takenOf(rows: readonly SqlRow[]): readonly TakenEvent[] {
  return rows
    .toSorted((a, b) => Number(a["sequence"]) - Number(b["sequence"]))
    .flatMap((columns) => {
      const { state, body, facts = "{}", key, digest, type, resource } = rowOf(columns);
      if (state.at !== "claimed" || body === undefined) return [];
      const { token, attempts, alone } = state;
      return [{ key, digest, type, resource, body, facts, token, attempts, alone }];
    });
}

const deadOf = (row: SqlRow): DeadEvent => ({
  key: keyOf(row),
  type: String(row["type"]),
  attempts: Number(row["attempts"]),
  reason: String(row["reason"]),
  diedAt: Number(row["changed_at"]),
});

function statusOf([row]: readonly SqlRow[]): QueueStatus {
  if (row === undefined) return { unhandled: 0, overdue: 0 };
  return {
    unhandled: Number(row["unhandled"]),
    overdue: Number(row["overdue"]),
    oldest: {
      key: keyOf(row),
      type: String(row["type"]),
      attempts: Number(row["attempts"]),
      storedAt: Number(row["stored_at"]),
      dueAt: Math.max(Number(row["due_at"]), Number(row["changed_at"])),
    },
  };
}
