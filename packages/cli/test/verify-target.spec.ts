import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { httpSend, type ProviderCheck, type Verdict } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { Command } from "commander";
import { Failure } from "../src/failure.ts";
import { withVerifyOptions, type VerifyOptions } from "../src/verify/verify-options.ts";
import { verifyTarget } from "../src/verify/verify-target.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

/** Verifies a service that nobody calls: the checks say what they are told to. */
async function verified(
  verdicts: readonly Verdict[],
  args: readonly string[] = [],
  {
    interruption = new AbortController().signal,
    play = (): void => {},
    env = {},
    url = "http://127.0.0.1:1",
  } = {},
) {
  const command = withVerifyOptions(new Command()).exitOverride();
  command.configureOutput({ writeErr: () => {} });
  command.parse(args, { from: "user" });
  const said = { out: "", err: "" };
  const check: ProviderCheck = {
    id: "provider/said",
    title: "what it is told to say",
    role: "provider",
    requirements: verdicts.map(({ requirement }) => requirement),
    run: () => {
      play();
      // What never ends is left when somebody interrupts.
      return interruption.aborted ? new Promise(() => {}) : Promise.resolve(verdicts);
    },
  };
  const { send, close } = httpSend("http://127.0.0.1:1");
  const target = {
    role: "provider",
    url,
    send,
    token: () => Promise.resolve("token"),
    profile: profiles.standard,
  } as const;
  const verification = {
    role: "provider",
    checks: [check],
    open: () =>
      Promise.resolve({
        target,
        secrets: ["token-of-a-merchant"],
        notes: () => ["the clock differs"],
        close,
      }),
    command: ["countersign", "verify", "provider", "--url", target.url],
  } as const;
  const surroundings = {
    terminal: {
      out: (line: string) => void (said.out += `${line}\n`),
      err: (line: string) => void (said.err += `${line}\n`),
    },
    env,
    asked: () => Promise.resolve(),
    interruption: () => interruption,
    askSecret: () => Promise.resolve(undefined),
    unmet: () => {},
    version: "1.2.3",
  };
  // What commander has read has these members.
  const holds = await verifyTarget(verification, command.opts<VerifyOptions>(), surroundings);
  return { holds, ...said };
}

const fails: Verdict = { requirement: "P-AUTH-BEARER", status: "fail", message: "answered 204" };
const passes: Verdict = { requirement: "P-AUTH-BEARER", status: "pass" };
const mild: Verdict = {
  requirement: "P-EVENT-RETRY-AFTER",
  status: "fail",
  message: "answered 200",
};

describe("countersign verify, whatever the target", () => {
  it("prints a line for what passes, and all about what fails", async () => {
    const { holds, out } = await verified([
      fails,
      { requirement: "P-EVENT-RETRY-AFTER", status: "pass" },
    ]);
    expect(holds).toBe(false);
    expect(out).toMatch(/^FAIL {3}P-AUTH-BEARER +A call without a valid bearer token/m);
    expect(out).toContain("answered 204");
    expect(out).toMatch(/^ +why +A stranger must learn/m);
    expect(out).toMatch(
      /^ +again +countersign verify provider --url http:\/\/127.+ --only provider\/said --seed 1$/m,
    );
    expect(out).toMatch(/^pass {3}P-EVENT-RETRY-AFTER /m);
    expect(out).toMatch(/^note: the clock differs$/m);
    expect(out).toMatch(/^these do not hold:\n {2}FAIL P-AUTH-BEARER$/m);
    expect(out).toMatch(/^1 pass, 1 fail$/m);
  });

  it("tells no secret that a target gives back", async () => {
    const coded = Buffer.from("token-of-a-merchant").toString("base64");
    const message = `answered token-of-a-merchant and ${coded}`;
    const { out } = await verified([{ ...fails, message }]);
    expect(out).toContain("answered [secret] and [secret]");
  });

  it("fails a SHOULD only where it is asked to be strict", async () => {
    expect(await verified([mild])).toMatchObject({ holds: true });
    expect(await verified([mild], ["--strict"])).toMatchObject({ holds: false });
  });

  it("lists its checks and opens no target", async () => {
    const { out } = await verified([fails], ["--list"]);
    expect(out).toMatch(/^P-AUTH-BEARER +MUST +provider\/said +A call without/);
  });

  it("lists its checks where nothing is there to verify yet", async () => {
    for (const which of ["receiver", "provider", "pacts"]) {
      const { status, out } = await ran(["verify", which, "--list"]);
      expect({ which, status }).toEqual({ which, status: 0 });
      expect(out.split("\n").length).toBeGreaterThan(20);
    }
    expect(await ran(["verify", "receiver"])).toMatchObject({ status: 2 });
  });

  it("holds no value of an address's query", async () => {
    const { out } = await verified([fails], [], {
      url: "http://127.0.0.1:1/hooks?key=not-for-eyes",
    });
    expect(out).toContain("?key=[secret]");
    expect(out).not.toContain("not-for-eyes");
  });

  it.each([
    [
      ["--only", "P-AUTH-BAERER"],
      '--only: nothing here is called "P-AUTH-BAERER"; did you mean P-AUTH-BEARER?',
    ],
    [["--only", "provider/sayd"], "did you mean provider/said?"],
    [["--skip", "nonsense=why"], '--skip: nothing here is called "nonsense"; see --list'],
  ])("refuses %j, with what may be meant", async (args, message) => {
    await expect(verified([fails], args)).rejects.toThrow(message);
    await expect(verified([fails], args)).rejects.toThrow(Failure);
  });

  it.each([
    [["--skip", "P-AUTH-BEARER"]],
    [["--report", "pdf=a"]],
    [["--report", "json"]],
    [["--seed", "x"]],
  ])("refuses %j", async (args) => {
    await expect(verified([fails], args)).rejects.toThrow(/must be|invalid/);
  });
});

describe("in GitHub Actions", () => {
  const env = { GITHUB_ACTIONS: "true" };

  it("each failure is an annotation besides, and nothing that a target says is a command", async () => {
    const message = "answered\n::add-mask::x";
    const { out } = await verified([{ ...fails, message }], [], { env });
    const commands = out.split("\n").filter((line) => line.trimStart().startsWith("::"));
    expect(commands).toHaveLength(2);
    expect(commands[0]).toMatch(/^::error title=P-AUTH-BEARER::A call without/);
    expect(commands[1]).toMatch(
      /^::notice title=provider at http.*::One requirement does not hold/,
    );
  });

  it("JSON stays one object", async () => {
    const { out } = await verified([fails], ["--json"], { env });
    expect(JSON.parse(out)).toMatchObject({ exitCode: 1 });
  });
});

describe("the reports", () => {
  it("are written in every format, in folders that are made", async () => {
    const folder = join(temporaryFolder(), "reports");
    const formats = ["junit", "json", "html", "markdown", "github"];
    const files = formats.map((format) => `${format}=${join(folder, format)}`).join(",");
    await verified([fails], ["--report", files]);
    const beginnings = formats.map((format) =>
      readFileSync(join(folder, format), "utf8").slice(0, 9),
    );
    expect(beginnings).toEqual(["<?xml ver", '{\n  "titl', "<!doctype", "# Report:", "::error t"]);
  });

  it("that cannot be written end the command with 2", async () => {
    await expect(verified([fails], ["--report", "json=/dev/null/a"])).rejects.toMatchObject({
      code: "CS_CLI_REPORT_UNWRITABLE",
    });
  });
});

describe("a verification that is interrupted", () => {
  it("ends at once with what was found, says that it is a part, and writes its reports", async () => {
    const controller = new AbortController();
    const file = join(temporaryFolder(), "part.json");
    const run = verified([fails], ["--report", `json=${file}`], {
      interruption: controller.signal,
      play: () => controller.abort(),
    });
    await expect(run).rejects.toMatchObject({ code: "CS_CLI_UNVERIFIED" });
    await expect(run).rejects.toThrow("interrupted");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      exitCode: 2,
      entries: [{ status: "skipped", message: "the run was interrupted" }],
    });
  });
});

describe("a baseline", () => {
  const failing = JSON.stringify({
    known: [{ id: "provider/said#P-AUTH-BEARER", reason: "soon" }],
  });
  const file = (text: string): string => {
    const path = join(temporaryFolder(), "baseline.json");
    writeFileSync(path, text);
    return path;
  };

  it("lets a known failure fail without failing the run, and tells it", async () => {
    const { holds, out } = await verified([fails], ["--baseline", file(failing)]);
    expect(holds).toBe(true);
    expect(out).toMatch(/^known {2}P-AUTH-BEARER/m);
    expect(out).toContain("1 known to fail");
  });

  it("fails the run for a failure that it does not know", async () => {
    const more: Verdict = { ...fails, requirement: "P-REFUND-KEY" };
    expect(await verified([fails, more], ["--baseline", file(failing)])).toMatchObject({
      holds: false,
    });
  });

  it("says what is mended", async () => {
    const { holds, out } = await verified([passes], ["--baseline", file(failing)]);
    expect(holds).toBe(true);
    expect(out).toContain("mended: remove it from the baseline: provider/said#P-AUTH-BEARER");
  });

  it("is written where that is asked for, keeps its reasons, and loses what is mended", async () => {
    const path = join(temporaryFolder(), "new.json");
    const update = ["--baseline", path, "--update-baseline"];
    const first = await verified([fails, { ...fails, requirement: "P-REFUND-KEY" }], update);
    expect(first).toMatchObject({ holds: true, err: "baseline: 2 added, 0 removed\n" });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      known: [{ id: "provider/said#P-AUTH-BEARER" }, { id: "provider/said#P-REFUND-KEY" }],
    });
    const kept = file(failing);
    await verified([fails], ["--baseline", kept, "--update-baseline"]);
    expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual(JSON.parse(failing));
    await verified([passes], ["--baseline", kept, "--update-baseline"]);
    expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual({ known: [] });
  });

  it.each([
    ["is not JSON", "{", "is not JSON"],
    ["has another form", '{"known":[{"id":1}],"more":1}', "/known/0/id must be text"],
    ["names one twice", '{"known":[{"id":"a"},{"id":"a"}]}', 'has "a" twice'],
  ])("that %s ends the command before anything is sent", async (_what, text, message) => {
    const path = file(text);
    const run = verified([fails], ["--baseline", path]);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toMatchObject({ code: "CS_CLI_BASELINE_UNUSABLE" });
  });

  it("that is not there ends the command too", async () => {
    const absent = ["--baseline", join(temporaryFolder(), "none.json")];
    await expect(verified([fails], absent)).rejects.toThrow("--update-baseline makes it");
  });

  it("is named where it is to be written", async () => {
    await expect(verified([fails], ["--update-baseline"])).rejects.toMatchObject({
      code: "CS_CLI_BASELINE_UNUSABLE",
    });
  });
});
