import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../sandbox/test/listen.ts";
import { openSandbox, TOKEN, type TestSandbox } from "../../sandbox/test/open-sandbox.ts";
import { ran, type Ran } from "./ran.ts";
import { temporaryFolder } from "./start-command.ts";

const ends: (() => void | Promise<void>)[] = [];
let one: TestSandbox;
let url: string;
beforeAll(async () => {
  one = await openSandbox({}, (end) => ends.push(end));
  ({ url } = one.sandbox);
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const verify = (at: string, more: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  ran(["verify", "provider", "--url", at, ...more], { COUNTERSIGN_TOKEN: TOKEN, ...env });

const post = (path: string, body: object = {}, take?: object) => ({
  method: "POST",
  path,
  body,
  ...(take && { take }),
});
/** The sandbox's own controls, as hooks of another service would be mapped. */
const hooks = {
  headers: { authorization: "Bearer {{token}}", "x-hook": "{{env.COUNTERSIGN_CONTROL_KEY}}" },
  controls: {
    createPayment: [
      post("/sandbox/customers", {}, { customerId: "/id" }),
      post("/sandbox/customers/{{customerId}}/link"),
      post(
        "/sandbox/payments",
        {
          customerId: "{{customerId}}",
          amount: { currency: "USD", value: "{{number amount}}" },
        },
        { paymentId: "/paymentId" },
      ),
      post("/sandbox/payments/{{paymentId}}/authorize"),
    ],
    readClock: [{ method: "GET", path: "/sandbox/clock", take: { now: "/now" } }],
    advanceClock: [{ method: "PUT", path: "/sandbox/clock", body: { advance: "{{duration}}" } }],
    emitEvent: [post("/sandbox/events", { type: "{{type}}" }, { eventId: "/id" })],
  },
};

function fileOf(json: unknown): string {
  const file = join(temporaryFolder(), "hooks.json");
  writeFileSync(file, JSON.stringify(json));
  return file;
}

describe("countersign verify provider", () => {
  it("verifies a sandbox through its controls and receives its deliveries", async () => {
    const file = join(temporaryFolder(), "report.json");
    const only = ["--only", "provider/tokens", "provider/selection", "provider/customers"];
    const more = ["--sandbox-url", url, ...only, "--report", `json=${file}`];
    const { status, out } = await verify(url, more);
    expect(out).toMatch(/^pass {3}P-SUBSCRIBE-SELECT/m);
    expect(out).toMatch(/^pass {3}P-AUTH-TOKEN /m);
    expect(status).toBe(0);
    expect(readFileSync(file, "utf8")).toContain('"exitCode": 0');
  });

  it("drives a service through a file of hooks, and reports what the file does not map", async () => {
    const only = ["provider/over-refund", "provider/deliveries", "provider/refund-states"];
    const more = ["--control", fileOf(hooks), "--runs", "2", "--only", ...only];
    const env = { COUNTERSIGN_CONTROL_KEY: "a-key-of-the-hooks" };
    const { status, out } = await verify(url, more, env);
    expect(out).toMatch(/^pass {3}P-REFUND-SUM/m);
    expect(out).toMatch(/^pass {3}P-EVENT-SIGNED/m);
    expect(out).toMatch(/^n\/a {4}P-REFUND-PENDING.*\n.*settles/m);
    expect(out).not.toContain("a-key-of-the-hooks");
    expect(status).toBe(0);
  });

  it("verifies what a URL and a client's credentials allow without controls", async () => {
    const made = await one.call("POST", "/sandbox/merchants", { json: {} });
    const clientSecret = String(made.body["clientSecret"]);
    const env = {
      COUNTERSIGN_CLIENT_ID: String(made.body["clientId"]),
      COUNTERSIGN_CLIENT_SECRET: clientSecret,
      COUNTERSIGN_TOKEN_2: TOKEN,
    };
    const { status, out } = await ran(["verify", "provider", "--url", url], env);
    expect(out).toMatch(/^pass {3}P-AUTH-TOKEN /m);
    expect(out).toMatch(/^pass {3}P-UNSUBSCRIBE-NOT-FOUND/m);
    expect(out).toMatch(/^n\/a {4}P-REFUND-SUM.*\n.*payments/m);
    expect(out).toMatch(/--sandbox-url .*--control/);
    expect(out).not.toContain(clientSecret);
    expect(status).toBe(0);
  });

  it("prints a command that reproduces a failure", async () => {
    const forbidding = await listen((_, response) => {
      response.writeHead(403, { "content-type": "application/problem+json" }).end("{}");
    });
    const first = await verify(forbidding, ["--only", "provider/common-headers"]);
    expect(first.status).toBe(1);
    const again = /countersign (verify provider .* --path \S+)$/m.exec(first.out)?.[1] ?? "";
    expect(again).toMatch(/--only provider\/common-headers --seed 1 --path 0$/);
    const second = await ran(again.split(" "), { COUNTERSIGN_TOKEN: TOKEN });
    const failed = ({ out }: Ran) => /^FAIL +\S+/m.exec(out)?.[0];
    expect([second.status, failed(second)]).toEqual([1, failed(first)]);
    expect(failed(first)).toBeDefined();
  });

  it("names the place of each fault of a control file, and a variable that is not set", async () => {
    const wrong = { controls: { failPayment: [{ method: "POST", path: "/{{payment}}" }] } };
    const faulty = await verify(url, ["--control", fileOf(wrong)]);
    expect(faulty.err).toMatch(
      /CS_CLI_CONTROL_UNUSABLE[^]*\/controls\/failPayment\/0\/path .*\{\{payment\}\}/,
    );
    const unset = await verify(url, ["--control", fileOf(hooks)]);
    expect(unset.err).toContain("COUNTERSIGN_CONTROL_KEY");
  });
});
