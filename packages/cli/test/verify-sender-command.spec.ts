import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../test/free-port.ts";
import { ciAfter } from "../../../test/tags.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { listen } from "../../sandbox/test/listen.ts";
import { ran } from "./ran.ts";

const SENDER = `"${process.execPath}" "${fileURLToPath(new URL("senders/sender.mjs", import.meta.url))}"`;

const verify = (
  more: readonly string[],
  env: Readonly<Record<string, string>> = {},
  trigger = SENDER,
) =>
  ran(["verify", "sender", "--listen", "127.0.0.1", "--trigger", trigger, ...more], {
    PATH: process.env["PATH"],
    ...env,
  });

/** True if a process runs: one that has ended and waits for its parent does not. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

describe("countersign verify sender", () => {
  it(
    "passes an honest sender, which repeats its event in the foreground",
    { tags: "ci", timeout: 180_000 },
    async () => {
      const { status, out } = await verify(["--wait", "20"]);
      expect(out.match(/^(?:FAIL|warn|error).*/gm)).toBeNull();
      for (const id of [
        "SIGNED",
        "ID-KEPT",
        "RETRY-AFTER",
        "NO-REDIRECT",
        "SUCCESS",
        "TLS",
        "GONE",
      ])
        expect(out).toMatch(new RegExp(`^pass {3}P-EVENT-${id} `, "m"));
      expect(status).toBe(0);
    },
  );

  it("verifies a sender that knows one URL only", async () => {
    const port = await freePort(43_210);
    const at = ["--listen", `127.0.0.1:${port}`];
    const env = { SENDER_URL: `http://127.0.0.1:${port}/webhooks` };
    const { status, out } = await verify(
      [...at, "--only", "sender/deliveries", "sender/gone"],
      env,
    );
    expect(out).toMatch(/^pass {3}P-EVENT-SIGNED/m);
    expect(out).toMatch(/^n\/a {4}P-EVENT-GONE .*\n.*--reopen/m);
    expect(status).toBe(0);
  });

  const mistakes = [
    ["unsigned-id", "P-EVENT-SIGNED", "sender/deliveries"],
    ["new-body", "P-EVENT-ID-KEPT", "sender/retries"],
    ["follows", "P-EVENT-NO-REDIRECT", "sender/attempt-answers"],
    ["decodes-url", "P-EVENT-HEADER-INJECTION", "sender/header-injection"],
    ["media", "P-EVENT-HEADERS", "sender/deliveries"],
    ["debug", "P-EVENT-NO-SECRETS", "sender/deliveries"],
    ["old-time", "P-EVENT-TIMESTAMP", "sender/retries"],
    ["new-id", "P-EVENT-ID-KEPT", "sender/retries"],
    ["never-retries", "P-EVENT-RETRY", "sender/retries"],
    ["type-header", "P-EVENT-HEADER-INJECTION", "sender/header-injection"],
  ] as const;
  for (const [index, [fault, requirement, check]] of mistakes.entries())
    it.concurrent(
      `names the mistake ${fault} by ${requirement}`,
      { tags: ciAfter(4, index) },
      async () => {
        const more = [
          "--wait",
          // Only one sender waits so long in vain.
          fault === "never-retries" ? "3" : "20",
          "--only",
          check,
          "--fail-on",
          "exploitable,loses-or-repeats-events",
        ];
        const { status, out } = await verify(more, { SENDER_FAULT: fault });
        expect(out).toMatch(new RegExp(`^FAIL {3}${requirement} `, "m"));
        expect(status).toBe(1);
      },
    );

  it.concurrent.each([
    ["drops-4xx", "P-EVENT-SUCCESS", "sender/attempt-answers"],
    ["hurries", "P-EVENT-RETRY-AFTER", "sender/retry-after"],
    ["no-dates", "P-EVENT-RETRY-AFTER", "sender/retry-after"],
  ])(
    "names the mistake %s by %s, with a retry that it has measured",
    { tags: "ci" },
    async (fault, id, check) => {
      const more = ["--wait", "20", "--only", "sender/retries", check];
      const { out } = await verify(more, { SENDER_FAULT: fault });
      expect(out).toMatch(new RegExp(`^(?:FAIL|warn) {3}${id} `, "m"));
    },
  );

  it("names a sender that verifies no certificate", async () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { status, out } = await verify(["--only", "sender/certificates"], env);
    expect(out).toMatch(/^FAIL {3}P-EVENT-TLS /m);
    expect(status).toBe(1);
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

  it("exits with 2 and one sentence if the trigger fails, nothing arrives or the port is taken", async () => {
    const port = Number(new URL(await listen(() => undefined)).port);
    for (const [trigger, more, sentence] of [
      ["echo broken >&2; exit 3", [], /--trigger ended with 3: broken/],
      [
        "POST http://127.0.0.1:1/fire",
        [],
        /--trigger: POST http:\/\/127\.0\.0\.1:1\/fire: no answer/,
      ],
      ["true", ["--listen", `127.0.0.1:${port}`], /CS_CLI_PORT_TAKEN: --listen .* is taken/],
      [" ", [], /--trigger is empty/],
      ["true", ["--provider", "aws-sns"], /AWS SNS|Amazon SNS/],
    ] as const) {
      const { status, out, err } = await verify(more, {}, trigger);
      const [line] = err.split("\n", 1);
      expect([status, out, line]).toEqual([2, "", expect.stringMatching(sentence)]);
    }
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
