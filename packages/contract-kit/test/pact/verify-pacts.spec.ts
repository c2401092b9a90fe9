import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceProvider } from "../../src/pact/service-provider.ts";
import { verifyPacts } from "../../src/pact/verify-pacts.ts";
import { openTarget } from "../provider/open-target.ts";
import { openBank, serve, writePact } from "./write-pact.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const get = { description: "a call" };
const message = { description: "a message", metadata: { "webhook-id": "evt_1" } };
const pactOf = (...interactions: Parameters<typeof writePact>[0]) => ({
  pacts: [writePact(interactions)],
});
const failing = () => Promise.reject(new Error("no such payment"));

describe("a verification of pacts", () => {
  it("has a row for each interaction, with its problems", async () => {
    const { url, calls } = await serve(({ url: path }, response) => {
      response.statusCode = path === "/gone" ? 410 : 200;
      response.end();
    });
    const sent = { body: Buffer.from('{"a":1}'), metadata: { "webhook-id": "evt_1" } };
    const body = '{"a":1.0,"big":9007199254740993,"c":1000.0}';
    const { isOk, rows, problems } = await verifyPacts({
      provider: {
        name: "bank",
        url,
        enter: (state) => (state === "broken" ? failing() : Promise.resolve({})),
        message: (description) =>
          description === "no message"
            ? Promise.reject(new Error("no delivery came"))
            : Promise.resolve(sent),
      },
      ...pactOf(
        get,
        { description: "without a state", state: null },
        { description: "exact numbers", body },
        { description: "wrong status", path: "/gone" },
        { description: "wrong state", state: "broken" },
        message,
        { description: "no message", metadata: {} },
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
      "no message: false",
      "other metadata: false",
    ]);
    const problemsOf = (name: string) =>
      rows.find(({ description }) => description === name)?.problems;
    expect(problemsOf("a call")).toEqual([]);
    expect(problemsOf("wrong status")).toEqual(["StatusMismatch expected 200 but was 410"]);
    expect(problemsOf("wrong state")).toContain('state "broken": no such payment');
    expect(problemsOf("no message")).toContain("message: no delivery came");
    expect(problemsOf("other metadata")?.[0]).toMatch(/^MetadataMismatch webhook-id/);
    expect(calls).toContain(`POST /x ${body}`);
  });

  it("fails an interaction that nobody answers", { tags: "ci" }, async () => {
    const provider = { ...(await openBank()), url: "http://127.0.0.1:1" };
    const { rows, isOk } = await verifyPacts({ provider, ...pactOf(get) });
    expect(isOk).toBe(false);
    expect(rows[0]?.problems.join()).toContain("http://127.0.0.1:1");
  });

  it("fails an interaction with a message if the provider gives none", async () => {
    const { rows } = await verifyPacts({ provider: await openBank(), ...pactOf(get, message) });
    expect(rows.map(({ isOk }) => isOk)).toEqual([true, false]);
    expect(rows[1]?.problems).toContain("message: nothing gives the messages");
  });

  it("names the refused call that was to prepare an event", async () => {
    const { states } = await openTarget();
    if (states === undefined) throw new Error("a sandbox prepares states");
    const busy = { status: 503, headers: {}, body: Buffer.from("busy") };
    const send = () => Promise.resolve(busy);
    const provider = await serviceProvider({ url: "", send, states, token: "" });
    onTestFinished(provider.close);
    const entering = provider.enter("an event", { type: "payment.created" });
    await expect(entering).rejects.toThrow("POST /v1/webhook/subscribe → 503 busy");
  });

  it("stops Pact's core after the time limit", async () => {
    const { problems, rows } = await verifyPacts({
      provider: await openBank(),
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
    const provider = { ...(await openBank()), url };
    const result = await verifyPacts({ provider, ...pactOf(...interactions) });
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
    const { isOk, rows } = await verifyPacts({ provider: await openBank(), ...pactOf(get) });
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
