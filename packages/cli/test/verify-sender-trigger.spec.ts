import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../src/program.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { listen } from "../../service/test/sandbox/listen.ts";
import { quietSurroundings } from "./ran.ts";
import { start } from "./start-command.ts";
import { SENDER, verify } from "./verify-sender.ts";

/** True if a process runs: one that has ended and waits for its parent does not. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

describe("the trigger of countersign verify sender", () => {
  it(
    "ends at an interruption with exit code 2, a partial report, and nothing left running",
    { tags: "ci" },
    async () => {
      const file = join(temporaryFolder(), "pid");
      const stopped = new AbortController();
      const said = { out: "", err: "" };
      const quiet = quietSurroundings(said, { PATH: process.env["PATH"] });
      const out = (line: string): void => {
        quiet.terminal.out(line);
        stopped.abort();
      };
      const trigger = `${SENDER} & echo $! > "${file}"; wait`;
      const status = await run(
        ["verify", "sender", "--listen", "127.0.0.1", "--trigger", trigger],
        {
          ...quiet,
          terminal: { ...quiet.terminal, out },
          interruption: () => stopped.signal,
        },
      );
      expect([status, said.err]).toEqual([2, expect.stringContaining("the run was interrupted")]);
      await expect.poll(() => isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
    },
  );

  it.each([
    ["that waits for the first attempt", 1, 'sleep 983 & echo $! >> "$PIDS"; wait'],
    ["whose trigger has exited", 2, `${SENDER} & sleep 983 & echo $! >> "$PIDS"`],
  ])(
    "ends a run %s at an interruption, with all that the trigger has started",
    async (_what, triggers, trigger) => {
      const file = join(temporaryFolder(), "pids");
      const report = join(temporaryFolder(), "report.json");
      writeFileSync(file, "");
      const pids = () => readFileSync(file, "utf8").split("\n").slice(0, -1).map(Number);
      const stopped = new AbortController();
      const said = { out: "", err: "" };
      // The wait is longer than the test may take.
      const more = ["--wait", "600", "--only", "sender/retries", "--report", `json=${report}`];
      const status = run(
        ["verify", "sender", "--listen", "127.0.0.1", "--trigger", trigger, ...more],
        {
          ...quietSurroundings(said, {
            PATH: process.env["PATH"],
            PIDS: file,
            SENDER_FAULT: "never-retries",
          }),
          interruption: () => stopped.signal,
        },
      );
      await expect.poll(pids, { timeout: 10_000 }).toHaveLength(triggers);
      stopped.abort();
      expect([await status, said.err]).toEqual([
        2,
        expect.stringContaining("CS_CLI_UNVERIFIED: the run was interrupted"),
      ]);
      expect(readFileSync(report, "utf8")).toContain("the run was interrupted");
      // The process would end now: nothing later may stop them.
      await expect.poll(() => pids().some(isAlive), { timeout: 1000 }).toBe(false);
    },
  );

  it.each([
    ["a process that has left the trigger's group", "--trigger", "setsid "],
    ["a server that --subscribe has started, which goes on", "--subscribe", ""],
  ])("ends although the stderr of a command is open in %s", async (_where, option, prefix) => {
    const folder = temporaryFolder();
    const file = join(folder, "pids");
    const background = `${prefix}sh -c 'echo $$ >> "${file}"; exec sleep 985' & exit 0`;
    const commands = { "--trigger": "true", [option]: background };
    const more = ["--listen", "127.0.0.1", "--wait", "1", ...Object.entries(commands).flat()];
    const running = start(["verify", "sender", ...more], { folder });
    const pids = () => readFileSync(file, "utf8").trim().split("\n").map(Number);
    onTestFinished(() => pids().forEach((pid) => process.kill(pid, "SIGKILL")));
    expect([await running.exited, running.stderr()]).toEqual([
      2,
      expect.stringMatching(/CS_CLI_UNVERIFIED: .*no attempt arrived .* after --trigger/),
    ]);
    expect(pids().every(isAlive)).toBe(true);
  });

  it("triggers by an HTTP call, and shows the secret in no report", async () => {
    let secret = "";
    const url = await listen((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const facts = JSON.parse(Buffer.concat(chunks).toString()) as {
          url: string;
          secret: string;
        };
        ({ secret } = facts);
        const headers = { "content-type": "text/plain", "x-debug": secret };
        void fetch(facts.url, { method: "POST", body: "{}", headers });
        response.writeHead(202).end();
      });
    });
    const { status, out } = await verify(["--only", "sender/deliveries"], {}, `POST ${url}/fire`);
    expect(out).toMatch(/^FAIL {3}P-EVENT-NO-SECRETS/m);
    expect(secret).toMatch(/^whsec_/);
    expect(out).not.toContain(secret);
    expect(status).toBe(1);
  });

  it("exits with 2 and one sentence if the trigger fails, nothing arrives or the port is in use", async () => {
    const port = Number(new URL(await listen(() => undefined)).port);
    for (const [trigger, more, sentence] of [
      ["echo broken >&2; exit 3", [], /--trigger ended with 3: broken/],
      [
        "POST http://127.0.0.1:1/fire",
        [],
        /--trigger: POST http:\/\/127\.0\.0\.1:1\/fire: no answer/,
      ],
      ["true", ["--listen", `127.0.0.1:${port}`], /CS_CLI_PORT_TAKEN: --listen .* is in use/],
      [" ", [], /--trigger is empty/],
      ["true", ["--provider", "aws-sns"], /AWS SNS|Amazon SNS/],
    ] as const) {
      const { status, out, err } = await verify(more, {}, trigger);
      const line = err.split("\n").find((one) => one.startsWith("countersign: "));
      expect([status, out, line]).toEqual([2, "", expect.stringMatching(sentence)]);
    }
  });

  it.each([
    ["that is cut off", 24, 'printf "%s%0290d" "$COUNTERSIGN_SECRET" 0'],
    ["without its prefix", 24, 'echo "${COUNTERSIGN_SECRET#whsec_}"'],
    ["in base64", 24, 'printf %s "$COUNTERSIGN_SECRET" | base64'],
    [
      "in 80 kB of hex",
      750,
      'yes "$(printf %s "$COUNTERSIGN_SECRET" | od -An -v -tx1 | tr -d " \\n")" | head -n 40 | tr -d "\\n"',
    ],
  ])("shows no part of a secret on its stderr %s", async (_how, bytes, print) => {
    const key = randomBytes(bytes).toString("base64");
    const isLong = bytes > 24;
    const more = ["--provider", isLong ? "github" : "standard-webhooks"];
    const secret = isLong ? key : `whsec_${key}`;
    const env = { COUNTERSIGN_SECRET: secret };
    const { status, err } = await verify(more, env, `${print} >&2; exit 3`);
    expect([status, err]).toEqual([2, expect.stringContaining("--trigger ended with 3")]);
    const text = Buffer.from(secret);
    for (const form of [key, text.toString("base64"), text.toString("hex")])
      for (let at = 0; at + 8 <= form.length; at += 1)
        expect(err).not.toContain(form.slice(at, at + 8));
  });

  it("may not be a URL with a name or a password, which no message shows", async () => {
    const trigger = "POST http://user:pw@127.0.0.1:1/x";
    const { status, err } = await verify([], {}, trigger);
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(
        /^countersign: CS_CLI_ARGUMENT_UNUSABLE: --trigger must not hold a name or a password/,
      ),
    ]);
    expect(err).not.toMatch(/user|pw/);
  });

  it("ends what a hanging trigger has started", async () => {
    const file = join(temporaryFolder(), "pid");
    const trigger = `sleep 60 & echo $! > "${file}"; sleep 60`;
    const { status, err } = await verify(["--wait", "1"], {}, trigger);
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/no attempt arrived .* after --trigger/),
    ]);
    const pid = Number(readFileSync(file, "utf8"));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
