import { join } from "node:path";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { describe, expect, it } from "vitest";
import {
  attemptOf,
  NOON,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
} from "../fixtures.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** Replays of one attempt that differ in everything that is not signed. */
const replays = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const { headers, body } = refundAttempt();
    const unsigned = {
      "x-request-id": String(index),
      "user-agent": `replayer/${String(index)}`,
      "idempotency-key": `other-${String(index)}`,
      "webhook-event": "customer.activated",
    };
    return { body, headers: { ...unsigned, ...headers }, path: `/${String(index)}` };
  });
const handledOnce = ["PAYMENT evt_refund1"];

describe("A10: an attempt that is replayed within the tolerance", () => {
  it("runs its handler once for 100 concurrent replays over two inboxes on one file, and for 20 after a restart", async () => {
    const path = join(temporaryFolder(), "replayed.db");
    const inboxes = [sqliteInbox(path), sqliteInbox(path)];
    const before = inboxes.map((inbox) => recordingReceiver({ inbox }));
    await Promise.all(
      before.flatMap(({ receiver }) => replays(50).map((replay) => receiver.receive(replay))),
    );
    for (const inbox of inboxes) inbox.close();
    const reopened = sqliteInbox(path);
    const after = recordingReceiver({ inbox: reopened });
    for (const replay of replays(20)) await after.receiver.receive(replay);
    reopened.close();
    expect([...before, after].flatMap(({ handled }) => handled)).toEqual(handledOnce);
    expect(new Set(after.outcomes.map(({ kind }) => kind))).toEqual(new Set(["duplicate"]));
  });

  it("[R-ONCE-RETRIES] runs its handler once although the sender signs its id again for 76 hours", async () => {
    const clock = { now: NOON };
    const { receiver, handled } = recordingReceiver({ now: () => clock.now });
    for (const seconds of [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]) {
      clock.now += seconds * 1000;
      await receiver.receive(attemptOf(refundAuthorized(), { now: clock.now }));
    }
    expect(handled).toEqual(handledOnce);
  });
});
