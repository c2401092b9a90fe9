import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { InboxQueue, StoredBodies } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Pool } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { NOON, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { describePostgres } from "./describe-postgres.ts";
import { Calls, idsOf, keyOf } from "./suite/samples.ts";

const DAY = 86_400_000;

/** AES-256-GCM with a key that a test can replace. */
function cipher(): { key: Buffer } & Required<Pick<StoredBodies, "encrypt" | "decrypt">> {
  const own = {
    key: randomBytes(32),
    encrypt: (body: string): string => {
      const iv = randomBytes(12);
      const encrypting = createCipheriv("aes-256-gcm", own.key, iv);
      const parts = [encrypting.update(body), encrypting.final()];
      return Buffer.concat([iv, ...parts, encrypting.getAuthTag()]).toString("base64");
    },
    decrypt: async (body: string): Promise<string> => {
      await setImmediate();
      const bytes = Buffer.from(body, "base64");
      const decrypting = createDecipheriv("aes-256-gcm", own.key, bytes.subarray(0, 12));
      decrypting.setAuthTag(bytes.subarray(-16));
      return (
        decrypting.update(bytes.subarray(12, -16), undefined, "utf8") + decrypting.final("utf8")
      );
    },
  };
  return own;
}

/** A receiver that stores what it gets, over a SQLite inbox with these bodies. */
function storing(bodies: StoredBodies) {
  const path = join(temporaryFolder(), "inbox.db");
  const inbox = sqliteInbox({ path, ...bodies });
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const clock = { now: NOON };
  const recording = recordingReceiver({
    inbox,
    acknowledge: "after-store",
    workers: { backoff: () => 1, maxAttempts: 2, pollMs: 5 },
    now: () => clock.now,
    log: { warn: write, error: write },
  });
  onTestFinished(async () => {
    await recording.receiver.stop();
    inbox.close();
  });
  const stored = (): unknown[] => {
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare("SELECT body FROM countersign_events").all();
    database.close();
    return rows.map(({ body }) => body);
  };
  return { ...recording, inbox, lines, clock, stored };
}

describe("the body of a stored event", () => {
  it("is encrypted in the database and decrypted for its handler", async () => {
    const { receiver, send, handled, stored } = storing(cipher());
    expect((await send()).kind).toBe("stored");
    expect((await send()).kind).toBe("stored");
    expect(stored()).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]+=*$/)]);
    receiver.start();
    await vi.waitUntil(() => handled.length === 1);
    await receiver.stop();
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    expect(stored()).toEqual([null]);
  });

  it("[R-NEVER-LOST] [R-DEAD-VISIBLE] that cannot be decrypted makes its event fail, and dead with the reason, until the key is back", async () => {
    const bodies = cipher();
    const { receiver, send, handled, lines, clock, stored } = storing(bodies);
    const { key } = bodies;
    await send();
    const [secret] = stored();
    bodies.key = randomBytes(32);
    receiver.start();
    const dead = await vi.waitUntil(async () => {
      clock.now += 10;
      const [event] = await receiver.dead();
      return event;
    });
    expect(dead).toMatchObject({
      attempts: 2,
      reason: "CS_RECEIVER_FAILED: cannot decrypt the stored body (Error)",
    });
    expect(lines.join()).toContain("cannot decrypt the stored body");
    expect(lines.join()).not.toContain(secret);

    bodies.key = key;
    await receiver.retry("evt_refund1");
    await vi.waitUntil(() => handled.length === 1);
  });

  it("is not printed if decrypt throws it", async () => {
    const decrypt = (body: string): string => JSON.parse(`not ${body}`) as string;
    const { receiver, send, lines, clock } = storing({
      encrypt: (body) => `c1pher ${body}`,
      decrypt,
    });
    await send();
    receiver.start();
    await vi.waitUntil(async () => {
      clock.now += 10;
      return (await receiver.dead()).length === 1;
    });
    const [event] = await receiver.dead();
    expect(event?.reason).toBe("CS_RECEIVER_FAILED: cannot decrypt the stored body (SyntaxError)");
    expect(lines.join()).not.toContain("c1pher");
  });

  it("is not stored if it cannot be encrypted: the sender tries again", async () => {
    const encrypt = () => Promise.reject(new Error("no key service"));
    const { send, stored } = storing({ encrypt, decrypt: (body) => body });
    expect(await send()).toMatchObject({ kind: "failed", code: "CS_INBOX_UNAVAILABLE" });
    expect(stored()).toEqual([]);
  });

  it("is kept for bodyRetentionMs after its event was handled, shorter than its key", async () => {
    const { receiver, send, handled, clock, stored, inbox } = storing({ bodyRetentionMs: DAY });
    await send();
    await send(refundAuthorized("evt_2"));
    receiver.start();
    await vi.waitUntil(() => handled.length === 2);
    await receiver.stop();
    expect(stored()).toEqual([expect.any(String), expect.any(String)]);
    expect(await drop(inbox.queue, clock.now + DAY)).toBe(0);
    expect(await drop(inbox.queue, clock.now + DAY + 1)).toBe(1);
    expect(stored().filter((body) => body !== null)).toHaveLength(1);
    expect((await send()).kind).toBe("duplicate");
    expect((await send(refundAuthorized("evt_2"))).kind).toBe("duplicate");
  });
});

const drop = async (queue: InboxQueue, now: number) => queue.dropBodies?.({ now, limit: 1 });

describePostgres("the bodies of the PostgreSQL inbox", (server) => {
  it("are kept for bodyRetentionMs after their events were handled", async () => {
    const pool = new Pool({ connectionString: server().urlOf(await server().create()), max: 4 });
    onTestFinished(() => pool.end());
    const inbox = postgresInbox(pool, { schema: "shop", bodyRetentionMs: 1000 });
    await inbox.migrate();
    const { queue } = inbox;
    const calls = new Calls(inbox);
    for (const id of ["a", "b"]) await calls.store(id, { now: 0 });
    expect(idsOf(await calls.take())).toEqual(["a", "b"]);
    const transaction = inbox.begin({ key: keyOf("a"), token: 1, leaseMs: 60_000 });
    expect(await transaction.commit(500)).toEqual({ state: "committed" });
    await calls.complete("b", 1, 700);
    const stored = async () =>
      (await pool.query<{ id: string }>("SELECT id FROM shop.events WHERE body IS NOT NULL")).rows;

    expect(await drop(queue, 1500)).toBe(0);
    expect(await drop(queue, 1501)).toBe(1);
    expect(await stored()).toEqual([{ id: "b" }]);
    expect(await drop(queue, 9000)).toBe(1);
    expect((await calls.claim("a")).state).toBe("handled");
  });
});
