import type { Driver, Queryable, SqlValue } from "../../src/store/driver.ts";

/** Default values of the columns. */
const USUAL = {
  merchants: { name: "M", clock_id: "live", created_at: 0 },
  subscriptions: {
    clock_id: "live",
    url: "https://x",
    secret: "s",
    secret_key_id: "k",
    selection: "{}",
    status: "ACTIVE",
    created_at: 0,
    updated_at: 0,
  },
  events: {
    clock_id: "live",
    type: "refund.pending",
    category: "PAYMENT",
    payload: "{}",
    created_at: 0,
  },
  deliveries: { clock_id: "live", state: "waiting", created_at: 0 },
  earlier_attempts: { number: 1, duration_ms: 1 },
} as const;

type Row = Readonly<Record<string, SqlValue>>;

/** Writes a row, which may contradict others. An existing row is not changed. */
export function insert(
  tx: Pick<Queryable, "query">,
  table: keyof typeof USUAL,
  row: Row,
): Promise<unknown> {
  const all: Row = { ...USUAL[table], ...row };
  const places = Object.keys(all).map((_, at) => `$${at + 1}`);
  return tx.query(
    `INSERT INTO ${table} (${Object.keys(all).join(", ")}) VALUES (${places.join(", ")})
     ON CONFLICT DO NOTHING`,
    Object.values(all),
  );
}

/** Holds the lock on the rows of a query. @returns Lets go of it. */
export async function lockRows(driver: Driver, sql: string): Promise<() => Promise<void>> {
  const [held, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const call = driver.transaction(async (tx) => {
    await tx.query(`${sql} FOR UPDATE`);
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  return () => {
    held.resolve();
    return call;
  };
}
