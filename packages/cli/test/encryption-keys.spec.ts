import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sqliteDriver } from "@countersign/service";
import { describe, expect, it } from "vitest";
import { encryptionKey as key, failedWith } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

const serve = (file: string, keys: string): Promise<Ran> =>
  ran(["serve", "--port", "0", "--database", file], { COUNTERSIGN_ENCRYPTION_KEYS: keys });
const newFile = (): string => join(temporaryFolder(), "service.db");
const unusable = failedWith("ENCRYPTION_KEYS_UNUSABLE");

/** A sandbox's database with one subscription, and the key that the sandbox has made for it. */
async function sandboxDatabase(): Promise<{ file: string; keys: string }> {
  const file = newFile();
  const args = ["sandbox", "--database", file, "--deliver-to", "http://127.0.0.1:9/"];
  expect((await ran(args)).status).toBe(0);
  return { file, keys: readFileSync(`${file}.keys`, "utf8").trim() };
}

const keyIds = async (file: string): Promise<unknown[]> => {
  const driver = sqliteDriver(file);
  const rows = await driver.query<{ id: string }>("SELECT secret_key_id AS id FROM subscriptions");
  await driver.close();
  return rows.map(({ id }) => id);
};

describe("countersign serve new-key", () => {
  it("prints another usable encryption key each time", async () => {
    const made = [await ran(["serve", "new-key"]), await ran(["serve", "new-key"])];
    expect(made.map(({ status }) => status)).toEqual([0, 0]);
    expect(made[0]?.out).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/);
    expect(made[0]?.out).not.toBe(made[1]?.out);
    expect((await serve(newFile(), made[0]?.out ?? "")).status).toBe(0);
  });
});

describe("countersign serve", () => {
  it("no longer needs the old encryption key after rotate-secrets", async () => {
    const { file, keys: old } = await sandboxDatabase();
    expect(await serve(file, key("k2"))).toEqual(unusable);
    const both = { COUNTERSIGN_ENCRYPTION_KEYS: `${key("k2")}\n${old}` };
    const rotated = await ran(["serve", "rotate-secrets", "--database", file], both);
    expect([rotated.status, rotated.out]).toEqual([0, expect.stringMatching(/ 1\b.* k2\b/)]);
    expect(await keyIds(file)).toEqual(["k2"]);
    expect((await serve(file, key("k2"))).status).toBe(0);
    expect(await serve(file, old)).toEqual(unusable);
  });
});

describe("countersign sandbox", () => {
  it("makes its encryption key at the first start and keeps it, readable by its owner only", async () => {
    const { file, keys } = await sandboxDatabase();
    expect(keys).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/);
    expect(statSync(`${file}.keys`).mode & 0o777).toBe(0o600);
    expect((await ran(["sandbox", "--database", file])).status).toBe(0);
    expect(readFileSync(`${file}.keys`, "utf8").trim()).toBe(keys);
    expect(await keyIds(file)).toEqual([keys.split(":")[0]]);
  });
});
