import { DatabaseSync } from "node:sqlite";
import type { Explanation } from "@countersign/signatures/explain";
import type { Fields } from "../fields.ts";

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

/** The columns of the list, as the page reads them. */
export interface DeliveryRow extends EventFacts {
  /** Of the event in this log. */
  readonly id: number;
  readonly deliveryId: number;
  readonly url: string;
  readonly status: "delivered" | "failed";
  readonly cause: string | null;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number;
  readonly lastAt: number;
  readonly firstAt: number;
}

/** `event` and `delivery` are the ids of their first attempts. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS attempts (
    id INTEGER PRIMARY KEY, event INTEGER NOT NULL, delivery INTEGER NOT NULL, provider TEXT NOT NULL,
    event_id TEXT NOT NULL, type TEXT NOT NULL, category TEXT NOT NULL, url TEXT NOT NULL, at INTEGER NOT NULL,
    is_own INTEGER NOT NULL, request TEXT NOT NULL, body BLOB NOT NULL, status INTEGER, error TEXT,
    duration_ms INTEGER NOT NULL, answer TEXT NOT NULL, cause TEXT);
  CREATE INDEX IF NOT EXISTS attempts_of_event ON attempts (provider, event_id);
  CREATE INDEX IF NOT EXISTS attempts_of_delivery ON attempts (delivery);
  CREATE VIEW IF NOT EXISTS deliveries AS
    SELECT last.event AS id, last.provider, last.event_id AS eventId, last.type, last.category, last.url,
      last.delivery AS deliveryId, last.cause, last.status AS lastStatus, last.error AS lastError,
      last.duration_ms AS lastDurationMs, last.at AS lastAt, attempts, first.at AS firstAt,
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
    const { at, isOwn, status, error, durationMs, cause } = attempt;
    const { body, ...request } = attempt.request;
    const { answerHeaders, answer, explanations } = attempt;
    // One statement: several processes may share the file.
    const [{ event: id } = { event: 0 }] = this.#all<{ event: number }>(
      `WITH next(id) AS (SELECT coalesce(max(id), 0) + 1 FROM attempts),
        known AS (SELECT event, delivery, url FROM attempts WHERE provider = :provider AND event_id = :eventId)
        INSERT INTO attempts SELECT next.id, coalesce((SELECT event FROM known), next.id),
          coalesce((SELECT delivery FROM known WHERE url = :url), next.id), :provider, :eventId, :type, :category,
          :url, :at, :isOwn, :request, :body, :status, :error, :durationMs, :answer, :cause
        FROM next RETURNING event`,
      {
        ...event,
        url,
        at,
        isOwn: Number(isOwn),
        request: JSON.stringify(request),
        body,
        status,
        error,
        durationMs,
        answer: JSON.stringify({ answerHeaders, answer, explanations }),
        cause,
      },
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
      `SELECT * FROM deliveries WHERE ${FILTER} AND deliveryId < :before ORDER BY deliveryId DESC LIMIT :limit`,
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
    return this.#all("SELECT * FROM deliveries WHERE id = :event ORDER BY deliveryId", { event });
  }

  delivery(id: number): DeliveryRow | undefined {
    return this.#all<DeliveryRow>("SELECT * FROM deliveries WHERE deliveryId = :id", { id })[0];
  }

  /** The attempts of a delivery in their order, of which the latest 100 are returned. */
  attemptsOf(delivery: number): readonly LoggedAttempt[] {
    return this.#all<Stored>(
      `SELECT row_number() OVER (ORDER BY id) AS number, at, is_own AS isOwn, request, body, status, error,
        duration_ms AS durationMs, answer, cause FROM attempts WHERE delivery = :delivery ORDER BY id DESC LIMIT 100`,
      { delivery },
    )
      .toReversed()
      .map(({ isOwn, request, body, answer, ...rest }) => ({
        ...rest,
        isOwn: isOwn === 1,
        // This class wrote both.
        request: { ...(JSON.parse(request) as Omit<LoggedRequest, "body">), body },
        ...(JSON.parse(answer) as Pick<LoggedAttempt, "answer" | "answerHeaders" | "explanations">),
      }));
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

interface Stored extends Pick<
  LoggedAttempt,
  "number" | "at" | "status" | "error" | "durationMs" | "cause"
> {
  readonly isOwn: number;
  readonly request: string;
  readonly body: Uint8Array;
  readonly answer: string;
}

/** The conditions of the page's filter; an empty value has none. */
const FILTER = `
  :provider IN ('', provider) AND :type IN ('', type) AND :endpoint IN ('', url) AND :cause IN ('', cause)
  AND :tab IN ('', status) AND :answer IN ('', iif(lastError IS NULL, (lastStatus / 100) || 'xx', 'none'))
  AND lastAt >= :from AND (eventId LIKE :q ESCAPE '!' OR type LIKE :q ESCAPE '!' OR url LIKE :q ESCAPE '!'
    OR EXISTS (SELECT 1 FROM attempts WHERE delivery = deliveryId AND CAST(body AS TEXT) LIKE :q ESCAPE '!'))`;

const tabs: ReadonlyMap<string, string> = new Map([
  ["failing", "failed"],
  ["delivered", "delivered"],
]);

function valuesOf(filter: URLSearchParams): Params {
  const get = (name: string): string => filter.get(name)?.trim() ?? "";
  const equal = ["provider", "type", "endpoint", "cause", "answer"];
  return {
    ...Object.fromEntries(equal.map((name) => [name, get(name)])),
    tab: tabs.get(get("tab")) ?? "",
    from: Date.parse(get("from")) || 0,
    q: `%${get("q").replaceAll(/[%_!]/g, "!$&")}%`,
  };
}
