import { DatabaseSync } from "node:sqlite";
import type { Explanation } from "@countersign/signatures/explain";
import type { Fields } from "../attempts.ts";

/** A request as it arrived, or as this command made it. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Without credentials: `authorization` and cookies are never kept. */
  readonly headers: Fields;
  readonly body: Uint8Array;
}

/** The event of a request, as the provider's document describes it. */
export interface EventFacts {
  readonly provider: string;
  readonly eventId: string;
  readonly type: string;
  readonly category: string;
}

/** One request and what one app answered. */
export interface LoggedAttempt {
  /** Counts the attempts of its delivery from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True if this command sent it, and not the provider. */
  readonly isOwn: boolean;
  readonly request: LoggedRequest;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly answerHeaders: Fields;
  /** The beginning of the answer's body. */
  readonly answer: string;
  /** The causes of a signature that does not verify; empty if it does, `undefined` without a secret. */
  readonly explanations: readonly Explanation[] | undefined;
  /** The name of the cause of a failure; `null` if nothing failed. */
  readonly cause: string | null;
}

/** A delivery as the page lists it. */
export interface DeliveryRow extends EventFacts {
  /** Of the event in this log. */
  readonly id: string;
  readonly deliveryId: string;
  readonly subject: string;
  readonly url: string;
  readonly status: "delivered" | "failed";
  readonly cause: string | null;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number;
  readonly lastStartedAt: string;
  /** The time of the event's first attempt. */
  readonly timestamp: string;
}

const isoOf = (at: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${at} / 1000.0, 'unixepoch')`;

/** `event` and `delivery` are the ids of their first attempts. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS attempts (
    id INTEGER PRIMARY KEY, event INTEGER NOT NULL, delivery INTEGER NOT NULL, provider TEXT NOT NULL,
    eventId TEXT NOT NULL, type TEXT NOT NULL, category TEXT NOT NULL, url TEXT NOT NULL, at INTEGER NOT NULL,
    status INTEGER, error TEXT, durationMs INTEGER NOT NULL, cause TEXT, body BLOB NOT NULL, facts TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS attempts_of_event ON attempts (provider, eventId);
  CREATE INDEX IF NOT EXISTS attempts_of_delivery ON attempts (delivery);
  CREATE VIEW IF NOT EXISTS deliveries AS
    SELECT last.event, last.delivery, CAST(last.event AS TEXT) AS id, CAST(last.delivery AS TEXT) AS deliveryId,
      last.provider, last.eventId, last.eventId AS subject, last.type, last.category, last.url, last.cause,
      last.status AS lastStatus, last.error AS lastError, last.durationMs AS lastDurationMs, attempts,
      ${isoOf("last.at")} AS lastStartedAt, ${isoOf("first.at")} AS timestamp,
      iif(last.status BETWEEN 200 AND 299, 'delivered', 'failed') AS status
    FROM (SELECT delivery, max(id) AS last, count(*) AS attempts FROM attempts GROUP BY delivery) AS one
      JOIN attempts AS last ON last.id = one.last JOIN attempts AS first ON first.id = last.event;`;

/** Attempts in a SQLite file, the latest events of which are kept. Several processes may share one. */
export class AttemptLog {
  readonly #db: DatabaseSync;
  readonly #keep: number;

  /** @param file Readable by its owner only, or `:memory:`. @param keep Events that are kept. */
  constructor(file: string, keep: number) {
    this.#db = new DatabaseSync(file);
    this.#keep = keep;
    this.#db.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000");
    this.#db.exec(SCHEMA);
  }

  /** Adds an attempt to the delivery of its event to a URL. @returns The event's id in this log. */
  add(event: EventFacts, url: string, attempt: Omit<LoggedAttempt, "number">): number {
    const { at, status, error, durationMs, cause, ...more } = attempt;
    const { body, ...request } = attempt.request;
    const facts = JSON.stringify({ ...more, request });
    // One statement: several processes may share the file.
    const [{ event: id } = { event: 0 }] = this.#all<{ event: number }>(
      `WITH next(id) AS (SELECT coalesce(max(id), 0) + 1 FROM attempts),
        known AS (SELECT event, delivery, url FROM attempts WHERE provider = :provider AND eventId = :eventId)
        INSERT INTO attempts SELECT next.id, coalesce((SELECT event FROM known), next.id),
          coalesce((SELECT delivery FROM known WHERE url = :url), next.id), :provider, :eventId, :type, :category,
          :url, :at, :status, :error, :durationMs, :cause, :body, :facts
        FROM next RETURNING event`,
      { ...event, url, at, status, error, durationMs, cause, body, facts },
    );
    this.#all(
      `DELETE FROM attempts WHERE event <= (SELECT DISTINCT event FROM attempts ORDER BY event DESC LIMIT 1 OFFSET :keep)`,
      { keep: this.#keep },
    );
    return id;
  }

  /** The latest deliveries under a filter. @param before Deliveries of this id and later ones are left out. */
  list(
    filter: URLSearchParams,
    { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number | undefined },
  ): readonly DeliveryRow[] {
    return this.#all(
      `SELECT * FROM deliveries WHERE ${FILTER} AND delivery < :before ORDER BY delivery DESC LIMIT :limit`,
      { ...valuesOf(filter), before, limit },
    );
  }

  /** Counts deliveries by their status, whatever the filter's tab. */
  counts(filter: URLSearchParams): Readonly<Record<string, number>> {
    const rows = this.#all<{ status: string; count: number }>(
      `SELECT status, count(*) AS count FROM deliveries WHERE ${FILTER} GROUP BY status`,
      { ...valuesOf(filter), tab: "" },
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  total(): number {
    return this.#all("SELECT DISTINCT delivery FROM attempts").length;
  }

  /** The values by which the page filters. */
  values(column: "provider" | "type" | "url" | "cause"): readonly string[] {
    return this.#all<{ value: string }>(
      `SELECT DISTINCT ${column} AS value FROM deliveries WHERE ${column} IS NOT NULL ORDER BY 1 LIMIT 500`,
    ).map(({ value }) => value);
  }

  deliveriesOf(event: number): readonly DeliveryRow[] {
    return this.#all("SELECT * FROM deliveries WHERE event = :event ORDER BY delivery", { event });
  }

  delivery(id: number): DeliveryRow | undefined {
    return this.#all<DeliveryRow>("SELECT * FROM deliveries WHERE delivery = :id", { id })[0];
  }

  /** The attempts of a delivery in their order, of which the latest 100 are returned. */
  attemptsOf(delivery: number): readonly LoggedAttempt[] {
    return this.#all<Stored>(
      `SELECT row_number() OVER (ORDER BY id) AS number, at, status, error, durationMs, cause, body, facts
        FROM attempts WHERE delivery = :delivery ORDER BY id DESC LIMIT 100`,
      { delivery },
    )
      .toReversed()
      .map(({ body, facts, ...columns }) => {
        // This class wrote them.
        const { request, ...more } = JSON.parse(facts) as Facts;
        return { ...columns, ...more, request: { ...request, body } };
      });
  }

  /** Changes whenever another process has written. */
  version(): number | undefined {
    return this.#all<{ data_version: number }>("PRAGMA data_version")[0]?.data_version;
  }

  close(): void {
    this.#db.close();
  }

  // oxlint-disable-next-line no-unnecessary-type-parameters -- the statement names the columns of its rows
  #all<Row>(sql: string, params: Params = {}): readonly Row[] {
    return this.#db.prepare(sql).all(params) as unknown as readonly Row[];
  }
}

type Params = Readonly<Record<string, string | number | null | Uint8Array>>;

type Columns = Pick<LoggedAttempt, "number" | "at" | "status" | "error" | "durationMs" | "cause">;

interface Stored extends Columns {
  readonly body: Uint8Array;
  readonly facts: string;
}

type Facts = Omit<LoggedAttempt, keyof Columns | "request"> & {
  readonly request: Omit<LoggedRequest, "body">;
};

/** The conditions of the page's filter; an empty value has none. */
const FILTER = `
  :provider IN ('', provider) AND :type IN ('', type) AND :endpoint IN ('', url) AND :cause IN ('', cause)
  AND :tab IN ('', status) AND :answer IN ('', iif(lastError IS NULL, (lastStatus / 100) || 'xx', 'none'))
  AND lastStartedAt >= :from AND (eventId LIKE :q ESCAPE '!' OR type LIKE :q ESCAPE '!' OR url LIKE :q ESCAPE '!'
    OR EXISTS (SELECT 1 FROM attempts WHERE attempts.delivery = deliveries.delivery AND CAST(body AS TEXT) LIKE :q ESCAPE '!'))`;

const tabs = new Map([
  ["failing", "failed"],
  ["delivered", "delivered"],
]);

function valuesOf(filter: URLSearchParams): Params {
  const get = (name: string): string => filter.get(name)?.trim() ?? "";
  const equal = ["provider", "type", "endpoint", "cause", "answer"];
  return {
    ...Object.fromEntries(equal.map((name) => [name, get(name)])),
    tab: tabs.get(get("tab")) ?? "",
    from: new Date(Date.parse(get("from")) || 0).toISOString(),
    q: `%${get("q").replaceAll(/[%_!]/g, "!$&")}%`,
  };
}
