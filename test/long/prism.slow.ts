import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { httpSend, providerChecks, requirements, run } from "@countersign/contract-kit";
import { expect, it, onTestFinished } from "vitest";
import { profiles } from "@countersign/schemas/profiles";
import { openTargetAt } from "../../packages/contract-kit/test/provider/open-target.ts";
import { openSandbox } from "../../packages/service/test/sandbox/open-sandbox.ts";
import { drawn, seed } from "../seed.ts";
import { temporaryFolder } from "../temporary-folder.ts";

// Prism shares no code with this repository: it reads /openapi.json and, as a proxy in front of the service,
// reports each call and answer that violates it.

const require = createRequire(import.meta.url);
const bin = join(dirname(require.resolve("@stoplight/prism-cli/package.json")), "dist/index.js");

/** Starts Prism in front of a service until the test ends. @returns Prism's URL. */
function startPrism(document: string, service: string): Promise<string> {
  const prism = spawn(process.execPath, [bin, "proxy", document, service, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void prism.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    let said = "";
    prism.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /Prism is listening on (http:\/\/[\w.]+:[1-9]\d*)\b/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    prism.once("exit", () => reject(new Error(`Prism ended: ${said}`)));
  });
}

/** Checks of the kit: Prism sees their calls and the answers. Each seed makes calls that get every status below. */
const TRAFFIC =
  "customers over-refund request-keys key-scope refund-states selection unsubscribing tokens invalid-requests";

/** Profiles, with the statuses of a repeated key, an unknown payment and a refund that is too large. */
const drawable = [
  ["standard", [409, 404, 422]],
  ["x-signature", [400, 404, 400]],
] as const;

// Prism takes long to start: the run's seed draws one profile.
it.each(drawn(drawable, 1))(
  "the service of profile %s answers calls and refuses wrong ones as its OpenAPI document says, by Prism",
  async (name, refusals) => {
    const profile = profiles[name];
    const { sandbox, token, call } = await openSandbox({ profile });
    const document = join(temporaryFolder(), "openapi.json");
    writeFileSync(document, (await call("GET", "/openapi.json")).text);
    const { send, close } = httpSend(await startPrism(document, sandbox.url));
    onTestFinished(close);

    const statuses = new Set<number>();
    const violations: object[] = [];
    let refusedCalls = 0;
    const target = await openTargetAt(sandbox.url, token, {
      profile,
      fault: async (asked) => {
        const answer = await send(asked);
        statuses.add(answer.status);
        // Prism's own header.
        const found = JSON.parse(answer.headers["sl-violations"] ?? "[]") as {
          readonly location: readonly string[];
        }[];
        // A call that violates the document is refused, by an answer that does not.
        const ofAnswer = found.filter(({ location: [where] }) => where === "response");
        const wrong = answer.status < 400 ? found : ofAnswer;
        violations.push(...wrong.map((one) => ({ ...asked, status: answer.status, ...one })));
        if (found.length > wrong.length) refusedCalls += 1;
        return answer;
      },
    });
    const only = TRAFFIC.split(" ").map((check) => `provider/${check}`);
    await run({
      target,
      checks: providerChecks,
      requirements: requirements(),
      only,
      seed,
      runs: 1,
    });
    expect(violations).toEqual([]);
    expect(refusedCalls).toBeGreaterThan(10);
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, ...refusals]));

    // Prism reports an answer that violates the document.
    const fault = { route: "GET /v1/customers", kind: "status", status: 418 };
    await call("PUT", "/sandbox/faults", { json: { faults: [fault] } });
    const headers = { accept: "application/json", authorization: `Bearer ${token}` };
    await target.send({ method: "GET", path: "/v1/customers/cus_none", headers });
    expect(violations).toHaveLength(1);
  },
);
