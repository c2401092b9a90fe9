import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sqliteDriver } from "@countersign/service";
import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

const key = (id: string): string => `${id}:${Buffer.alloc(32, id).toString("base64")}`;
const serve = (file: string, keys: string): ReturnType<typeof ran> =>
  ran(["serve", "--port", "0", "--database", file], { COUNTERSIGN_ENCRYPTION_KEYS: keys });
const unusable = "countersign: CS_CLI_ENCRYPTION_KEYS_UNUSABLE: ";

/** A sandbox's database with one subscription, and the key that the sandbox has made for it. */
async function sandboxDatabase(): Promise<{ file: string; keys: string }> {
  const file = join(temporaryFolder(), "sandbox.db");
  const to = "http://127.0.0.1:9/";
  const { status } = await ran(["sandbox", "--database", file, "--deliver-to", to]);
  expect(status).toBe(0);
  return { file, keys: readFileSync(`${file}.keys`, "utf8").trim() };
}

const keyIds = async (file: string): Promise<unknown[]> => {
  const driver = sqliteDriver(file);
  const rows = await driver.query<{ id: string }>("SELECT secret_key_id AS id FROM subscriptions");
  await driver.close();
  return rows.map(({ id }) => id);
};

describe("the encryption keys of countersign serve", () => {
  it("are made by new-key, another one each time", async () => {
    const made = [await ran(["serve", "new-key"]), await ran(["serve", "new-key"])];
    expect(made.map(({ status }) => status)).toEqual([0, 0]);
    expect(made[0]?.out).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/);
    expect(made[0]?.out).not.toBe(made[1]?.out);
    const { status } = await serve(join(temporaryFolder(), "service.db"), made[0]?.out ?? "");
    expect(status).toBe(0);
  });

  it("are asked for with CS_CLI_ENCRYPTION_KEYS_UNUSABLE, and how to make one", async () => {
    const { status, err } = await ran(["serve", "--port", "0"]);
    expect(status).toBe(2);
    expect(err).toContain(unusable);
    expect(err).toContain("countersign serve new-key");
  });

  it.each(["k1", "k1:hush", `${key("k1")}\n${key("k1")}`])(
    "%# are refused with CS_CLI_ENCRYPTION_KEYS_UNUSABLE, and not repeated",
    async (keys) => {
      const { status, err } = await serve(join(temporaryFolder(), "service.db"), keys);
      expect(status).toBe(2);
      expect(err).toContain(unusable);
      expect(err).not.toMatch(/hush|[A-Za-z0-9+/]{40}/);
    },
  );

  it("are changed by rotate-secrets, after which the old one is needed no more", async () => {
    const { file, keys: old } = await sandboxDatabase();
    const other = await serve(file, key("k2"));
    expect(other.status).toBe(2);
    expect(other.err).toContain(unusable);

    const both = { COUNTERSIGN_ENCRYPTION_KEYS: `${key("k2")}\n${old}` };
    expect(await ran(["serve", "rotate-secrets", "--database", file], both)).toMatchObject({
      status: 0,
      out: "rotated 1, every secret is sealed under k2\n",
    });
    expect(await keyIds(file)).toEqual(["k2"]);
    expect((await serve(file, key("k2"))).status).toBe(0);
    expect((await serve(file, old)).status).toBe(2);
  });
});

describe("the encryption key of countersign sandbox", () => {
  it("is made at the first start and kept beside the database, for its owner alone", async () => {
    const { file, keys } = await sandboxDatabase();
    expect(keys).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/);
    expect(statSync(`${file}.keys`).mode & 0o777).toBe(0o600);
    expect((await ran(["sandbox", "--database", file])).status).toBe(0);
    expect(readFileSync(`${file}.keys`, "utf8").trim()).toBe(keys);
    expect(await keyIds(file)).toEqual([keys.split(":")[0]]);
  });
});
