import type { EventKey } from "./inbox.ts";
import {
  busyUntil,
  type EventRow,
  type EventRows,
  type Guard,
  heldByBytes,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import { IS_KEY, KEY, NAMES, queued } from "./sql.ts";

export type SqlValue = string | number | null;

/** A row of a statement. It has the columns that the statement names. */
export interface SqlRow extends EventRow {
  readonly sequence: number;
  readonly unhandled: number;
  readonly overdue: number;
}

/** The SQL in which the two databases differ. */
export interface Dialect {
  /** The table with its schema. */
  readonly events: string;
  /** The clause for rows that another process takes concurrently. */
  readonly skipLocked: string;
  /** The elements of the JSON list in $3. */
  readonly elements: string;
  /** The next sequence, and the clause that locks the event's resource before. */
  readonly nextSequence: string;
  readonly lockedResource: string;
}

/** The table of events in a database. Statements that SQLite and PostgreSQL share run here, each by itself. */
export abstract class SqlRows implements EventRows {
  readonly dialect: Dialect;
  readonly #readSql: string;
  readonly #withBytesSql: string;
  /** The events that may keep a guarded write from happening; its values are those of `heldValues`. */
  protected readonly heldSql: string;

  constructor(dialect: Dialect) {
    const { events } = dialect;
    const select = `SELECT ${NAMES.join(", ")} FROM ${events} e`;
    this.dialect = dialect;
    this.#readSql = `${select} WHERE ${IS_KEY}`;
    // `heldByBytes`: those first of which a new one is a duplicate, then those that it waits for.
    this.#withBytesSql = `${select} WHERE bytes = $1 AND id <> $2
      ORDER BY CASE WHEN state IN ('handled', 'superseded') OR ${queued("e")} THEN 0
        WHEN state = 'claimed' AND due_at > $3 THEN 1 ELSE 2 END, sequence LIMIT 1`;
    this.heldSql = `SELECT * FROM (${this.#withBytesSql}) b UNION ALL SELECT * FROM (${select}
      WHERE resource = $4 AND id <> $2 AND state = 'claimed' AND due_at > $3 ORDER BY due_at DESC LIMIT 1) c`;
  }

  abstract insert(row: EventRow, guard: Guard): Promise<Written>;
  abstract update(update: Update): Promise<Written>;
  /** Runs one statement, which commits by itself. */
  abstract rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;

  async read(key: EventKey): Promise<EventRow | undefined> {
    return (await this.rows(this.#readSql, keyValues(key)))[0];
  }

  async withBytes(bytes: string, { id }: EventKey, now: number): Promise<EventRow | undefined> {
    return (await this.rows(this.#withBytesSql, [bytes, id, now]))[0];
  }

  /** Returns the values of `heldSql`, if other events can keep a write from happening. */
  protected heldValues({ key, to, guard, now }: Omit<Update, "from">): SqlValue[] | undefined {
    const { refused = null, resource = null } = guard ?? {};
    const claimed = to.state === "claimed" ? resource : null;
    return refused === null && claimed === null ? undefined : [refused, key.id, now, claimed];
  }

  /** Returns the answer of the first event that keeps a write from happening. */
  protected heldIn(
    rows: readonly EventRow[],
    { guard, now }: Omit<Update, "from">,
  ): Written | undefined {
    const isSame = ({ bytes }: EventRow): boolean => bytes !== null && bytes === guard?.refused;
    return rows
      .map((row) => (isSame(row) ? heldByBytes(row, now) : busyUntil(row.due_at)))
      .find((answer) => answer !== undefined);
  }

  async lastHandled(resource: string): Promise<EventRow | undefined> {
    const sql = `SELECT type, rank, occurred_at FROM ${this.dialect.events} WHERE resource = $1
      AND state = 'handled' ORDER BY changed_at DESC, sequence DESC LIMIT 1`;
    return (await this.rows(sql, [resource]))[0];
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    const { events } = this.dialect;
    const sql = `DELETE FROM ${events} WHERE (${KEY}) IN (SELECT ${KEY} FROM ${events}
      WHERE body IS NULL AND changed_at < $1 ORDER BY changed_at LIMIT $2) RETURNING id`;
    return (await this.rows(sql, [before, limit])).length;
  }
}

export const keyValues = ({ provider, tenant, id }: EventKey): SqlValue[] => [provider, tenant, id];

/** The values of an update, in the order of `UPDATED`. */
export function updatedRow(update: Update): EventKey & Readonly<Record<string, SqlValue>> {
  const { key, from, to, now, body = null, facts = null } = update;
  const { provider, tenant, id } = key;
  const { state, token, attempts, due_at, reason } = to;
  const guarded = { provider, tenant, id, from_state: from.state, from_token: from.token };
  return { ...guarded, state, token, attempts, due_at, reason, changed_at: now, body, facts };
}
