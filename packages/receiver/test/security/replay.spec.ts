import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Inbox, memoryInbox } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";
import { attemptWith, keyOf, signatureBy } from "./forge.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("A10: an attempt that is replayed within the tolerance", () => {
  /** Replays with everything changed that is not signed. */
  const replays = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const attempt = attemptOf(refundAuthorized());
      const unsigned = {
        "x-request-id": String(index),
        "webhook-attempt": String(index),
        "user-agent": `replayer/${String(index)}`,
        "idempotency-key": `other-${String(index)}`,
        "webhook-event": "customer.activated",
      };
      return {
        ...attempt,
        headers: { ...unsigned, ...attempt.headers },
        path: `/${String(index)}`,
      };
    });

  const receiverOn = (inbox: Inbox) => recordingReceiver({ inbox });

  it("runs its handler once, whatever headers it changes", async () => {
    const { receiver, handled, outcomes } = receiverOn(memoryInbox());
    await receiver.receive(attemptOf(refundAuthorized()));

    for (const replay of replays(100)) await receiver.receive(replay);

    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    expect(outcomes.slice(1).every(({ kind }) => kind === "duplicate")).toBe(true);
  });

  it("runs its handler once, with a hundred of them at the same time", async () => {
    const { receiver, handled } = recordingReceiver({ limits: { concurrentHandlers: 200 } });

    const outcomes = await Promise.all(replays(100).map((replay) => receiver.receive(replay)));

    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    expect(outcomes.filter(({ kind }) => kind === "handled")).toHaveLength(1);
    expect(outcomes.every(({ kind }) => kind !== "rejected" && kind !== "failed")).toBe(true);
  });

  it("runs its handler once over two inboxes on one file and a restart", async () => {
    const path = join(folder, "replayed.db");
    const handled: string[] = [];
    const inboxes = [sqliteInbox(path), sqliteInbox(path)];
    const receivers = inboxes.map((inbox) => receiverOn(inbox));
    await Promise.all(
      receivers.flatMap(({ receiver }) => replays(50).map((replay) => receiver.receive(replay))),
    );
    for (const inbox of inboxes) inbox.close();
    const reopened = sqliteInbox(path);
    const after = receiverOn(reopened);
    for (const replay of replays(20)) await after.receiver.receive(replay);
    reopened.close();

    for (const one of [...receivers, after]) handled.push(...one.handled);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    expect(after.outcomes.every(({ kind }) => kind === "duplicate")).toBe(true);
  });

  it("[R-ONCE-RETRIES] runs its handler once although the sender signs the same id anew for 76 hours", async () => {
    const clock = { now: NOON };
    const { receiver, handled } = recordingReceiver({ now: () => clock.now });
    const steps = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const seconds of steps) {
      clock.now += seconds * 1000;
      await receiver.receive(attemptOf(refundAuthorized(), { now: clock.now }));
    }

    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });
});

describe("A11: a timestamp that is not now", () => {
  const event = refundAuthorized();
  const body = Buffer.from(JSON.stringify(event));
  const signedAt = (timestamp: string) => {
    const signature = signatureBy(keyOf(secret), { id: event.id, timestamp, body });
    return attemptWith(`v1,${signature.toString("base64")}`, { timestamp, body });
  };

  it.each([
    [-301, "rejected"],
    [-300, "handled"],
    [300, "handled"],
    [301, "rejected"],
  ])("of %i seconds from it is %s", async (seconds, kind) => {
    const { receiver } = recordingReceiver();
    const attempt = signedAt(String(NOON / 1000 + seconds));
    expect((await receiver.receive(attempt)).kind).toBe(kind);
  });

  it.each([
    ["zero", "0"],
    ["before 1970", "-1"],
    ["milliseconds by mistake", String(NOON)],
    ["beyond what a double holds", String(2 ** 53)],
    ["an exponent", "1e9"],
    ["a sign", `+${String(NOON / 1000)}`],
    ["a space in front", ` ${String(NOON / 1000)}`],
    ["a fraction", `${String(NOON / 1000)}.0`],
    ["a leading zero", `0${String(NOON / 1000)}`],
    ["hexadecimal", `0x${(NOON / 1000).toString(16)}`],
    ["full-width digits", "１７９５５２１６００"],
    ["rest behind the digits", `${String(NOON / 1000)}abc`],
    ["nothing", ""],
    ["Infinity", "Infinity"],
  ])("in the form %s is refused, although it is signed", async (_what, timestamp) => {
    const { receiver, handled } = recordingReceiver();
    const { response } = await receiver.answer(signedAt(timestamp));
    expect(response.status).toBe(401);
    expect(handled).toEqual([]);
  });
});
