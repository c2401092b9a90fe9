import { setTimeout } from "node:timers/promises";
import type { Driver } from "@countersign/service";
import { expectToldOnce } from "../../packages/service/test/instances/told-once.ts";
import { seeded } from "../fuzz/random.ts";
import type { ChaosStore } from "./delivery-store.ts";
import { NO_FAULT, verdictOf, type Verdict } from "./delivery-verdict.ts";
import { openServed, type Served } from "./serve-processes.ts";

/** The counts of a campaign with `countersign serve`. */
export type ServeTally = Verdict & {
  readonly killed: number;
  readonly events: number;
  /** Refunds asked for over HTTP until they were answered, and how many calls had no answer. */
  readonly refunds: number;
  readonly unanswered: number;
  /** Answered refunds that are not in the store, and keys with a different refund than answered. Must be none. */
  readonly forgotten: readonly string[];
  /** The report of `expectToldOnce`: refunds with other events than their states have, or a wrong sum. Must be none. */
  readonly untold: readonly string[];
};

/** Of a campaign that found no fault. */
export const NO_SERVE_FAULT = { ...NO_FAULT, forgotten: [], untold: [] };

export interface ServeCampaign {
  readonly cycles: number;
  readonly seed: number;
  /** An empty database. */
  readonly store: ChaosStore;
}

/** Refunds that are due when the first process starts, for each cycle: each emits two events. */
const DUE = 20;
/** Longest life of each process once all are ready, in milliseconds. */
const ALIVE_MS = 600;
/** Longest time without any progress in delivering the rest, in milliseconds: above that between the engine's full reads. */
const PATIENCE_MS = 150_000;
/** Pause of a caller whose call was refused because of the rate limit, in milliseconds. */
const BUSY_MS = 50;

/**
 * Kills one to three processes of `countersign serve` that share a database, again and again, while callers ask for
 * refunds; a last process delivers the rest. Then looks up every key, refund and event in the store.
 */
export async function serveCampaign({ cycles, seed, store }: ServeCampaign): Promise<ServeTally> {
  const { driver } = store;
  const random = seeded(seed);
  const { askDueRefunds, paymentId, arrived, serve, askOver } = await openServed(store);
  await askDueRefunds(cycles * DUE);
  const caller = new Caller(askOver);
  let killed = 0;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const processes = Array.from({ length: 1 + random.int(3) }, () => serve());
    const urls = await Promise.all(processes.map((one) => one.ready()));
    const calling = urls.map((url) => caller.askUntilItEnds(url));
    await Promise.all(
      processes.map(async (one) => {
        await setTimeout(random.int(ALIVE_MS));
        one.process.kill("SIGKILL");
        await one.exited;
        if (one.process.signalCode === "SIGKILL") killed += 1;
      }),
    );
    await Promise.all(calling);
    // All have ended: no process has to wait for their leases.
    await driver.transaction((tx) => tx.query("DELETE FROM delivery_members"));
  }
  const last = serve();
  await caller.askRest(await last.ready());
  return { killed, ...(await endOf(last, { driver, caller, paymentId, arrived })) };
}

export interface DisturbedServe {
  /** An empty database. */
  readonly store: ChaosStore;
  /** Disturbs the store for a while, and resolves when it is as before. */
  readonly disturbances: readonly (() => Promise<void>)[];
}

/** Disturbs the store of two processes of `countersign serve`, as `serveCampaign` kills them. */
export async function disturbedServe({
  store,
  disturbances,
}: DisturbedServe): Promise<Omit<ServeTally, "killed">> {
  const { askDueRefunds, paymentId, arrived, serve, askOver } = await openServed(store);
  await askDueRefunds(disturbances.length * DUE);
  const caller = new Caller(askOver);
  const processes = [serve(), serve()];
  const urls = await Promise.all(processes.map((one) => one.ready()));
  let isOver = false;
  const calling = urls.map((url) => caller.askUntil(url, () => isOver));
  for (const disturb of disturbances) {
    await disturb();
    await setTimeout(ALIVE_MS);
  }
  isOver = true;
  await Promise.all(calling);
  const [url = ""] = urls;
  await caller.askRest(url);
  const [first, last] = processes;
  if (first === undefined || last === undefined) throw new Error("two processes were started");
  await first.end();
  return endOf(last, { driver: store.driver, caller, paymentId, arrived });
}

/** Lets the last process deliver the rest, ends it, and looks everything up in the store. */
async function endOf(
  last: ReturnType<Served["serve"]>,
  of: Pick<Served, "paymentId" | "arrived"> & { readonly driver: Driver; readonly caller: Caller },
): Promise<Omit<ServeTally, "killed">> {
  const { driver, caller, paymentId, arrived } = of;
  await nothingWaits(driver);
  await last.end();
  const rows = await driver.query<{ id: string }>(
    "SELECT id FROM events WHERE type LIKE 'refund.%'",
  );
  const written = rows.map(({ id }) => id);
  const verdict = await verdictOf(driver, written, arrived);
  if (verdict.waiting.length > 0)
    console.error(last.stdout().slice(-4000), last.stderr().slice(-4000));
  return {
    ...verdict,
    events: written.length,
    refunds: caller.answered.size,
    unanswered: caller.unanswered,
    forgotten: await forgottenOf(driver, caller.answered),
    untold: await expectToldOnce(driver, paymentId).then(
      () => [],
      (error: unknown) => [String(error)],
    ),
  };
}

/** Requests refunds, and retries with the same key without an answer, as clients do. */
class Caller {
  /** The refund's id that was answered, by its key. */
  readonly answered = new Map<string, string>();
  unanswered = 0;
  readonly #askOver: Served["askOver"];
  /** Keys without an answer. */
  readonly #open: string[] = [];
  #asked = 0;

  constructor(askOver: Served["askOver"]) {
    this.#askOver = askOver;
  }

  async askUntilItEnds(url: string): Promise<void> {
    for (;;) {
      const key = this.#open.shift() ?? `http-${String((this.#asked += 1))}`;
      if ((await this.#ask(url, key)) === "gone") return;
    }
  }

  async askUntil(url: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const key = this.#open.shift() ?? `http-${String((this.#asked += 1))}`;
      await this.#ask(url, key);
    }
  }

  async askRest(url: string): Promise<void> {
    for (let key = this.#open.shift(); key !== undefined; key = this.#open.shift())
      if ((await this.#ask(url, key)) === "gone") throw new Error(`${url} does not answer`);
  }

  async #ask(url: string, key: string): Promise<"alive" | "gone"> {
    const answer = await this.#askOver(url, key)
      .then(async (response) => ({
        status: response.status,
        // The cast: a service that answers otherwise fails the campaign.
        body: (await response.json()) as Answered,
      }))
      .catch(() => undefined);
    const id = answer?.body.paymentId ?? answer?.body.existing?.paymentId;
    if (id !== undefined) {
      this.answered.set(key, id);
      return "alive";
    }
    this.#open.push(key);
    if (answer === undefined) {
      this.unanswered += 1;
      return "gone";
    }
    if (answer.status !== 429 && answer.status !== 503)
      throw new Error(`a call was answered ${String(answer.status)}`);
    await setTimeout(BUSY_MS);
    return "alive";
  }
}

/** An answer, or a refusal because of the key. */
interface Answered {
  readonly paymentId?: string;
  readonly existing?: { readonly paymentId: string };
}

/** Waits until no delivery is waiting, while their number decreases: a loaded machine is slow. */
export async function nothingWaits(driver: Driver): Promise<void> {
  let [least, waited] = [Infinity, 0];
  while (waited < PATIENCE_MS) {
    const [row] = await driver.query<{ n: number }>(
      `SELECT CAST(count(*) AS bigint) AS n FROM (SELECT id FROM deliveries WHERE next_at IS NOT NULL
       UNION ALL SELECT id FROM payments WHERE direction = 'CREDIT' AND status = 'PENDING') AS waiting`,
    );
    const left = Number(row?.n);
    if (left === 0) return;
    if (left < least) [least, waited] = [left, 0];
    await setTimeout(50);
    waited += 50;
  }
}

/** @param answered The refund's id by its key, as answered to callers. */
async function forgottenOf(
  driver: Driver,
  answered: ReadonlyMap<string, string>,
): Promise<string[]> {
  const rows = await driver.query<{ id: string; key: string }>(
    "SELECT id, request_key AS key FROM payments WHERE direction = 'CREDIT'",
  );
  const stored = Map.groupBy(rows, ({ key }) => key);
  return [...answered].flatMap(([key, id]) => {
    const ids = stored.get(key)?.map((row) => row.id) ?? [];
    return ids.join() === id
      ? []
      : [`${key} was answered ${id}, the store has ${ids.join() || "none"}`];
  });
}
