import type { Driver } from "@countersign/service";

/** What a campaign's store and receiver say of its events when it is over. */
export interface Verdict {
  /** Written, and no row says so; or never arrived, and in nobody's queue any more. Must be none. */
  readonly lost: readonly string[];
  /** Still in the queue: neither lost nor delivered. A campaign that leaves any has not ended. */
  readonly waiting: readonly string[];
  /** Arrived, and the store tells of another end. Must be none. */
  readonly mistold: readonly string[];
  /** Arrived twice although no attempt of it was cut short, nor its claim taken back: must be none. */
  readonly doubled: readonly string[];
  /** Arrived again after a crash of the store that took its claim back, which no claim tells of. */
  readonly takenBack: number;
  /** Arrived again after an attempt that a crash cut short, as at least once says. */
  readonly repeated: number;
}

/** A delivery's row, with its subscription's status. */
interface Row {
  readonly id: string;
  readonly event: string;
  readonly state: string;
  readonly claims: number;
  /** Attempts whose answers are recorded: what they were cannot have been any other. */
  readonly answered: number;
  readonly nextAt: number | null;
  readonly leasedUntil: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly subscription: string;
}

/** Of a campaign that found no fault. */
export const NO_FAULT: Pick<Verdict, "lost" | "waiting" | "mistold" | "doubled"> = {
  lost: [],
  waiting: [],
  mistold: [],
  doubled: [],
};

type Fate = "delivered" | "lost" | "waiting" | "mistold";

/**
 * Asks the store itself what became of each event, so that a wait is never told as a loss, nor a loss as a wait.
 *
 * @param written Ids of the events whose transactions were answered; each is bound for one subscription.
 * @param arrived How often each arrived.
 * @param storeCrashes How often the store's server crashed meanwhile: a claim does not wait for the disk.
 */
export async function verdictOf(
  driver: Driver,
  written: readonly string[],
  arrived: ReadonlyMap<string, number>,
  storeCrashes = 0,
): Promise<Verdict> {
  const rows = new Map((await rowsOf(driver)).map((row) => [row.event, row]));
  const fates: Record<Fate, string[]> = { delivered: [], lost: [], waiting: [], mistold: [] };
  const doubled: string[] = [];
  let takenBack = 0;
  for (const event of written) {
    const row = rows.get(event);
    const times = arrived.get(event) ?? 0;
    const told = `${event} arrived ${String(times)} times: ${JSON.stringify(row ?? "no delivery")}`;
    fates[fateOf(row, times)].push(told);
    // An attempt without a record was cut short, one without an answer may have arrived. More arrivals than
    // claims would be a fault too.
    const unexplained = row === undefined ? 0 : times - 1 - (row.claims - row.answered);
    if (unexplained > storeCrashes) doubled.push(told);
    else if (unexplained > 0) takenBack += 1;
  }
  const { lost, waiting, mistold } = fates;
  const repeated = written.filter((event) => (arrived.get(event) ?? 0) > 1).length;
  return { lost, waiting, mistold, doubled, takenBack, repeated };
}

function fateOf(row: Row | undefined, times: number): Fate {
  if (row === undefined) return "lost";
  if (row.nextAt !== null) return "waiting";
  if (times === 0) return "lost";
  return row.state === "delivered" ? "delivered" : "mistold";
}

const rowsOf = (driver: Driver): Promise<Row[]> =>
  driver.query<Row>(
    `SELECT deliveries.id, event_id AS event, state, attempts AS claims,
       next_at AS "nextAt", leased_until AS "leasedUntil", last_status AS "lastStatus",
       last_error AS "lastError", subscriptions.status AS subscription,
       (SELECT CAST(count(*) AS bigint) FROM earlier_attempts
        WHERE delivery_id = deliveries.id AND earlier_attempts.status IS NOT NULL)
         + CASE WHEN last_status IS NULL THEN 0 ELSE 1 END AS answered
     FROM deliveries JOIN subscriptions ON subscriptions.key = subscription_key`,
  );
