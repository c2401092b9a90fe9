import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Pool } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { nameOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { describePostgres } from "./describe-postgres.ts";
import type { Queued } from "./stores.ts";

const program = fileURLToPath(new URL("poison-process.ts", import.meta.url));

/** Runs the worker's process once. @returns The signal that ended it. */
const work = (place: string): Promise<NodeJS.Signals | undefined> =>
  new Promise((resolve, reject) => {
    const args = ["--no-warnings", program, place];
    execFile(process.execPath, args, (error, _stdout, stderr) => {
      if (error === null || error.signal) resolve(error?.signal ?? undefined);
      else reject(new Error(stderr));
    });
  });

/** Stores the poison event in the middle of 15 others, and starts a new process for each that it ends. */
async function killedWith(inbox: Queued, place: string) {
  const { receiver, send } = recordingReceiver({ inbox, acknowledge: "after-store" });
  const ids = Array.from({ length: 16 }, (_, at) =>
    at === 7 ? "evt_poison" : `evt_${String(at)}`,
  );
  for (const id of ids) await send(refundAuthorized(id));
  let killed = 0;
  while ((await work(place)) !== undefined) killed += 1;
  const repeats: string[] = [];
  for (const id of ids) repeats.push(nameOf(await send(refundAuthorized(id))));
  const dead = (await receiver.dead()).map(({ key, attempts, reason }) => [
    key.id,
    attempts,
    reason,
  ]);
  return { killed, dead, handled: repeats.filter((name) => name === "duplicate").length };
}

const reason = "CS_CLAIM_LOST: the process ended, or the lease ended, while the handler ran";
const onlyOne = { killed: 4, dead: [["evt_poison", 4, reason]], handled: 15 };

it(
  "[R-NEVER-LOST] an event that ends its process each time is the only dead one of sixteen in flight, in SQLite",
  { tags: "ci" },
  async () => {
    const path = join(temporaryFolder(), "inbox.db");
    const inbox = sqliteInbox(path);
    onTestFinished(() => inbox.close());
    expect(await killedWith(inbox, path)).toEqual(onlyOne);
  },
);

describePostgres(
  "the PostgreSQL inbox",
  (server) => {
    it("[R-NEVER-LOST] keeps an event that ends its process each time from taking others in flight to dead", async () => {
      const url = server().urlOf(await server().create());
      const pool = new Pool({ connectionString: url });
      onTestFinished(() => pool.end());
      const inbox = postgresInbox(pool, { schema: "shop" });
      await inbox.migrate();
      expect(await killedWith(inbox, url)).toEqual(onlyOne);
    });
  },
  { tags: "ci" },
);
