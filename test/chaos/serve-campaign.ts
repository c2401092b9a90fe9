import { setTimeout } from "node:timers/promises";
import type { Driver } from "@countersign/service";
import type { Started } from "../../packages/cli/test/start-command.ts";
import { seeded } from "../fuzz/random.ts";
import type { ChaosStore } from "./chaos-store.ts";
import { NO_FAULT, noneLeft, untoldRefunds, verdictOf } from "./serve-verdict.ts";
import { openServed, type Served } from "./serve-processes.ts";

/** Of a campaign that found no fault. */
export const NO_SERVE_FAULT = { ...NO_FAULT, forgotten: [], untold: [] };

/** Refunds that are due when the first process starts, for each cycle or disturbance: each emits two events. */
const DUE = 20;
/** Longest life of each process once all are ready, and pause after a disturbance, in milliseconds. */
const ALIVE_MS = 600;
/** Longest time without any progress in delivering the rest, in milliseconds: above that between the engine's full reads. */
const PATIENCE_MS = 150_000;
/** Pause of a caller whose call was refused because of the rate limit, in milliseconds. */
const BUSY_MS = 50;
/** Pause of a caller between two calls, in milliseconds: more calls would take time and show the same. */
const CALL_MS = 20;

/**
 * Kills one to three processes of `countersign serve` that share a PostgreSQL database, or the one of a SQLite file, again and again, while callers ask for
 * refunds; a last process delivers the rest. Then looks up every key, refund and event in the store, which was empty.
 */
export async function serveCampaign(
  store: ChaosStore,
  { cycles, seed }: { readonly cycles: number; readonly seed: number },
) {
  const random = seeded(seed);
  const served = await openServed(store);
  await served.askDueRefunds(cycles * DUE);
  const caller = new Caller(served);
  let killed = 0;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const processes = Array.from({ length: served.isShared ? 1 + random.int(3) : 1 }, () =>
      served.serve(),
    );
    const urls = await Promise.all(processes.map((one) => one.ready()));
    const end = async (one: Started, url: string): Promise<void> => {
      const isOver = (): boolean => one.process.signalCode !== null;
      const calling = caller.askUntil(url, isOver);
      await setTimeout(random.int(ALIVE_MS));
      one.process.kill("SIGKILL");
      await one.exited;
      if (one.process.signalCode === "SIGKILL") killed += 1;
      await calling;
    };
    await Promise.all(processes.map((one, index) => end(one, urls[index] ?? "")));
    // All have ended: no process has to wait until their claims end.
    await store.driver.transaction((tx) => tx.query("UPDATE deliveries SET claimed_until = 0"));
  }
  const last = served.serve();
  await caller.askRest(await last.ready());
  return { killed, ...(await endOf(last, served, caller)) };
}

/**
 * Disturbs the store of two processes of `countersign serve`, or of one on SQLite, while callers ask for refunds; one of them delivers the
 * rest. Then looks everything up as `serveCampaign` does.
 *
 * @param disturbances Each disturbs the store for a while, and resolves when it is as before.
 */
export async function disturbedServe(
  store: ChaosStore,
  disturbances: readonly (() => Promise<void>)[],
) {
  const served = await openServed(store);
  await served.askDueRefunds(disturbances.length * DUE);
  const caller = new Caller(served);
  const last = served.serve();
  const others = served.isShared ? [served.serve()] : [];
  const urls = await Promise.all([last, ...others].map((one) => one.ready()));
  let isOver = false;
  const calling = urls.map((url) => caller.askUntil(url, () => isOver));
  for (const disturb of disturbances) {
    await disturb();
    await setTimeout(ALIVE_MS);
  }
  isOver = true;
  await Promise.all(calling);
  await caller.askRest(urls[0] ?? "");
  for (const other of others) await other.end();
  return endOf(last, served, caller);
}

/** Lets the last process deliver the rest, ends it, and looks everything up in the store. */
async function endOf(last: Started, served: Served, caller: Caller) {
  const { arrived, paymentId, store } = served;
  await nothingWaits(store.driver);
  await last.end();
  const { verdict, events } = await refundVerdict(store.driver, arrived);
  if (verdict.waiting.length > 0)
    console.error(last.stdout().slice(-4000), last.stderr().slice(-4000));
  return {
    ...verdict,
    events,
    /** Refunds asked for over HTTP until they were answered, and how many calls had no answer. */
    refunds: caller.answered.size,
    unanswered: caller.unanswered,
    /** Answered refunds that are not in the store, and keys with a different refund than answered. Must be none. */
    forgotten: await forgottenOf(store.driver, caller.answered),
    /** Refunds with other events than their states have, or a wrong sum. Must be none. */
    untold: await untoldRefunds(store.driver, paymentId),
  };
}

/** The verdict over all events of refunds in the store. */
export async function refundVerdict(driver: Driver, arrived: ReadonlyMap<string, number>) {
  const rows = await driver.query<{ id: string }>(
    "SELECT id FROM events WHERE type LIKE 'refund.%'",
  );
  const written = rows.map(({ id }) => id);
  return { verdict: await verdictOf(driver, written, arrived), events: written.length };
}

/** Waits until no delivery and no refund is waiting, while their number decreases. */
export const nothingWaits = (driver: Driver): Promise<boolean> =>
  noneLeft(
    driver,
    `SELECT id FROM deliveries WHERE next_at IS NOT NULL
     UNION ALL SELECT id FROM payments WHERE direction = 'CREDIT' AND status = 'PENDING'`,
    PATIENCE_MS,
  );

/** Requests refunds, and retries with the same key without an answer, as clients do. */
class Caller {
  /** The refund's id that was answered, by its key. */
  readonly answered = new Map<string, string>();
  unanswered = 0;
  readonly #askOver: Served["askOver"];
  /** Keys without an answer. */
  readonly #open: string[] = [];
  #asked = 0;

  constructor({ askOver }: Served) {
    this.#askOver = askOver;
  }

  async askUntil(url: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#ask(url, this.#open.shift() ?? `http-${(this.#asked += 1)}`);
      await setTimeout(CALL_MS);
    }
  }

  async askRest(url: string): Promise<void> {
    for (let key = this.#open.shift(); key !== undefined; key = this.#open.shift())
      if (!(await this.#ask(url, key))) throw new Error(`${url} does not answer`);
  }

  /** @returns False without any answer. */
  async #ask(url: string, key: string): Promise<boolean> {
    const answer = await this.#askOver(url, key)
      .then(async (response) => ({
        status: response.status,
        // An answer, or a refusal because of the key. A service that answers otherwise fails the campaign.
        body: (await response.json()) as { paymentId?: string; existing?: { paymentId: string } },
      }))
      .catch(() => undefined);
    const id = answer?.body.paymentId ?? answer?.body.existing?.paymentId;
    if (id !== undefined) {
      this.answered.set(key, id);
      return true;
    }
    this.#open.push(key);
    await setTimeout(BUSY_MS);
    if (answer === undefined) this.unanswered += 1;
    else if (answer.status !== 429 && answer.status !== 503)
      throw new Error(`a call was answered ${String(answer.status)}`);
    return answer !== undefined;
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
