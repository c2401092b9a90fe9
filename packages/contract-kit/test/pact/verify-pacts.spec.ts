import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpSend } from "../../src/http-send.ts";
import type { PactProvider } from "../../src/pact/pact-provider.ts";
import { verifyPacts } from "../../src/pact/verify-pacts.ts";
import { writePact } from "./write-pact.ts";

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** A real server for the test; the calls that it had, method, path and body. */
async function serve(answer: Answer): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      calls.push(`${String(request.method)} ${String(request.url)} ${body}`.trim());
      answer(request, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

const ok: Answer = (_request, _body, response) => void response.end();

async function bank(
  answer: Answer = ok,
  { timeoutMs, ...more }: Partial<PactProvider> & { readonly timeoutMs?: number } = {},
): Promise<{ provider: PactProvider; calls: string[] }> {
  const { url, calls } = await serve(answer);
  const { send, close } = httpSend(url, timeoutMs === undefined ? {} : { timeoutMs });
  onTestFinished(close);
  const states = { ready: () => Promise.resolve({}) };
  return { provider: { name: "bank", send, states, ...more }, calls };
}

const get = { description: "a call" };
const message = { description: "a message", metadata: { "webhook-id": "evt_1" } };

describe("a verification of pacts", () => {
  it("has a row for each interaction, with its problems", async () => {
    const { provider } = await bank((request, _body, response) => {
      response.statusCode = request.url === "/gone" ? 410 : 200;
      response.end();
    });
    const pacts = [writePact([get, { description: "another call", path: "/gone" }])];
    const { rows, isOk, problems } = await verifyPacts({ provider, pacts });
    expect({ isOk, problems }).toEqual({ isOk: false, problems: [] });
    expect(rows.map((row) => [row.description, row.isOk, row.problems])).toEqual([
      ["a call", true, []],
      ["another call", false, ["StatusMismatch expected 200 but was 410"]],
    ]);
  });

  it("needs no handler for an interaction without a state", async () => {
    const { provider } = await bank(ok, { states: {} });
    const pacts = [writePact([{ ...get, state: null }])];
    expect(await verifyPacts({ provider, pacts })).toMatchObject({ isOk: true });
  });

  it("fails where a state's handler throws, with what it said, and asks it once", async () => {
    let asked = 0;
    const fall = (): Promise<never> => {
      asked++;
      return Promise.reject(new Error("no such payment"));
    };
    const { provider } = await bank(ok, { states: { ready: fall } });
    const { rows } = await verifyPacts({ provider, pacts: [writePact([get])] });
    expect(rows[0]).toMatchObject({ isOk: false });
    expect(rows[0]?.problems).toContain('state "ready": no such payment');
    expect(asked).toBe(1);
  });

  it("fails where a message is not given, with what was said instead", async () => {
    const fall = (): Promise<never> => Promise.reject(new Error("no delivery came"));
    const { provider } = await bank(ok, { message: fall });
    const { rows } = await verifyPacts({ provider, pacts: [writePact([message])] });
    expect(rows[0]?.isOk).toBe(false);
    expect(rows[0]?.problems).toContain("message: no delivery came");
  });

  it("compares a message's metadata", async () => {
    const give = (id: string) => () =>
      Promise.resolve({ body: Buffer.from('{"a":1}'), metadata: { "webhook-id": id } });
    const { provider } = await bank(ok, { message: give("evt_1") });
    const pacts = [writePact([message])];
    expect(await verifyPacts({ provider, pacts })).toMatchObject({ isOk: true });
    const other = { ...provider, message: give("evt_2") };
    const { rows } = await verifyPacts({ provider: other, pacts });
    expect(rows[0]?.problems[0]).toMatch(/^MetadataMismatch webhook-id/);
  });

  it("passes a body's numbers on as they are written", async () => {
    const { provider, calls } = await bank();
    const body = '{"a":1.0,"big":9007199254740993,"c":1000.0}';
    const pacts = [writePact([{ ...get, body }])];
    expect(await verifyPacts({ provider, pacts })).toMatchObject({ isOk: true });
    expect(calls).toContain(`POST /x ${body}`);
  });

  it("says which interaction a provider did not answer in time", async () => {
    const answer: Answer = (request, _body, response) => {
      if (request.url !== "/slow") response.end();
    };
    // Of which the other call must not need as much, on a busy machine either.
    const { provider } = await bank(answer, { timeoutMs: 1500 });
    const pacts = [writePact([{ description: "a slow call", path: "/slow" }, get])];
    const { rows } = await verifyPacts({ provider, pacts });
    expect(rows.map(({ isOk }) => isOk)).toEqual([false, true]);
    expect(rows[0]?.problems.at(-1)).toMatch(/^no answer came: /);
  });

  it("says once that a provider is not there, and starts nothing", async () => {
    const { send, close } = httpSend("http://127.0.0.1:1");
    onTestFinished(close);
    const provider = { name: "bank", send, states: { ready: () => Promise.resolve({}) } };
    const { problems, isOk } = await verifyPacts({ provider, pacts: [writePact([get])] });
    expect(isOk).toBe(false);
    expect(problems).toEqual([
      expect.stringMatching(/^the provider does not answer: .*ECONNREFUSED/),
    ]);
  });

  it("ends a core that does not end", async () => {
    const { provider } = await bank();
    const { problems, rows } = await verifyPacts({
      provider,
      pacts: [writePact([get])],
      limitMs: 1,
    });
    expect(problems).toEqual(["no end after 1 ms"]);
    expect(rows[0]).toMatchObject({ isOk: false, problems: ["it was not verified"] });
  });

  it("judges what a pact cannot say", async () => {
    const { provider } = await bank(ok, { judge: () => ["a member too many"] });
    const { rows } = await verifyPacts({ provider, pacts: [writePact([get])] });
    expect(rows[0]).toMatchObject({ isOk: false, problems: ["a member too many"] });
  });
});

describe("a verification that would say nothing fails, where", () => {
  it.each([
    ["no interaction is there", [], "no pact has an interaction with bank"],
    ["a state has no handler", [{ ...get, state: "new" }], 'the state "new" has no handler'],
    ["a state is not used", [{ ...get, state: "new" }], 'no pact uses the state "ready"'],
    ["two interactions have one description", [get, get], 'interactions are described as "a call"'],
    ["nothing gives the messages", [message], "nothing gives the messages"],
  ])("%s", async (_what, interactions, problem) => {
    const { provider, calls } = await bank();
    const result = await verifyPacts({ provider, pacts: [writePact(interactions)] });
    expect(result.isOk).toBe(false);
    expect(result.problems.join("\n")).toContain(problem);
    expect(calls).toEqual([]);
  });
});
