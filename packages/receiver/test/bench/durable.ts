import { createReceiver, type Inbox } from "@countersign/receiver";
import type { PostgresInbox } from "@countersign/receiver/postgres";
import { type SignedAttempt, signedAttempt } from "@countersign/receiver/testing";
import { NOON, refundAuthorized, secret } from "../fixtures.ts";
import { postgresBinaries } from "../inboxes/postgres-server.ts";
import { postgresStore } from "./durable-postgres.ts";
import { sqliteStore } from "./durable-sqlite.ts";
import type { DurableStore, Row } from "./durable-store.ts";
import { rateOf } from "./in-flight.ts";

// Run by the benchmark in a Node of its own. All kinds take turns, round by round.

const EVENTS = 2000;
const ROUNDS = 7;
// The first of them compile.
const WARM_UP = 2;

const kinds = ["insertTogether", "insertAlone", "afterStore", "claimAndBook", "handled"] as const;
type Kind = (typeof kinds)[number];

/** About a kilobyte, each of a payment of its own, so that no event waits for its resource. */
function attemptOf(id: string): SignedAttempt {
  const event = refundAuthorized(id);
  const data = { ...event.data, paymentId: `ref_${id}` };
  const metadata = { note: "x".repeat(700) };
  return signedAttempt({ secrets: [secret], now: NOON, event: { ...event, data, metadata } });
}

async function measure<InboxType extends Inbox>(
  store: DurableStore<InboxType>,
): Promise<{ readonly name: string } & Record<Kind, number>> {
  const options = { secrets: [secret], fallback: () => undefined, now: () => NOON } as const;
  const storing = createReceiver({
    ...options,
    inbox: store.inbox,
    acknowledge: "after-store",
  }).on("PAYMENT", () => undefined);
  const handling = createReceiver({
    ...options,
    inbox: store.inbox,
    limits: { concurrentHandlers: 64 },
  }).on("PAYMENT", async ({ id }, context) => {
    // The context's type follows the inbox, which is one of two here; both have a transaction.
    await store.book(id, (context as unknown as { readonly transaction: never }).transaction);
  });
  const best: Record<Kind, number> = {
    insertTogether: 0,
    insertAlone: 0,
    afterStore: 0,
    claimAndBook: 0,
    handled: 0,
  };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const kind of kinds) {
      const ids = Array.from({ length: EVENTS }, (_, n) => `${kind}_${String(round)}_${String(n)}`);
      const attempts = ids.map(attemptOf);
      const rows = ids.map((id, n): Row => ({
        id,
        body: Buffer.from(attempts[n]?.body ?? "").toString(),
      }));
      const receive = async (n: number): Promise<void> => {
        const attempt = attempts[n];
        if (attempt === undefined) return;
        const { kind: is } = await (kind === "handled" ? handling : storing).receive(attempt);
        if (is !== (kind === "handled" ? "handled" : "stored")) throw new Error(`it is ${is}`);
      };
      const bare = (n: number): unknown => {
        const row = rows[n];
        return row && kind !== "handled" && kind !== "afterStore" ? store[kind](row) : undefined;
      };
      // oxlint-disable-next-line no-await-in-loop -- in turns, so that each meets the same machine
      const rate = await rateOf(
        EVENTS,
        kind === "handled" || kind === "afterStore" ? receive : bare,
      );
      if (round >= WARM_UP) best[kind] = Math.max(best[kind], rate);
    }
  await store.close();
  return { name: store.name, ...best };
}

const figures = [await measure(sqliteStore())];
if (postgresBinaries !== undefined)
  figures.push(await measure<PostgresInbox>(await postgresStore()));
console.log(JSON.stringify(figures));
