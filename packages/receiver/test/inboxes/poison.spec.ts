import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { nameOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { sqliteInTest } from "./in-test.ts";

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

it(
  "[R-NEVER-LOST] an event that ends its process each time is the only dead one of sixteen in flight",
  { tags: "ci" },
  async () => {
    const path = join(temporaryFolder(), "inbox.db");
    const inbox = sqliteInTest(path);
    const { receiver, send } = recordingReceiver({ inbox, acknowledge: "after-store" });
    const ids = Array.from({ length: 16 }, (_, at) =>
      at === 7 ? "evt_poison" : `evt_${String(at)}`,
    );
    for (const id of ids) await send(refundAuthorized(id));

    let killed = 0;
    while ((await work(path)) !== undefined) killed += 1;

    const repeats: string[] = [];
    for (const id of ids) repeats.push(nameOf(await send(refundAuthorized(id))));
    expect([killed, repeats.filter((name) => name === "duplicate").length]).toEqual([4, 15]);
    const reason = "CS_CLAIM_LOST: the process ended, or the lease ended, while the handler ran";
    expect(await receiver.dead()).toMatchObject([
      { key: { id: "evt_poison" }, attempts: 4, reason },
    ]);
  },
);
