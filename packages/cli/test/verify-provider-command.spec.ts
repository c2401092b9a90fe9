import { readFileSync } from "node:fs";
import { request as requestOf } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../service/test/sandbox/listen.ts";
import { openSandbox, TOKEN, type TestSandbox } from "../../service/test/sandbox/open-sandbox.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

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

/** A gateway in front of the sandbox's interface, and nothing else. */
const gateway = () =>
  listen((request, response) => {
    if (request.url?.startsWith("/sandbox") === true) {
      response.writeHead(404, { "content-type": "text/plain" }).end();
      return;
    }
    const { method, headers, url: path = "" } = request;
    const passed = requestOf(new URL(path, url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });

describe("countersign verify provider", () => {
  it("verifies a sandbox with its own states and receives its deliveries", async () => {
    const file = join(temporaryFolder(), "report.json");
    const only = ["--only", "provider/tokens", "provider/subscriptions", "provider/customers"];
    const more = [...only, "--report", `json=${file}`];
    const { status, out, err } = await verify(url, more);
    expect(err).toMatch(/^sends about \d+ calls to http.*, which make refunds and subscriptions$/m);
    expect(out).toMatch(/^pass {3}P-SUBSCRIBE-SELECT/m);
    expect(out).toMatch(/^pass {3}P-AUTH-TOKEN /m);
    expect(status).toBe(0);
    expect(readFileSync(file, "utf8")).toContain('"exitCode": 0');
  });

  it("prepares states at one address and sends every call of the interface to the other", async () => {
    const front = await gateway();
    const only = ["--only", "provider/over-refund", "sender/deliveries", "--runs", "2"];
    const more = ["--state-url", `${url}/sandbox/states`, ...only];
    const env = { COUNTERSIGN_TOKEN: "unknown-to-the-gateway", COUNTERSIGN_STATE_TOKEN: TOKEN };
    const refused = await verify(front, more, env);
    expect([refused.status, refused.err]).toEqual([
      2,
      expect.stringMatching(/refuses the access token: .*; check COUNTERSIGN_TOKEN$/m),
    ]);
    const { status, out } = await verify(front, more);
    expect(out).toMatch(/^pass {3}P-REFUND-SUM/m);
    expect(out).toMatch(/^pass {3}P-EVENT-SIGNED/m);
    expect(status).toBe(0);
  });

  it(
    "without states, verifies what a URL and a client's credentials allow",
    { tags: "ci" },
    async () => {
      const made = await one.call("POST", "/sandbox/merchants", { json: {} });
      const clientSecret = String(made.body["clientSecret"]);
      const env = {
        COUNTERSIGN_CLIENT_ID: String(made.body["clientId"]),
        COUNTERSIGN_CLIENT_SECRET: clientSecret,
        COUNTERSIGN_TOKEN_2: TOKEN,
      };
      const { status, out } = await ran(["verify", "provider", "--url", await gateway()], env);
      expect(out).toMatch(/^pass {3}P-AUTH-TOKEN /m);
      expect(out).toMatch(/^pass {3}P-UNSUBSCRIBE-NOT-FOUND/m);
      expect(out).toMatch(/^n\/a: .*"a payment".*(?:\n {2}.*)*P-REFUND-SUM/m);
      expect(out).toMatch(/--state-url is missing/);
      expect(out).not.toContain(clientSecret);
      expect(status).toBe(0);
    },
  );

  it("exits with 2 and one sentence if the target is not there, refuses the token or is another service", async () => {
    const other = await listen((_, response) => response.writeHead(404).end("<html>"));
    const garbled = await listen(({ socket }) => socket.end("\0no HTTP"));
    for (const [at, more, env, sentence] of [
      ["http://127.0.0.1:1", [], {}, /127\.0\.0\.1:1 does not answer: .*ECONNREFUSED/],
      [url, [], { COUNTERSIGN_TOKEN: "wrong" }, /refuses the access token: GET .* → 401; check/],
      [garbled, [], {}, /does not answer: Parse Error/],
      [other, [], {}, /is not a service of this interface: POST \/v1\/refunds → 404/],
      [url, ["--state-url", other], {}, /does not prepare states: POST → 404/],
    ] as const) {
      const { status, out, err } = await verify(at, more, env);
      expect([status, out, err.split("\n", 1)[0]]).toEqual([
        2,
        "",
        expect.stringMatching(sentence),
      ]);
    }
    const args = ["verify", "pacts", "--provider-url", other];
    const pacts = await ran(args, { COUNTERSIGN_TOKEN: TOKEN });
    expect([pacts.status, pacts.out]).toEqual([2, ""]);
    expect(pacts.err).toContain("is not a service of this interface");
  });
});
