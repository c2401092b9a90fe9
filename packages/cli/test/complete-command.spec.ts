import { describe, expect, it, vi } from "vitest";
import { ran } from "./ran.ts";

/** Output of the completion library: the values without their descriptions. */
async function completed(...words: readonly string[]): Promise<string[]> {
  const printed = vi.spyOn(console, "log").mockReturnValue();
  try {
    expect(await ran(["complete", "--", ...words])).toMatchObject({ status: 0, err: "" });
    const lines = printed.mock.calls.map(([line]) => String(line).split("\t")[0] ?? "");
    return lines.filter((line) => !line.startsWith(":"));
  } finally {
    printed.mockRestore();
  }
}

// In real shells: complete-command.slow.ts.
it("completes commands, options, and the known values of options and arguments", async () => {
  for (const [given, expected] of [
    ["s", ["sandbox", "serve", "send"]],
    ["inbox ", ["migrate", "status", "dead", "retry", "help"]],
    ["inbox dead --l", ["--limit"]],
    ["diff --r", ["--rules"]],
    ["send refund.failed --broken s", ["stale"]],
    ["types --language py", ["python"]],
    ["requirements R-MONEY-E", ["R-MONEY-EXACT"]],
    ["requirements --role ", ["provider", "receiver"]],
    ["sandbox --seed ", []],
  ] as const)
    expect([given, await completed(...given.split(" "))]).toEqual([given, expected]);
});

describe("a mistyped command, option or value", () => {
  it("exits with 2 and suggests the right one", async () => {
    for (const [given, meant] of [
      ["tpyes", "types"],
      ["help sned", "send"],
      ["help inbox migrat", "migrate"],
      ["inbox migrat", "migrate"],
      ["requirements --rol receiver", "--role"],
      ["verify receivr", "receiver"],
      ["requirements R-VERFIY-RAW", "R-VERIFY-RAW"],
      ["send refund.authorised --url http://127.0.0.1:9", "refund.authorized"],
      ["send refund.failed --url http://127.0.0.1:9 --broken stael", "stale"],
      ["types --language pyhton --out x", "python"],
      ["types --language go --out x --profile standrad", "standard"],
      ["verify receiver --list --only receiver/forgd", "receiver/forged"],
    ] as const) {
      const err: unknown = expect.stringMatching(new RegExp(`did you mean ${meant}\\?`, "i"));
      expect([given, await ran(given.split(" "))]).toMatchObject([given, { status: 2, err }]);
    }
  });
});
