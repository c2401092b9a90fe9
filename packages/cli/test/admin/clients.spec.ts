import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onStores, postgres, sqlite } from "../../../service/test/store/stores.ts";
import {
  administered,
  call,
  newMerchant,
  requestToken,
  type Administered,
} from "./administered.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

onStores([sqlite, postgres], ({ create }) => {
  const open = async (): Promise<Administered> => administered(await create());

  describe("countersign serve admin merchants", () => {
    it("creates, renames and lists merchants in insertion order", async () => {
      const { admin, list } = await open();
      const { status, out } = await admin("merchants", "create", "--name", "Ada & Co");
      expect([status, out]).toEqual([0, expect.stringMatching(/^mer_\S+\n$/)]);
      const id = out.trim();
      await admin("merchants", "create", "--name", "Second");
      expect((await admin("merchants", "rename", id, "--name", "Ada plc")).out).toBe(
        `${id} is renamed\n`,
      );
      expect(await list("merchants", "list")).toMatchObject([
        { id, name: "Ada plc" },
        { name: "Second" },
      ]);
      expect((await admin("merchants", "list")).out).toMatch(
        /^id {2,}name {2,}createdAt\nmer_\S+ {2}Ada plc {2}\S+Z\nmer_\S+ {2}Second {3}\S+Z\n$/,
      );
    });
  });

  describe("countersign serve admin clients", () => {
    it("creates a client of a merchant whose secret works until the client is revoked, and is stored only as a hash", async () => {
      const one = await open();
      const { url } = await one.serve();
      const merchant = await newMerchant(one);
      const { status, out, err } = await one.admin("clients", "create", "--merchant", merchant);
      const [, clientId = "", clientSecret = ""] =
        /^client_id {2,}(cli_\S+)\nclient_secret {2}(css_\S+)\n$/.exec(out) ?? [];
      expect([status, err]).toEqual([0, "The secret is shown only once; copy it now.\n"]);
      const { token } = await requestToken(url, { clientId, clientSecret });
      expect((await call(url, token)).status).toBe(404);
      const listed = await one.list("clients", "list");
      expect(listed).toMatchObject([
        { id: clientId, merchantId: merchant, scopes: "payments core", revokedAt: null },
      ]);
      expect(JSON.stringify(listed)).not.toContain(clientSecret);

      for (const _ of [1, 2])
        expect((await one.admin("clients", "revoke", clientId)).out).toBe(
          `${clientId} is revoked\n`,
        );
      expect((await call(url, token)).status).toBe(401);
      expect((await requestToken(url, { clientId, clientSecret })).status).toBe(401);
      const rotated = await one.admin("clients", "rotate-secret", clientId);
      expect([rotated.status, rotated.err]).toEqual([1, "CLIENT_REVOKED: the client is revoked\n"]);
      const revokedAt: unknown = expect.stringMatching(/Z$/);
      expect(await one.list("clients", "list")).toMatchObject([{ revokedAt }]);
    });

    it("limits a client's tokens to the scopes of --scope", async () => {
      const one = await open();
      const { url } = await one.serve();
      const args = ["--merchant", await newMerchant(one), "--scope", "payments"];
      const { token } = await requestToken(url, await one.json("clients", "create", ...args));
      expect((await call(url, token)).status).toBe(403);
      expect((await call(url, token, "/v1/refunds", {})).status).toBe(400);
    });

    it("accepts the old secret and the new one after a rotation, and never a third", async () => {
      const one = await open();
      const { url } = await one.serve();
      const args = ["--merchant", await newMerchant(one)];
      const first = await one.json("clients", "create", ...args);
      const rotate = (...more: string[]): Promise<Record<string, string>> =>
        one.json("clients", "rotate-secret", first["clientId"] ?? "", ...more);
      const statuses = (...clients: Record<string, string>[]): Promise<number[]> =>
        Promise.all(clients.map(async (client) => (await requestToken(url, client)).status));
      const before = Date.now();
      const second = await rotate();
      expect(Date.parse(second["previousUntil"] ?? "") - before).toBeGreaterThanOrEqual(86_400_000);
      expect(await statuses(first, second)).toEqual([200, 200]);
      const third = await rotate("--overlap", "7d");
      expect(await statuses(first, second, third)).toEqual([401, 200, 200]);
      const fourth = await rotate("--overlap", "0");
      expect(await statuses(first, second, third, fourth)).toEqual([401, 401, 401, 200]);
    });
  });
});

it("countersign serve admin exits with 1 and a coded line for an unknown merchant or client", async () => {
  const { admin, json } = administered(join(temporaryFolder(), "service.db"));
  await newMerchant({ json });
  for (const [line, code] of [
    ["merchants rename mer_none --name X", "MERCHANT_NOT_FOUND"],
    ["clients create --merchant mer_none", "MERCHANT_NOT_FOUND"],
    ["clients rotate-secret cli_none", "CLIENT_NOT_FOUND"],
    ["clients revoke cli_none", "CLIENT_NOT_FOUND"],
  ] as const) {
    const err: unknown = expect.stringMatching(`^${code}: .+\n$`);
    expect(await admin(...line.split(" "))).toEqual({ status: 1, out: "", err });
    expect(await json(...line.split(" "))).toEqual({ ok: false, code });
  }
});

describe("countersign serve admin trail", () => {
  it("shows who changed which merchant and client, by default the OS user", async () => {
    const one = administered(join(temporaryFolder(), "service.db"));
    const merchant = await newMerchant(one);
    const create = `clients create --merchant ${merchant} --by anna`;
    const { clientId = "" } = await one.json(...create.split(" "));
    await one.admin("merchants", "rename", merchant, "--name", "New", "--by", "anna");
    await one.admin("clients", "revoke", clientId, "--by", "ben");
    const lines = await one.list("trail");
    const { username } = userInfo();
    const shown = lines.map(({ what, subject, askedBy }) => [what, subject, askedBy].join(" "));
    expect(shown.toSorted()).toEqual([
      `client.create ${clientId} anna`,
      `client.revoke ${clientId} ben`,
      `merchant.create ${merchant} ${username}`,
      `merchant.rename ${merchant} anna`,
    ]);
    expect(lines.every(({ merchantId }) => merchantId === merchant)).toBe(true);
  });
});
