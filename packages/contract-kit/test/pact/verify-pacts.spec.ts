import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Send } from "../../src/http-send.ts";
import { verifyPacts } from "../../src/pact/verify-pacts.ts";
import { openBank, serve, writePact } from "./write-pact.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const get = { description: "a call" };
const message = { description: "a message", metadata: { "webhook-id": "evt_1" } };
const pactOf = (...interactions: Parameters<typeof writePact>[0]) => ({
  pacts: [writePact(interactions)],
  provider: "bank",
});

describe("a verification of pacts", () => {
  it("has a row for each interaction, with its problems", async () => {
    const { url, calls } = await serve(({ url: path }, response) => {
      response.statusCode = path === "/gone" ? 410 : 200;
      response.end();
    });
    const body = '{"a":1.0,"big":9007199254740993,"c":1000.0}';
    const target = await openBank({ url });
    const { states } = target;
    if (states === undefined) throw new Error("a bank prepares states");
    const broken = { status: 422, headers: {}, body: Buffer.from("no such payment") };
    const send: typeof states.send = (call) =>
      String(call.body).includes('"broken"') ? Promise.resolve(broken) : states.send(call);
    const { isOk, rows, problems } = await verifyPacts({
      target: { ...target, states: { ...states, send } },
      ...pactOf(
        get,
        { description: "without a state", state: null },
        { description: "exact numbers", body },
        { description: "wrong status", path: "/gone" },
        { description: "wrong state", state: "broken" },
        message,
        { description: "other metadata", metadata: { "webhook-id": "evt_2" } },
      ),
    });
    expect({ isOk, problems }).toEqual({ isOk: false, problems: [] });
    expect(rows.map((row) => `${row.description}: ${row.isOk}`)).toEqual([
      "a call: true",
      "without a state: true",
      "exact numbers: true",
      "wrong status: false",
      "wrong state: false",
      "a message: true",
      "other metadata: false",
    ]);
    const problemsOf = (name: string) =>
      rows.find(({ description }) => description === name)?.problems;
    expect(problemsOf("a call")).toEqual([]);
    expect(problemsOf("wrong status")).toEqual(["StatusMismatch expected 200 but was 410"]);
    expect(problemsOf("wrong state")?.join()).toMatch(
      /state "broken": POST .* 422 no such payment/,
    );
    expect(problemsOf("other metadata")?.[0]).toMatch(/^MetadataMismatch webhook-id/);
    expect(calls).toContain(`POST /x ${body}`);
  });

  it("fails an interaction that nobody answers", { tags: "ci" }, async () => {
    const target = await openBank({ url: "http://127.0.0.1:1" });
    const { rows, isOk } = await verifyPacts({ target, ...pactOf(get) });
    expect(isOk).toBe(false);
    expect(rows[0]?.problems.join()).toContain("http://127.0.0.1:1");
  });

  it("fails an interaction whose message is not delivered, and names a refused subscription", async () => {
    const answering = (status: number, text: string): Send => {
      return () => Promise.resolve({ status, headers: {}, body: Buffer.from(text) });
    };
    const token = () => Promise.resolve("");
    const target = await openBank({ states: { url: "", send: answering(200, "{}"), token } });
    const silent = await verifyPacts({ target, ...pactOf(get, message) });
    expect(silent.rows.map(({ isOk }) => isOk)).toEqual([true, false]);
    expect(silent.rows[1]?.problems).toContain("message: no such delivery came in time");
    const busy = await openBank({ send: answering(503, "busy") });
    const { rows } = await verifyPacts({ target: busy, ...pactOf(message) });
    expect(rows[0]?.problems.join()).toContain("POST /v1/webhook/subscribe → 503 busy");
  });

  it("stops Pact's core after the time limit", async () => {
    const { problems, rows } = await verifyPacts({
      target: await openBank(),
      ...pactOf(get),
      limitMs: 1,
    });
    expect(problems).toEqual(["no end after 1 ms"]);
    expect(rows[0]).toMatchObject({ isOk: false, problems: ["it was not verified"] });
  });

  it.each([
    ["no pact has an interaction", [], "no pact has an interaction with bank"],
    ["two interactions share a description", [get, get], 'interactions are described as "a call"'],
  ])("fails without a call if %s", async (_what, interactions, problem) => {
    const { url, calls } = await serve((_request, response) => response.end());
    const target = await openBank({ url });
    const result = await verifyPacts({ target, ...pactOf(...interactions) });
    expect(result.isOk).toBe(false);
    expect(result.problems.join("\n")).toContain(problem);
    expect(calls).toEqual([]);
  });

  it("ignores the proxies and filters of the caller's environment", { tags: "ci" }, async () => {
    const names = ["HTTP_PROXY", "http_proxy", "PACT_DESCRIPTION", "PACT_BROKER_BASE_URL"];
    for (const name of names) process.env[name] = "http://127.0.0.1:1";
    onTestFinished(() => {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    });
    const { isOk, rows } = await verifyPacts({ target: await openBank(), ...pactOf(get) });
    expect({ isOk, rows: rows.length }).toEqual({ isOk: true, rows: 1 });
  });

  it("names the command that installs Pact if it is missing", () => {
    const folder = temporaryFolder();
    const sources = fileURLToPath(new URL("../../src/pact/", import.meta.url));
    cpSync(join(sources, "run-child.ts"), join(folder, "run-child.ts"));
    const program = `
      import { runChild } from "./run-child.ts";
      runChild({}, { limitMs: 1000 }).catch((error) => console.log(error.code, error.message));`;
    // Nothing of this workspace is found from there, and no path of the environment leads to it.
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: folder,
      env: {},
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(said).toMatch(/^CS_KIT_PACT_MISSING .*npm install --save-dev --ignore-scripts/);
  });
});
