import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { migrate, StoreUnavailableError, type Driver } from "@countersign/service";
import { secretPlace } from "../../packages/service/src/store/operations/subscriptions/secret-place.ts";
import { testVault } from "../../packages/service/test/test-vault.ts";
import { seeded } from "../fuzz/random.ts";
import { DELIVERY_POINTS, type DelivererOptions, type DeliveryPoint } from "./delivery-points.ts";

/** What a campaign counted. */
export interface DeliveryTally {
  readonly killed: number;
  /** How often a process ended at each named point. */
  readonly crashes: Readonly<Partial<Record<DeliveryPoint, number>>>;
  readonly events: number;
  /** Committed and never arrived, or arrived and not settled: must be none. */
  readonly lost: readonly string[];
  /** Arrived twice although no attempt of it was cut short: must be none. */
  readonly doubled: readonly string[];
  /** Arrived again after an attempt that a crash cut short, as at least once says. */
  readonly repeated: number;
}

export interface DeliveryCampaign {
  readonly cycles: number;
  readonly seed: number;
  /** How the processes come to the database. */
  readonly database: string;
  /** The campaign's own way to it; empty at first. */
  readonly driver: Driver;
  readonly flaw?: DelivererOptions["flaw"];
  /** The named points that are met in turns. Default: all. */
  readonly points?: readonly DeliveryPoint[];
  /** Done once in each cycle, beside the kill. */
  readonly disturb?: () => Promise<void>;
}

const SUBSCRIPTIONS = 4;
const EVENTS_AT_A_TIME = 6;
const PAUSE_MS = 10;
const HOUR_MS = 3_600_000;
/** Where a process is killed from outside, it lives so long, in milliseconds; most of it starting. */
const RANDOM_MS = 600;
/** A process whose point is not passed is killed after so long, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Two processes deliver from one database; both are killed again and again, and others take their places. */
export async function deliveryCampaign(campaign: DeliveryCampaign): Promise<DeliveryTally> {
  const { cycles, seed, database, driver, flaw, points = DELIVERY_POINTS } = campaign;
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), "countersign-chaos-"));
  const crashes = join(folder, "crashes.txt");
  const sink = await startSink();
  const writing = { isOver: false };
  // One after the other: what both turns ask for meets a server that is there.
  let disturbing = Promise.resolve();
  let [next, killed] = [0, 0];

  const inTurns = async (): Promise<void> => {
    while (next < cycles) {
      const cycle = next;
      next += 1;
      // Every second one at a named point, in turns; the others from outside at any moment.
      const point = cycle % 2 === 0 ? points[(cycle / 2) % points.length] : undefined;
      const crash = point && { point, pass: 1 + random.int(3) };
      const child = startProcess({
        database,
        crashes,
        ahead: 0,
        ...(crash && { crash }),
        ...(flaw && { flaw }),
      });
      disturbing = disturbing.then(campaign.disturb);
      const disturbed = disturbing;
      if ((await child.ended(crash ? PATIENCE_MS : random.int(RANDOM_MS))) === "SIGKILL")
        killed += 1;
      await disturbed;
    }
  };

  try {
    await fill(driver, sink.url);
    const written = (async () => {
      let count = 0;
      for (; !writing.isOver; count += EVENTS_AT_A_TIME) {
        await insertSurely(driver, count);
        await setTimeout(PAUSE_MS);
      }
      return count;
    })();
    await Promise.all([inTurns(), inTurns()]);
    writing.isOver = true;
    const events = await written;
    // By its clock every lease has ended, and whatever failed is due: the longest wait is a day and its tenth.
    const survivor = startProcess({ database, crashes, ahead: 27 * HOUR_MS });
    await nothingWaits(driver);
    await survivor.ended(0);
    return {
      killed,
      crashes: countOf(linesOf(crashes)),
      events,
      ...(await verdictOf(driver, sink.arrived)),
    };
  } finally {
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly state: string;
  readonly claims: number;
  /** Attempts whose answers are recorded: what they were cannot have been any other. */
  readonly answered: number;
}

async function verdictOf(
  driver: Driver,
  arrived: ReadonlyMap<string, number>,
): Promise<Pick<DeliveryTally, "lost" | "doubled" | "repeated">> {
  const rows = await driver.query<DeliveryRow>(
    `SELECT id, event_id, state, attempts AS claims,
       (SELECT CAST(count(*) AS bigint) FROM attempts
        WHERE delivery_id = deliveries.id AND status IS NOT NULL) AS answered
     FROM deliveries`,
  );
  const times = ({ event_id }: DeliveryRow): number => arrived.get(event_id) ?? 0;
  return {
    lost: rows
      .filter((row) => row.state !== "delivered" || times(row) === 0)
      .map(({ id, state, claims }) => `${id} is ${state} after ${String(claims)} claims`),
    // An attempt without a record was cut short, one without an answer may have arrived. More arrivals than
    // claims would be a fault too.
    doubled: rows
      .filter((row) => times(row) > 1 && times(row) > 1 + row.claims - row.answered)
      .map(({ id }) => id),
    repeated: rows.filter((row) => times(row) > 1).length,
  };
}

function startProcess(options: DelivererOptions): {
  /** Waits for its end, kills it when its time is over, and tells the signal. */
  ended(withinMs: number): Promise<string | null>;
} {
  const script = fileURLToPath(new URL("delivery-process.ts", import.meta.url));
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(options)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exit = once(child, "exit");
  return {
    async ended(withinMs) {
      const timer = new AbortController();
      const patience = setTimeout(withinMs, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([exit, patience]);
      timer.abort();
      child.kill("SIGKILL");
      await exit;
      return child.signalCode;
    },
  };
}

/** The merchants' side: counts each event's arrivals. */
async function startSink() {
  const arrived = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    request.resume().on("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    arrived,
    url: `http://127.0.0.1:${String(port)}/hooks`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function fill(driver: Driver, url: string): Promise<void> {
  const vault = testVault();
  await migrate(driver, { now: 0, vault });
  await driver.transaction(async (tx) => {
    await tx.query(
      "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ('mer_1', 'M', 'live', 0)",
    );
    for (let number = 0; number < SUBSCRIPTIONS; number += 1) {
      const key = `sub_${String(number)}`;
      const { text, keyId } = vault.seal("a-secret-of-24-characters-or-more", secretPlace(key));
      await tx.query(
        `INSERT INTO subscriptions (key, merchant_id, clock_id, url, secret, secret_key_id, selection,
           status, created_at, updated_at)
         VALUES ($1, 'mer_1', 'live', $2, $3, $4, '{}', 'ACTIVE', 0, 0)`,
        [key, url, text, keyId],
      );
    }
  });
}

/** As a client does that was told nothing, or that nothing was stored: the same again. */
async function insertSurely(driver: Driver, from: number): Promise<void> {
  for (;;) {
    try {
      await insert(driver, from);
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

/** Events and their deliveries, in one transaction, as a use case writes them; those that are there stay. */
async function insert(driver: Driver, from: number): Promise<void> {
  const numbers = Array.from({ length: EVENTS_AT_A_TIME }, (_, index) => from + index);
  await driver.transaction(async (tx) => {
    for (const number of numbers) {
      const at = Date.now();
      const event = `evt_${String(number)}`;
      await tx.query(
        `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
         VALUES ($1, 'mer_1', 'live', 'refund.authorized', 'PAYMENT', '{}', $2) ON CONFLICT DO NOTHING`,
        [event, at],
      );
      await tx.query(
        `INSERT INTO deliveries
           (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
         VALUES ($1, $2, $3, 'mer_1', 'live', 'waiting', $4, $4) ON CONFLICT DO NOTHING`,
        [`dlv_${String(number)}`, event, `sub_${String(number % SUBSCRIPTIONS)}`, at],
      );
    }
  });
}

async function nothingWaits(driver: Driver): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += PAUSE_MS) {
    const rows = await driver.query("SELECT id FROM deliveries WHERE next_at IS NOT NULL LIMIT 1");
    if (rows.length === 0) return;
    await setTimeout(PAUSE_MS);
  }
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];

function countOf(lines: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(lines, (line) => line)].map(([line, all]) => [line, all.length]),
  );
}
