import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { receiverTarget, type Verdict } from "@countersign/contract-kit";
import { reference } from "@countersign/schemas/providers";
import { describe, expect, it, onTestFinished } from "vitest";
import { Command, CommanderError } from "commander";
import { checkOf, unreachable } from "../../contract-kit/test/fake-provider.ts";
import { define } from "../src/command.ts";
import { requireListening } from "../src/commands/verify-receiver.ts";
import { Failure } from "../src/failure.ts";
import * as option from "../src/options.ts";
import { escaping } from "../src/terminal.ts";
import { verifyTarget } from "../src/verify/verify.ts";
import { verifyOptions } from "../src/verify/verify-options.ts";
import { listen } from "../../service/test/sandbox/listen.ts";
import { SECRET } from "./fixtures.ts";
import { quietSurroundings, ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** Verifies a service that is never called: the one check returns `verdicts`. */
async function verified(
  verdicts: readonly Verdict[],
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const command = new Command("provider").exitOverride();
  command.configureOutput({ writeErr: () => {} });
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
  } as const;
  let holds = true;
  const unmet = (): void => void (holds = false);
  const quiet = quietSurroundings(said, env);
  define({
    options: {
      url: option.text("<url>", ""),
      types: option.words("<type...>", ""),
      ...verifyOptions,
    },
    run: (options, surroundings, given) =>
      verifyTarget({ ...verification, command: given.command }, options, surroundings),
  })(command, { ...quiet, terminal: escaping(quiet.terminal), unmet });
  await command.parseAsync(["--url", unreachable.url, ...args], { from: "user" });
  return { holds, ...said };
}

const fails: Verdict = {
  requirement: "P-AUTH-BEARER",
  status: "fail",
  message: "answered 204",
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
      /^ +again +countersign verify provider .+ --only provider\/said --seed 1$/m,
    );
    expect(out).toMatch(/^pass {3}P-EVENT-RETRY-AFTER /m);
    expect(out).toMatch(/^note: the clock differs$/m);
    expect(out).toMatch(/\b1 pass.*\b1 fail/);
  });

  it("repeats a failure with the options that were given, without those of one run", async () => {
    const file = join(temporaryFolder(), "report.json");
    const more = ["--types", "a", "b", "--fail-on", "exploitable,hygiene", "--seed", "3"];
    const { out } = await verified([fails], [...more, "--report", `json=${file}`]);
    expect(/^ +again +(.*)$/m.exec(out)?.[1]).toBe(
      `countersign verify provider --url ${unreachable.url} --types a b --fail-on exploitable,hygiene --only provider/said --seed 3`,
    );
  });

  it("says of an incomplete run what was left out, not what does not apply", async () => {
    const away: Verdict = { ...mild, status: "not_applicable", message: "it signs no time" };
    const left: Verdict = { ...fails, status: "skipped", message: "the receiver ended" };
    await expect(
      verified([away, { ...passes, requirement: "P-AUTH-TOKEN" }, left]),
    ).rejects.toMatchObject({
      code: "CS_CLI_UNVERIFIED",
      message: expect.stringContaining("the run is incomplete: the receiver ended") as string,
    });
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
    for (const [name, value, message] of [
      ["--only", "P-AUTH-BAERER", "did you mean P-AUTH-BEARER?"],
      ["--only", "provider/sayd", "did you mean provider/said?"],
      ["--skip", "nonsense=why", '"nonsense"'],
      ["--report", "json=/dev/null/a", "/dev/null/a"],
    ] as const) {
      const run = verified([fails], [name, value]);
      await expect(run).rejects.toThrow(message);
      await expect(run).rejects.toThrow(Failure);
    }
    for (const text of ["--skip P-AUTH-BEARER", "--report pdf=a", "--report json", "--seed x"])
      await expect(verified([fails], text.split(" "))).rejects.toThrow(CommanderError);
  });
});

describe("countersign verify --baseline", () => {
  const id = "provider/said#P-AUTH-BEARER";
  const other = { ...fails, requirement: "P-REFUND-KEY" };

  it("accepts the failures of an earlier report only, and reports fixed ones", async () => {
    const file = join(temporaryFolder(), "report.json");
    expect((await verified([fails], ["--report", `json=${file}`])).holds).toBe(false);
    const one = await verified([fails], ["--baseline", file]);
    expect(one.holds).toBe(true);
    expect(one.out).toMatch(/^known {2}P-AUTH-BEARER/m);
    expect(one.out).toContain("1 known");
    expect((await verified([fails, other], ["--baseline", file])).holds).toBe(false);
    const fixed = await verified([passes], ["--baseline", file]);
    expect(fixed.holds).toBe(true);
    expect(fixed.out).toMatch(new RegExp(`remove .*baseline: ${id}`));
  });

  it.each([
    ["not JSON", "{", "JSON"],
    ["without entries", "{}", '"entries"'],
    ["with an entry without an id", '{"entries":[{"status":"fail"}]}', "/entries/0"],
    ["missing", undefined, "--report json=FILE"],
  ])("fails before anything is sent if the file is %s", async (_what, text, message) => {
    const path = join(temporaryFolder(), "baseline.json");
    if (text !== undefined) writeFileSync(path, text);
    const run = verified([fails], ["--baseline", path]);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toMatchObject({ code: "CS_CLI_BASELINE_UNUSABLE" });
  });
});

describe("the first answer of a receiver", () => {
  /** A receiver whose answer the test sends, and whose time the test ends. */
  const openSilent = async () => {
    const called = Promise.withResolvers<() => void>();
    const url = await listen((_request, response) => called.resolve(() => response.end()));
    const waits: { readonly ms: number; readonly end: () => void }[] = [];
    const clock = {
      now: Date.now,
      elapsed: () => 0,
      after: (ms: number, end: () => void) => {
        waits.push({ ms, end });
        return () => {};
      },
    };
    const secrets = [SECRET];
    const target = receiverTarget({ url, provider: reference, secrets, deadlineMs: 1000, clock });
    onTestFinished(target.close);
    const listening = requireListening(target);
    return { answer: await called.promise, waits, listening, url: target.url };
  };

  it("may take 30 s, longer than the provider waits", async () => {
    const { answer, waits, listening } = await openSilent();
    expect(waits.map(({ ms }) => ms)).toEqual([30_000]);
    answer();
    await expect(listening).resolves.toBeUndefined();
  });

  it("is not waited for longer than 30 s", async () => {
    const { waits, listening, url } = await openSilent();
    waits[0]?.end();
    await expect(listening).rejects.toMatchObject({
      code: "CS_CLI_UNVERIFIED",
      message: `${url} does not answer within 30000 ms`,
    });
  });
});
