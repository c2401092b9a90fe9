import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptSecret } from "../src/secrets.ts";
import { encryptionKey as key, failedWith } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const serve = (file: string, keys: string): Promise<Ran> =>
  ran(["serve", "--port", "0", "--database", file], { COUNTERSIGN_ENCRYPTION_KEYS: keys });
const newFile = (): string => join(temporaryFolder(), "service.db");
const unusable = failedWith("ENCRYPTION_KEYS_UNUSABLE");

it("countersign serve new-key prints another usable encryption key each time", async () => {
  const made = [await ran(["serve", "new-key"]), await ran(["serve", "new-key"])];
  expect(made.map(({ status }) => status)).toEqual([0, 0]);
  expect(made[0]?.out).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/);
  expect(made[0]?.out).not.toBe(made[1]?.out);
  expect((await serve(newFile(), made[0]?.out ?? "")).status).toBe(0);
});

it("countersign serve needs the encryption key that the sandbox keeps next to its database", async () => {
  const file = newFile();
  const sandbox = ["sandbox", "--port", "0", "--database", file];
  expect((await ran([...sandbox, "--deliver-to", "http://127.0.0.1:9/"])).status).toBe(0);
  const old = readFileSync(`${file}.keys`, "utf8").trim();
  expect(old).toMatch(/^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/);
  expect(statSync(`${file}.keys`).mode & 0o777).toBe(0o600);
  expect((await ran(sandbox)).status).toBe(0);
  expect(readFileSync(`${file}.keys`, "utf8").trim()).toBe(old);

  expect(await serve(file, key("k2"))).toEqual(unusable);
  expect((await serve(file, `${key("k2")}\n${old}`)).status).toBe(0);
});

describe("a secret kept in a file", () => {
  it("is made again if its file is empty, and the failure names a file that cannot be written", async () => {
    const file = join(temporaryFolder(), "secret");
    writeFileSync(file, "");
    expect(await keptSecret(file, () => "first")).toBe("first");
    expect(await keptSecret(file, () => "second")).toBe("first");
    await expect(keptSecret(join(file, "below"), () => "mine")).rejects.toMatchObject({
      code: "CS_CLI_DATABASE_UNUSABLE",
    });
  });
});
