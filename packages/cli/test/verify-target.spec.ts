import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { Command, CommanderError } from "commander";
import { checkOf, unreachable } from "../../contract-kit/test/fake-provider.ts";
import { Failure } from "../src/failure.ts";
import { withVerifyOptions, type VerifyOptions } from "../src/verify/verify-options.ts";
import { verifyTarget } from "../src/verify/verify-target.ts";
import { quietSurroundings, ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** Verifies a service that is never called: the one check returns `verdicts`. */
async function verified(
  verdicts: readonly Verdict[],
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const command = withVerifyOptions(new Command()).exitOverride();
  command.configureOutput({ writeErr: () => {} });
  command.parse(args, { from: "user" });
  const said = { out: "", err: "" };
  const opened = {
    target: unreachable,
    secrets: ["token-of-a-merchant"],
    notes: () => ["the clock differs"],
    close: () => {},
  };
  const verification = {
    role: "provider",
    checks: [checkOf("provider/said", ...verdicts)],
    open: () => Promise.resolve(opened),
    command: ["countersign", "verify", "provider", "--url", unreachable.url],
  } as const;
  const surroundings = { ...quietSurroundings(said, env), unmet: () => {} };
  // Commander's result has these members.
  const holds = await verifyTarget(verification, command.opts<VerifyOptions>(), surroundings);
  return { holds, ...said };
}

const fails: Verdict = {
  requirement: "P-AUTH-BEARER",
  status: "fail",
  message: "answered 204",
  evidence: { curl: [], replay: { seed: 1, path: "0:1" } },
};
const passes: Verdict = { requirement: "P-AUTH-BEARER", status: "pass" };
const mild: Verdict = { ...fails, requirement: "P-EVENT-RETRY-AFTER" };

describe("countersign verify", () => {
  it("prints a line for each pass, and the details of each failure", async () => {
    const { holds, out } = await verified([fails, { ...mild, status: "pass" }]);
    expect(holds).toBe(false);
    expect(out).toMatch(/^FAIL {3}P-AUTH-BEARER +A call without a valid bearer token/m);
    expect(out).toContain("answered 204");
    expect(out).toMatch(/^ +why +\S/m);
    expect(out).toMatch(
      /^ +again +countersign verify provider .+ --only provider\/said --seed 1 --path 0:1$/m,
    );
    expect(out).toMatch(/^pass {3}P-EVENT-RETRY-AFTER /m);
    expect(out).toMatch(/^note: the clock differs$/m);
    expect(out).toMatch(/\b1 pass.*\b1 fail/);
  });

  it("fails at the levels of --fail-on only", async () => {
    expect(await verified([mild])).toMatchObject({ holds: true });
    const failOn = (levels: string) => verified([mild], ["--fail-on", levels]);
    expect(await failOn("hygiene,interoperability")).toMatchObject({ holds: false });
    expect(await failOn("hygiene")).toMatchObject({ holds: true });
    expect(await ran(["verify", "receiver", "--fail-on", "MUST"])).toMatchObject({ status: 2 });
  });

  it("lists checks with --list, without a target", async () => {
    const { out } = await verified([fails], ["--list"]);
    expect(out).toMatch(/^P-AUTH-BEARER +exploitable +provider\/said +\S/);
    for (const which of ["receiver", "provider", "pacts"]) {
      const listed = await ran(["verify", which, "--list"]);
      expect([which, listed.status]).toEqual([which, 0]);
      expect(listed.out.split("\n").length).toBeGreaterThan(20);
    }
    expect(await ran(["verify", "receiver"])).toMatchObject({ status: 2 });
  });

  it("rejects unknown ids with a suggestion, malformed options, and a report that cannot be written", async () => {
    for (const [option, value, message] of [
      ["--only", "P-AUTH-BAERER", "did you mean P-AUTH-BEARER?"],
      ["--only", "provider/sayd", "did you mean provider/said?"],
      ["--skip", "nonsense=why", '"nonsense"'],
      ["--report", "json=/dev/null/a", "/dev/null/a"],
    ] as const) {
      const run = verified([fails], [option, value]);
      await expect(run).rejects.toThrow(message);
      await expect(run).rejects.toThrow(Failure);
    }
    for (const text of ["--skip P-AUTH-BEARER", "--report pdf=a", "--report json", "--seed x"])
      await expect(verified([fails], text.split(" "))).rejects.toThrow(CommanderError);
  });

  it("prints an annotation per failure in GitHub Actions, and no command that a target sent", async () => {
    const env = { GITHUB_ACTIONS: "true" };
    const message = "answered\n::add-mask::x";
    const { out } = await verified([{ ...fails, message }], [], env);
    const commands = out.split("\n").filter((line) => line.trimStart().startsWith("::"));
    expect(commands).toEqual([
      expect.stringMatching(/^::error title=P-AUTH-BEARER \(exploitable\)::A call without/),
      expect.stringMatching(/^::notice title=provider at http/),
    ]);
    const json = await verified([fails], ["--json"], env);
    expect(JSON.parse(json.out)).toMatchObject({ exitCode: 1 });
  });
});

describe("countersign verify --baseline", () => {
  const id = "provider/said#P-AUTH-BEARER";
  const other = { ...fails, requirement: "P-REFUND-KEY" };
  const failing = { known: [{ id, reason: "soon" }] };
  const file = (text: string = JSON.stringify(failing)): string => {
    const path = join(temporaryFolder(), "baseline.json");
    writeFileSync(path, text);
    return path;
  };
  const known = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

  it("accepts known failures only, and reports fixed ones", async () => {
    const one = await verified([fails], ["--baseline", file()]);
    expect(one.holds).toBe(true);
    expect(one.out).toMatch(/^known {2}P-AUTH-BEARER/m);
    expect(one.out).toContain("1 known");
    const more = await verified([fails, other], ["--baseline", file()]);
    expect(more).toMatchObject({ holds: false });
    const fixed = await verified([passes], ["--baseline", file()]);
    expect(fixed.holds).toBe(true);
    expect(fixed.out).toMatch(new RegExp(`remove .*baseline: ${id}`));
  });

  it("is written with --update-baseline, keeps its reasons and drops fixed failures", async () => {
    const path = join(temporaryFolder(), "new.json");
    const update = (at: string) => ["--baseline", at, "--update-baseline"];
    const first = await verified([fails, other], update(path));
    expect(first).toMatchObject({ holds: true, err: "baseline: 2 added, 0 removed\n" });
    expect(known(path)).toEqual({ known: [{ id }, { id: "provider/said#P-REFUND-KEY" }] });
    const kept = file();
    await verified([fails], update(kept));
    expect(known(kept)).toEqual(failing);
    await verified([passes], update(kept));
    expect(known(kept)).toEqual({ known: [] });
  });

  it("fails before anything is sent if the file is malformed or missing", async () => {
    for (const [path, message] of [
      [file("{"), "JSON"],
      [file('{"known":[{"id":1}],"more":1}'), "/known/0/id"],
      [file('{"known":[{"id":"a"},{"id":"a"}]}'), '"a" twice'],
      [join(temporaryFolder(), "none.json"), "--update-baseline"],
      [undefined, "--baseline"],
    ] as const) {
      const args = path === undefined ? ["--update-baseline"] : ["--baseline", path];
      const run = verified([fails], args);
      await expect(run).rejects.toThrow(message);
      await expect(run).rejects.toMatchObject({ code: "CS_CLI_BASELINE_UNUSABLE" });
    }
  });
});
