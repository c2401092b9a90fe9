import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { createService } from "../../src/create-service.ts";
import { parseSecretKeys, createVault, type Vault } from "../../src/secrets/vault.ts";
import type { Driver } from "../../src/store/driver.ts";
import { checkSecrets } from "../../src/store/tables/subscriptions.ts";
import { answered, fakeTransport, queueOf, SECRET, type Queue } from "../delivery/queue.ts";
import { openService, subscription } from "../open-service.ts";
import { inCi, onStores, postgres, sqlite } from "../store/stores.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { testVault } from "../test-vault.ts";
import { subscribe } from "../../src/use-cases/subscriptions.ts";

const secretKey = "a-secret-that-stands-out-in-any-file";

/** The state of the one waiting delivery after a sender with this vault has worked. */
async function send(queue: Queue, vault: Vault): Promise<unknown> {
  const transport = fakeTransport(() => answered(204));
  const engine = queue.engine(transport, { vault });
  await engine.drain("clk_1");
  await engine.stop({ graceMs: 1000 });
  const { status, error } = (await queue.attempts()).at(-1) ?? {};
  return status ?? error;
}

const stored = (driver: Driver): Promise<Record<string, unknown>[]> =>
  driver.query(`SELECT key, secret, secret_key_id AS "keyId" FROM subscriptions ORDER BY key`);

describe("B16: the secret of a subscription", () => {
  it("is in no file of the database", async () => {
    const file = temporaryDatabase();
    const open = await openService({ file });
    expect((await open.subscribe({ secretKey })).status).toBe(200);
    const files = readdirSync(dirname(file)).map((name) => readFileSync(join(dirname(file), name)));
    expect(files.some((bytes) => bytes.includes(subscription.url))).toBe(true);
    expect(files.some((bytes) => bytes.includes("stands-out"))).toBe(false);
  });

  it("is refused by a service without encryption keys", async () => {
    const { driver, merchant } = await openService();
    const { context } = createService({ driver, profile: profiles.standard });
    await expect(subscribe(context, merchant, subscription)).rejects.toMatchObject({
      code: "CS_SECRET_KEYS",
    });
    expect(await stored(driver)).toEqual([]);
  });
});

onStores([sqlite, inCi(postgres)], ({ open }) => {
  describe("B16: stored secrets", () => {
    it("sign nothing when one was copied from another row, changed, stored in plain text under an empty key id or given another key's id", async () => {
      const vault = testVault("k1", "k2");
      for (const change of [
        "secret = (SELECT secret FROM subscriptions WHERE key = 'sub_2')",
        "secret = secret || 'AAAA'",
        `secret = '${SECRET}', secret_key_id = ''`,
        "secret_key_id = 'k2'",
      ]) {
        const queue = await queueOf(await open());
        for (const key of ["sub_1", "sub_2"]) await queue.subscribe(key);
        await queue.enqueue("sub_1");
        await queue.write(`UPDATE subscriptions SET ${change} WHERE key = 'sub_1'`);
        expect([change, await send(queue, vault)]).toEqual([change, "CS_ATTEMPT_SECRET_SEALED"]);
      }
    });

    it("prevent the start when their key is missing or different", async () => {
      const queue = await queueOf(await open());
      await checkSecrets(queue.driver, testVault("k2"));
      await queue.subscribe("sub_1");
      await checkSecrets(queue.driver, testVault("k2", "k1"));
      const unusable = { code: "CS_SECRET_KEYS" };
      await expect(checkSecrets(queue.driver, testVault("k2"))).rejects.toMatchObject(unusable);
      const other = createVault(parseSecretKeys(`k1:${Buffer.alloc(32, "x").toString("base64")}`));
      await expect(checkSecrets(queue.driver, other)).rejects.toMatchObject(unusable);
      await queue.write("UPDATE subscriptions SET secret_key_id = ''");
      await expect(checkSecrets(queue.driver, testVault())).rejects.toMatchObject(unusable);
    });

    it("are encrypted, and sign with the key that encrypted them after another one became the first", async () => {
      const queue = await queueOf(await open(), "sub_1");
      expect(JSON.stringify(await stored(queue.driver))).not.toContain(SECRET);
      await queue.enqueue("sub_1");
      expect(await send(queue, testVault("k2", "k1"))).toBe(204);
    });
  });
});
