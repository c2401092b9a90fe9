import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { attemptOf, NOON, refundAuthorized } from "../../packages/receiver/test/fixtures.ts";
import { seeded } from "../fuzz/random.ts";
import { CRASH_POINTS, type CrashPoint, type MerchantOptions } from "./crash-points.ts";

/** What a campaign counted. */
export interface Tally {
  readonly cycles: number;
  /** Processes that ended by SIGKILL: each cycle's. */
  readonly killed: number;
  /** How often the process ended at each named point. */
  readonly crashes: Readonly<Partial<Record<CrashPoint, number>>>;
  readonly events: number;
  /** Acknowledged and not booked: must be none. */
  readonly lost: readonly string[];
  /** Booked more than once although it is booked in the inbox's transaction: must be none. */
  readonly twice: readonly string[];
  /** Committed when the process ended, and not acknowledged: the sender cannot know, and sends again. */
  readonly ambiguous: number;
  /** Calls outside that were made again, as they must be: nobody but the other side can prevent it. */
  readonly repeatedOutside: number;
}

const EVENTS_A_CYCLE = 8;
/** The default lease: after it, a claim of a process that ended is over. */
const LEASE_MS = 60_000;
/** Where it is killed from outside, the process lives so long under load, in milliseconds. */
const RANDOM_MS = 30;

/** Kills a merchant's process again and again, and sends each event until it is acknowledged. */
export async function crashCampaign({
  cycles,
  seed,
  flaw,
}: {
  readonly cycles: number;
  readonly seed: number;
  readonly flaw?: MerchantOptions["flaw"];
}): Promise<Tally> {
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), "countersign-chaos-"));
  const files = {
    database: join(folder, "merchant.db"),
    outside: join(folder, "outside.txt"),
    crashes: join(folder, "crashes.txt"),
  };
  const acknowledged = new Set<string>();
  const pending = new Set<string>();
  let [killed, ambiguous, clock] = [0, 0, NOON];

  const deliver = async (merchant: Merchant): Promise<void> => {
    const post = async (id: string): Promise<void> => {
      if (!(await merchant.post(id, clock))) return;
      acknowledged.add(id);
      pending.delete(id);
    };
    await Promise.all([...pending].map(post));
  };

  try {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      for (let event = 0; event < EVENTS_A_CYCLE; event += 1)
        pending.add(`evt_${String(cycle)}_${String(event)}`);
      // Every second one at a named point, in turns; the others from outside at any moment.
      const point = cycle % 2 === 0 ? CRASH_POINTS[(cycle / 2) % CRASH_POINTS.length] : undefined;
      const crash = point && { point, pass: 1 + random.int(3) };
      const merchant = await startMerchant({
        ...files,
        now: clock,
        ...(crash && { crash }),
        ...(flaw && { flaw }),
      });
      const wait = random.int(RANDOM_MS);
      const timer = crash ? undefined : setTimeout(() => merchant.kill(), wait);
      await deliver(merchant);
      clearTimeout(timer);
      // Also where the load ended before its time came.
      if ((await merchant.ended()) === "SIGKILL") killed += 1;
      clock += LEASE_MS;
      const booked = bookedIn(files.database);
      for (const id of pending) if (booked.has(id)) ambiguous += 1;
    }
    const survivor = await startMerchant({ ...files, now: clock });
    await deliver(survivor);
    await survivor.ended();

    const booked = bookedIn(files.database);
    return {
      cycles,
      killed,
      crashes: countOf(linesOf(files.crashes)),
      events: acknowledged.size + pending.size,
      lost: [...acknowledged].filter((id) => !booked.has(id)),
      twice: [...booked].flatMap(([id, times]) => (times > 1 ? [id] : [])),
      ambiguous,
      repeatedOutside: Object.values(countOf(linesOf(files.outside))).filter((n) => n > 1).length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Merchant {
  /** Whether the attempt was acknowledged. */
  post(id: string, now: number): Promise<boolean>;
  kill(): void;
  /** Ends the process, if it has not ended, and tells by which signal. */
  ended(): Promise<string | null>;
}

async function startMerchant(options: MerchantOptions): Promise<Merchant> {
  const script = fileURLToPath(new URL("merchant.ts", import.meta.url));
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const port = await portOf(child);
  const agent = new Agent({ connections: 4 });
  return {
    async post(id, now) {
      const { headers, body } = attemptOf(refundAuthorized(id), { now });
      try {
        const url = `http://127.0.0.1:${String(port)}/webhooks`;
        const answer = await request(url, { method: "POST", headers, body, dispatcher: agent });
        await answer.body.dump();
        return answer.statusCode === 204;
      } catch {
        // No answer: the process ended, and the sender does not know how far it came.
        return false;
      }
    },
    kill: () => void child.kill("SIGKILL"),
    async ended() {
      child.kill("SIGKILL");
      await exit;
      await agent.destroy();
      return child.signalCode;
    },
  };
}

async function portOf(child: ChildProcess): Promise<number> {
  for await (const data of child.stdout ?? []) return Number(String(data).trim());
  throw new Error("the merchant's process ended before it listened");
}

/** How often each payment is booked. */
function bookedIn(path: string): ReadonlyMap<string, number> {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare("SELECT id, count(*) AS times FROM booked GROUP BY id").all();
    return new Map(rows.map(({ id, times }) => [String(id), Number(times)]));
  } finally {
    database.close();
  }
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];

function countOf(lines: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(lines, (line) => line)].map(([line, all]) => [line, all.length]),
  );
}
