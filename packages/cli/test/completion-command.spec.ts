import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";

const words = async (...given: readonly string[]): Promise<string[]> => {
  const { out } = await ran(["completion", "words", "--", ...given]);
  return out.split("\n").filter((line) => line !== "");
};

// In real shells: completion-command.slow.ts.
describe("countersign completion", () => {
  it("completes subcommands and options, and leaves unknown values to the shell", async () => {
    expect(await words("")).toEqual(
      expect.arrayContaining(["sandbox", "serve", "send", "types", "verify", "inbox", "help"]),
    );
    expect(await words("s")).toEqual(["sandbox", "serve", "send"]);
    expect(await words("inbox", "")).toEqual(["migrate", "status", "dead", "retry", "help"]);
    expect(await words("inbox", "dead", "--l")).toEqual(["--limit"]);
    expect(await words("types", "--out", "")).toEqual([]);
    expect(await words("diff", "--json", "--r")).toEqual(["--rules"]);
    expect(await words("completion", "")).not.toContain("words");
  });

  it("completes the known values of arguments and options", async () => {
    for (const [given, expected] of [
      ["send refund.f", ["refund.failed"]],
      ["send refund.failed --broken s", ["stale"]],
      ["types --language py", ["python"]],
      ["sandbox --profile x", ["x-signature"]],
      ["requirements R-MONEY", ["R-MONEY-EXACT"]],
      ["requirements --role ", ["provider", "receiver"]],
      ["verify receiver --only receiver/tam", ["receiver/tampered"]],
      ["verify receiver --only receiver/tampered R-MONEY", ["R-MONEY-EXACT"]],
      ["verify receiver --skip R-MONEY", ["R-MONEY-EXACT="]],
      ["verify provider --report ju", ["junit="]],
      ["completion z", ["zsh"]],
      ["verify receiver --only R-MONEY-EXACT --fai", ["--fail-on"]],
      ["verify receiver --seed ", []],
    ] as const)
      expect([given, await words(...given.split(" "))]).toEqual([given, expected]);
  });

  it("prints a script for bash, zsh and fish that asks for words", async () => {
    const out: unknown = expect.stringContaining("completion words --");
    for (const shell of ["bash", "zsh", "fish"])
      expect(await ran(["completion", shell])).toMatchObject({ status: 0, out });
  });
});

it("a mistyped command, option or value exits with 2 and suggests the right one", async () => {
  for (const [given, meant] of [
    ["tpyes", "types"],
    ["inbox migrat", "migrate"],
    ["requirements --rol receiver", "--role"],
    ["verify receivr", "receiver"],
    ["requirements R-VERFIY-RAW", "R-VERIFY-RAW"],
    ["send refund.authorised --url http://127.0.0.1:9", "refund.authorized"],
    ["send refund.failed --url http://127.0.0.1:9 --broken stael", "stale"],
    ["types --language pyhton --out x", "python"],
    ["types --language go --out x --profile standrad", "standard"],
    ["verify receiver --list --only receiver/tamperd", "receiver/tampered"],
  ] as const) {
    const err: unknown = expect.stringMatching(new RegExp(`did you mean ${meant}\\?`, "i"));
    expect([given, await ran(given.split(" "))]).toMatchObject([given, { status: 2, err }]);
  }
});
