import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

const env = { COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}` };

describe("what serves, with --json", () => {
  it("tells where the sandbox is and which files hold its secrets, and no secret", async () => {
    const database = join(temporaryFolder(), "sandbox.db");
    const { status, out, err } = await ran(
      ["sandbox", "--port", "0", "--database", database, "--json"],
      {},
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({
      ready: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown,
      profile: "standard",
      database,
      tokenFile: `${database}.token`,
      secretFile: null,
    });
    const token = /^token +(\S+)/m.exec(err)?.[1] ?? "";
    expect(token).not.toBe("");
    expect(out).not.toContain(token);
  });

  it("tells where the service is", async () => {
    const database = join(temporaryFolder(), "service.db");
    const args = ["serve", "--port", "0", "--database", database, "--json"];
    const { status, out } = await ran(args, env);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({
      ready: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown,
      profile: "standard",
      database,
    });
  });
});
