import { setTimeout } from "node:timers/promises";
import type { Driver } from "@countersign/service";

/** A delivery's row, with its subscription's status. */
interface Row {
  readonly event: string;
  readonly state: string;
  readonly nextAt: number | null;
}

/** Of a campaign that found no fault. */
export const NO_FAULT: Readonly<Record<"lost" | "waiting" | "mistold", readonly string[]>> = {
  lost: [],
  waiting: [],
  mistold: [],
};

/**
 * Reads each event's state from the store, so that a wait is never reported as a loss, nor a loss as a wait.
 *
 * @param written Ids of the events whose transactions were answered; each is bound for one subscription.
 * @param arrived How often each arrived.
 */
export async function verdictOf(
  driver: Driver,
  written: readonly string[],
  arrived: ReadonlyMap<string, number>,
) {
  const rows = await driver.query<Row>(
    `SELECT event_id AS event, deliveries.id, state, attempts, next_at AS "nextAt",
       last_status AS "lastStatus", last_error AS "lastError", subscriptions.status AS subscription
     FROM deliveries JOIN subscriptions ON subscriptions.key = subscription_key`,
  );
  const rowOf = new Map(rows.map((row) => [row.event, row]));
  const ends: Record<ReturnType<typeof endOf>, string[]> = {
    delivered: [],
    // Without a row, or never arrived and in no queue. Must be none.
    lost: [],
    // Neither lost nor delivered: a campaign that leaves any has not ended.
    waiting: [],
    // Arrived, but the store reports another end. Must be none.
    mistold: [],
  };
  for (const event of written) {
    const row = rowOf.get(event);
    const times = arrived.get(event) ?? 0;
    ends[endOf(row, times)].push(JSON.stringify({ event, times, ...row }));
  }
  const { lost, waiting, mistold } = ends;
  // After an attempt that a crash cut short, as at least once says.
  const repeated = written.filter((event) => (arrived.get(event) ?? 0) > 1).length;
  return { lost, waiting, mistold, repeated };
}

function endOf(row: Row | undefined, times: number) {
  if (row === undefined) return "lost";
  if (row.nextAt !== null) return "waiting";
  if (times === 0) return "lost";
  return row.state === "delivered" ? "delivered" : "mistold";
}

/**
 * Waits until a query returns no row, while the number of its rows decreases: a loaded machine is slow.
 *
 * @returns False after so many milliseconds without progress.
 */
export async function noneLeft(driver: Driver, rows: string, patienceMs: number): Promise<boolean> {
  let [least, waited] = [Infinity, 0];
  while (waited < patienceMs) {
    const [row] = await driver.query<{ n: number }>(
      `SELECT CAST(count(*) AS bigint) AS n FROM (${rows}) AS waiting`,
    );
    const left = row?.n ?? 0;
    if (left === 0) return true;
    if (left < least) [least, waited] = [left, 0];
    await setTimeout(20);
    waited += 20;
  }
  return false;
}

/**
 * Reports what is wrong unless every refund of one debit has reported each state once to the one subscription, on a
 * path of S 3.1, no other refund was reported, and the debit reserves their sum.
 */
export async function untoldRefunds(driver: Driver, paymentId: string): Promise<string[]> {
  const refunds = await driver.query<{ id: string; status: string; cents: number }>(
    "SELECT id, status, amount_cents AS cents FROM payments WHERE original_id = $1",
    [paymentId],
  );
  const events = await driver.query<{ payload: string; deliveries: number }>(
    `SELECT e.payload, CAST(count(d.id) AS bigint) AS deliveries
      FROM events e LEFT JOIN deliveries d ON d.event_id = e.id
      WHERE e.type LIKE 'refund.%' GROUP BY e.id, e.payload`,
  );
  const told = Map.groupBy(
    events.map(({ payload, deliveries }) => {
      // The service writes it by its schema.
      const { data } = JSON.parse(payload) as {
        data: { paymentId: string; paymentStatus: string };
      };
      return { id: data.paymentId, text: `${data.paymentStatus} to ${String(deliveries)}` };
    }),
    ({ id }) => id,
  );
  const found: string[] = [];
  for (const { id, status } of refunds) {
    const states = (told.get(id) ?? []).map(({ text }) => text).toSorted();
    const paths = [[status], ["PENDING", status]].map((path) =>
      [...new Set(path)].map((one) => `${one} to 1`).toSorted(),
    );
    if (!paths.some((path) => path.join() === states.join()))
      found.push(`${id} is ${status} and has reported ${states.join() || "nothing"}`);
  }
  const ids = new Set(refunds.map(({ id }) => id));
  for (const id of told.keys()) if (!ids.has(id)) found.push(`unknown refund ${id} was reported`);
  const open = refunds.filter(({ status }) => status !== "TERMINAL_FAILED");
  const sum = open.reduce((total, { cents }) => total + cents, 0);
  const [debit] = await driver.query<{ cents: number }>(
    "SELECT reserved_cents AS cents FROM payments WHERE id = $1",
    [paymentId],
  );
  if (debit?.cents !== sum)
    found.push(`the debit reserves ${String(debit?.cents)}, not ${String(sum)}`);
  return found;
}
