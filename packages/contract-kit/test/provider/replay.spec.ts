import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ProviderTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it, onTestFinished } from "vitest";
import type { Verdict } from "../../src/check.ts";
import { httpSend } from "../../src/http-send.ts";
import { amounts } from "../../src/provider/amounts.ts";
import { commonHeaders } from "../../src/provider/http.ts";
import { serve } from "../pact/write-pact.ts";
import { TOKEN } from "../../../sandbox/test/open-sandbox.ts";
import { openTarget } from "./open-target.ts";

/** Opens a service on its own socket that cuts amounts after the second digit. */
async function openCutting(): Promise<ProviderTarget> {
  const target = await openTarget();
  const { send: pass, close } = httpSend(target.url);
  onTestFinished(close);
  const { url } = await serve(({ method = "", url: path = "", headers }, response, body) => {
    const { authorization = "", accept = "*/*" } = headers;
    const type = headers["content-type"] ?? "application/json";
    const cut = body.replace(/("value":\d+\.\d\d)\d+/, "$1");
    const sent = { authorization, accept, "content-type": type };
    void pass({ method, path, headers: sent, body: cut }).then((answer) => {
      response.writeHead(answer.status, { "content-type": answer.headers["content-type"] });
      response.end(answer.body);
    });
  });
  const { send, close: closeOwn } = httpSend(url);
  onTestFinished(closeOwn);
  return { ...target, url, send };
}

/** Statuses and bodies of another profile: every refusal has the wrong form. */
const broken = { ...profiles.standard.statuses, errorBody: "flat" } as const;

const failureOf = (verdicts: readonly Verdict[]): Extract<Verdict, { status: "fail" }> => {
  const found = verdicts.find((one) => one.status === "fail");
  if (found === undefined) throw new Error("nothing failed");
  return found;
};

it(
  "a failure repeats in a shell by its commands, and in one call by its seed and path",
  { tags: "ci" },
  async () => {
    const target = await openCutting();
    const { evidence, message } = failureOf(await amounts.run(target, { seed: 1, runs: 50 }));
    expect(message).toMatch(/is not an amount: expected 400, got 201/);
    const script = evidence?.curl.join("\n") ?? "";
    expect(script).not.toContain(TOKEN);
    const env = { PATH: process.env["PATH"], TOKEN };
    // Twice, since each makes new ids and keys.
    const ran = [
      await promisify(execFile)("bash", ["-c", script], { env }),
      await promisify(execFile)("bash", ["-c", script], { env }),
    ];
    for (const { stdout } of ran)
      expect(stdout.trim()).toMatch(/\{"paymentId":.*"paymentStatus":"PENDING".*$/);

    const { seed = 0, path = "" } = evidence?.replay ?? {};
    let calls = 0;
    const send: ProviderTarget["send"] = (call) => {
      calls += 1;
      return target.send(call);
    };
    const again = failureOf(await amounts.run({ ...target, send }, { seed, path, runs: 50 }));
    expect(again).toMatchObject({ message, evidence: { replay: { seed, path } } });
    expect(calls).toBe(1);
  },
);

it("a failure shows no token that a state has granted, however the state's answer is spaced", async () => {
  const target = await openCutting();
  const { states } = target;
  if (states === undefined) throw new Error("a sandbox prepares states");
  const granted: string[] = [];
  const send: ProviderTarget["send"] = async (call) => {
    const answer = await states.send(call);
    const values = JSON.parse(Buffer.from(answer.body).toString()) as { accessToken?: string };
    if (values.accessToken !== undefined) granted.push(values.accessToken);
    return { ...answer, body: Buffer.from(JSON.stringify(values, undefined, 1)) };
  };
  const verdicts = await commonHeaders.run(
    { ...target, states: { ...states, send }, profile: { ...target.profile, statuses: broken } },
    { seed: 1, runs: 1 },
  );
  const text = JSON.stringify(verdicts.filter(({ status }) => status === "fail"));
  expect(text).toContain("curl");
  expect(granted).not.toEqual([]);
  for (const token of granted) expect(text).not.toContain(token.slice(0, -1));
});
