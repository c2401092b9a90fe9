import type { Bodies } from "./bodies.ts";
import { isExclusive, isHandled, isHeld, RECEIVED } from "./event-state.ts";
import type { Inbox, InboxQueue, Stored, StoreRequest, TakenEvent, TakeRequest } from "./inbox.ts";
import { busyUntil, endOf, foundOf, keyOf, knownById, put } from "./rows-inbox.ts";
import { IS_KEY, KEPT, KEY, lastResourceSql, queued, takeSql } from "./sql.ts";
import { keyValues, type SqlRow, type SqlRows, type SqlValue } from "./sql-rows.ts";

/** The events of a table that are stored for workers, and the records for `receiver.reconcile`. */
export function sqlQueue(
  table: SqlRows,
  bodies: Bodies,
): Required<Pick<Inbox, "queue" | "find" | "recorded">> {
  const { events, elements, nextSequence, lockedResource } = table.dialect;
  const count = async (sql: string, values: readonly SqlValue[]): Promise<number> =>
    (await table.rows(sql, values)).length;
  const take = taker(table);
  const queue: InboxQueue = {
    store(request) {
      // In the order of the calls, if nothing is encrypted.
      const body = bodies.closed(request.body);
      if (typeof body === "string") return store(table, { ...request, body });
      return body.then((text) => store(table, { ...request, body: text }));
    },
    take: async (request) =>
      Promise.all(takenOf(await take(request)).map((event) => bodies.opened(event))),
    async fail({ attempts, maxAttempts, retryAt, reason, ...settlement }) {
      const step = { type: "fail", token: settlement.token, maxAttempts, retryAt, reason } as const;
      const update = endOf(settlement, step, attempts);
      if ((await table.update(update)) !== "done") return undefined;
      return update.to.state === "dead" ? "dead" : "waiting";
    },
    async dead({ limit }) {
      const dead = await table.rows(
        `SELECT ${KEY}, type, attempts, reason, changed_at FROM ${events}
          WHERE state = 'dead' ORDER BY changed_at DESC, id LIMIT $1`,
        [limit],
      );
      return dead.map(({ type, attempts, reason, changed_at: diedAt, ...key }) => {
        return { key: keyOf(key), type, attempts, reason: reason ?? "", diedAt };
      });
    },
    async erase({ key, now }) {
      // An open event ends as if it was superseded, and no claim of it can be ended any more.
      const erased = await count(
        `UPDATE ${events} SET state = CASE WHEN state = 'handled' THEN state ELSE 'superseded' END, token = token + 1,
          changed_at = CASE WHEN state IN ('handled', 'superseded') THEN changed_at ELSE $4 END,
          attempts = 0, due_at = 0, body = NULL, facts = NULL, reason = NULL
          WHERE ${IS_KEY} AND NOT (state = 'claimed' AND due_at > $4) RETURNING id`,
        [...keyValues(key), now],
      );
      if (erased === 1) return "erased";
      return (await table.read(key)) === undefined ? "unknown" : "busy";
    },
    ...(bodies.retentionMs > 0 && {
      dropBodies: ({ now, limit }: { readonly now: number; readonly limit: number }) =>
        count(
          `UPDATE ${events} SET body = NULL, facts = NULL WHERE (${KEY}) IN (SELECT ${KEY} FROM ${events}
            WHERE ${KEPT} AND changed_at < $1 ORDER BY changed_at LIMIT $2) RETURNING id`,
          [now - bodies.retentionMs, limit],
        ),
    }),
    retry: async ({ key, now }) =>
      (await count(
        `UPDATE ${events} SET state = 'waiting', attempts = 0, due_at = 0, reason = NULL, changed_at = $4,
          sequence = ${nextSequence} ${lockedResource} WHERE ${IS_KEY} AND state = 'dead' RETURNING id`,
        [...keyValues(key), now],
      )) === 1,
    async status({ dueBefore }) {
      // "+ 0": SQLite would look for the lowest sequence from the first handled event on.
      const [row] = await table.rows(
        `SELECT ${KEY}, type, attempts, stored_at, due_at, changed_at, count(*) OVER () AS unhandled,
          sum(CASE WHEN due_at < $1 AND changed_at < $1 THEN 1 ELSE 0 END) OVER () AS overdue
          FROM ${events} e WHERE ${queued("e")} ORDER BY sequence + 0 LIMIT 1`,
        [dueBefore],
      );
      if (row === undefined) return { unhandled: 0, overdue: 0 };
      const { type, attempts, unhandled, overdue, stored_at: storedAt } = row;
      const dueAt = Math.max(row.due_at, row.changed_at);
      return { unhandled, overdue, oldest: { key: keyOf(row), type, attempts, storedAt, dueAt } };
    },
  };
  // No body is read.
  const found = `SELECT ${KEY}, type, state, CASE WHEN body IS NOT NULL THEN '' END AS body, stored_at FROM ${events}
    WHERE provider = $1 AND tenant = $2`;
  return {
    queue,
    async find(keys) {
      const [{ provider, tenant } = { provider: "", tenant: "" }] = keys;
      const ids = JSON.stringify(keys.map(({ id }) => id));
      const sql = `${found} AND id IN (${elements})`;
      const rows = await table.rows(sql, [provider, tenant, ids]);
      const byId = new Map(rows.map((row) => [row.id, foundOf(row)]));
      return keys.map(({ id }) => byId.get(id));
    },
    async recorded({ provider, tenant, after, since, until, limit }) {
      const sql = `${found} AND id > $3 AND stored_at >= $4 AND stored_at <= $5 ORDER BY id LIMIT $6`;
      const values = [provider, tenant, after, since, until, limit];
      return (await table.rows(sql, values)).map(foundOf);
    },
  };
}

function store(rows: SqlRows, request: StoreRequest): Promise<Stored> {
  const { body, facts, now } = request;
  return put<Stored>(rows, request, {
    first: RECEIVED,
    body,
    facts,
    next(known) {
      // One that was handled long ago is stored anew.
      if (known.body !== null && !isHandled(known))
        return known.digest === request.digest ? { state: "stored" } : knownById(known, true);
      // Left by an attempt of `after-handler`, which kept no body.
      if (isHeld(known, now)) return busyUntil(known.due_at);
      const { token, attempts } = known;
      return { ...RECEIVED, token, attempts: isHandled(known) ? 0 : attempts };
    },
    granted: () => ({ state: "stored" }),
  });
}

/** The most looks of one call. Each sees other resources, if the first ones have nothing that is due. */
const MAX_LOOKS = 16;

/** Claims due events, of a resource only if no older one is open. Events whose last lease ended become dead. */
function taker(table: SqlRows): (request: TakeRequest) => Promise<readonly SqlRow[]> {
  const { events, skipLocked } = table.dialect;
  const takeDue = takeSql(events, skipLocked);
  const lastResource = lastResourceSql(events);
  let looks = 0;
  /** The resource behind which a look begins. */
  let after = "";
  return async ({ provider, now, limit, leaseMs, maxAttempts }) => {
    const start = after;
    let rows: readonly SqlRow[];
    let left = MAX_LOOKS;
    do {
      // oxlint-disable no-await-in-loop -- one look after the other
      const values = [now, limit, now + leaseMs, maxAttempts, after, provider];
      rows = await table.rows(takeDue, values);
      looks += 1;
      left -= 1;
      // All resources have their turn, also while the first ones keep all workers busy.
      if (rows.length === 0 || looks % 16 === 0)
        after = (await table.rows(lastResource, [after]))[0]?.resource ?? "";
      // oxlint-enable no-await-in-loop
    } while (rows.length === 0 && after !== start && left > 0);
    return rows;
  };
}

/** The events claimed by `take`, in the order of storing. Those that became dead must not be handled. */
const takenOf = (rows: readonly SqlRow[]): readonly TakenEvent[] =>
  rows
    .filter(({ state }) => state === "claimed")
    .toSorted((a, b) => a.sequence - b.sequence)
    .map((row) => {
      const { type, token, attempts } = row;
      const [body, facts] = [row.body ?? "", row.facts ?? "{}"];
      return { key: keyOf(row), type, body, facts, token, attempts, exclusive: isExclusive(row) };
    });
