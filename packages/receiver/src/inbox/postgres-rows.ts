import type { ResourceState } from "@countersign/rules";
import { columnsOf, type EventRow, type EventRows, nameOf, type Written } from "./event-rows.ts";
import type { DeadEvent, EventKey } from "./inbox.ts";
import { Batch } from "./batch.ts";
import {
  COLUMNS,
  type EventColumns,
  eventSql,
  resourceStateOf,
  rowOf,
  type SqlValue,
  valuesOf,
} from "./event-sql.ts";
import {
  isRefusal,
  type PostgresClient,
  type PostgresPool,
  sqlStateOf,
} from "./postgres-client.ts";

const UNIQUE_VIOLATION = "23505";
const DEADLOCK = "40P01";

interface Write {
  readonly key: EventKey;
  readonly values: readonly SqlValue[];
}
type Update = Parameters<EventRows["update"]>;

/**
 * The table of events in PostgreSQL. Each call is one statement, so that it commits by itself and
 * any connection will do, also one of PgBouncer in transaction mode. Writes that wait anyway share one.
 */
export class PostgresRows implements EventRows {
  readonly #pool: PostgresPool;
  readonly #sql: ReturnType<typeof eventSql>;
  readonly #inserts: Batch<Write, Written>;
  readonly #updates: Batch<Write, Written>;

  constructor(pool: PostgresPool, schema: string) {
    this.#pool = pool;
    const events = `${schema}.events`;
    this.#sql = eventSql(events);
    this.#inserts = this.#batch(
      `INSERT INTO ${events} (${COLUMNS}) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], ` +
        "$5::text[], $6::float8[], $7::bigint[], $8::text[], $9::text[], $10::bigint[], $11::int[], $12::bigint[], $13::text[], $14::bigint[]) " +
        "ON CONFLICT (tenant, id) DO NOTHING RETURNING tenant, id",
    );
    this.#updates = this.#batch(
      `UPDATE ${events} e SET state = u.state, token = u.token, attempts = u.attempts, due_at = u.due_at, reason = u.reason, ` +
        "changed_at = u.changed_at, body = CASE WHEN u.state IN ('handled', 'superseded') THEN NULL ELSE COALESCE(e.body, u.body) END " +
        "FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::int[], $8::bigint[], $9::text[], $10::bigint[], $11::text[]) " +
        "AS u(tenant, id, guard_state, guard_token, state, token, attempts, due_at, reason, changed_at, body) " +
        "WHERE e.tenant = u.tenant AND e.id = u.id AND e.state = u.guard_state AND e.token = u.guard_token RETURNING e.tenant, e.id",
    );
  }

  insert(row: EventRow, now: number): Promise<Written> {
    return this.#inserts.add({ key: row.key, values: valuesOf(row, now) });
  }

  update(...update: Update): Promise<Written> {
    return this.#updates.add({ key: update[0], values: updateValues(...update) });
  }

  /** An update within the transaction that is open on `client`. */
  async updateIn(client: Pick<PostgresClient, "query">, ...update: Update): Promise<Written> {
    const { rowCount } = await client.query(this.#sql.update, updateValues(...update));
    return rowCount === 1 ? "done" : "changed";
  }

  async read({ tenant, id }: EventKey): Promise<EventRow | undefined> {
    const [row] = await this.#rows(this.#sql.read, [tenant, id]);
    return row && rowOf(row);
  }

  async holder({
    tenant,
    name,
  }: Parameters<EventRows["holder"]>[0]): Promise<EventKey | undefined> {
    const [row] = await this.#rows(this.#sql.holder, [tenant, name]);
    return row && { tenant: row.tenant, id: row.id };
  }

  async lastHandled({
    tenant,
    name,
  }: Parameters<EventRows["lastHandled"]>[0]): Promise<ResourceState | undefined> {
    const [row] = await this.#rows(this.#sql.lastHandled, [tenant, name]);
    return row && resourceStateOf(row);
  }

  async due({ now, limit }: Parameters<EventRows["due"]>[0]): Promise<readonly EventRow[]> {
    return (await this.#rows(this.#sql.due, [now, limit])).map(rowOf);
  }

  async dead({ limit }: Parameters<EventRows["dead"]>[0]): Promise<readonly DeadEvent[]> {
    const rows = await this.#rows(this.#sql.dead, [limit]);
    return rows.map(({ tenant, id, type, attempts, reason, changed_at }) => ({
      key: { tenant, id },
      type,
      attempts,
      reason: reason ?? "",
      diedAt: Number(changed_at),
    }));
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    return (await this.#pool.query(this.#sql.purge, [before, limit])).rowCount ?? 0;
  }

  async #rows(sql: string, values: readonly SqlValue[]): Promise<readonly EventColumns[]> {
    // The columns are those that `eventSql` names.
    return (await this.#pool.query(sql, values)).rows as readonly EventColumns[];
  }

  /** Writes of one kind, whose statement takes a list for each column and returns the keys it wrote. */
  #batch(sql: string): Batch<Write, Written> {
    const run = async (writes: readonly Write[]): Promise<readonly Written[]> => {
      // In the keys' order, so that two processes with the same keys don't wait for each other.
      const sorted = writes.toSorted((a, b) => (textOfKey(a.key) < textOfKey(b.key) ? -1 : 1));
      const lists = (sorted[0]?.values ?? []).map((_, column) =>
        sorted.map(({ values }) => values[column] ?? null),
      );
      try {
        // Both statements return keys.
        const written = (await this.#pool.query(sql, lists)).rows as readonly EventKey[];
        const names = new Set(written.map(textOfKey));
        return writes.map(({ key }) => (names.has(textOfKey(key)) ? "done" : "changed"));
      } catch (error) {
        // The key's own conflict writes nothing: this is the index of claimed resources.
        if (writes.length === 1 && sqlStateOf(error) === UNIQUE_VIOLATION) return ["held"];
        if (writes.length === 1 && sqlStateOf(error) === DEADLOCK) return run(writes);
        throw error;
      }
    };
    return new Batch({ nameOf: ({ key }) => textOfKey(key), run, didNothing: isRefusal });
  }
}

const textOfKey = ({ tenant, id }: EventKey): string => nameOf(tenant, id);

function updateValues(...[key, guard, state, now, body]: Update): SqlValue[] {
  const { at, token, attempts, dueAt, reason } = columnsOf(state);
  const identity = [key.tenant, key.id, guard.at, guard.token];
  return [...identity, at, token, attempts, dueAt, reason, now, body ?? null];
}
