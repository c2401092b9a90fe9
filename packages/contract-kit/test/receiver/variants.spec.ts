import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { KitSender } from "../../src/harness/kit-sender.ts";
import { expectVariants } from "../../src/receiver/variants.ts";
import { readSamples } from "../../src/harness/read-samples.ts";
import { run } from "../../src/run.ts";
import { Verdicts } from "../../src/verdicts.ts";
import type { OpenOptions } from "./open-receiver.ts";
import { openVendor } from "./open-vendor.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

type Fault = NonNullable<OpenOptions["fault"]>;

/** Gives requests that a pattern describes another status. */
const answered =
  (pattern: RegExp, status: number): Fault =>
  (next) =>
  (request, response) => {
    const writeHead = response.writeHead.bind(response);
    request.on("data", (bytes) => {
      const isMeant = pattern.test(`${JSON.stringify(request.headers)} ${String(bytes)}`);
      if (isMeant) response.writeHead = () => writeHead(status);
    });
    next(request, response);
  };

function open(name: string, fault?: Fault, types?: readonly string[]) {
  const provider = providersByName.get(name);
  if (provider === undefined) throw new TypeError(name);
  return openVendor(provider, fault, types && { types });
}

async function verdictOf(name: string, fault?: Fault): Promise<string> {
  const target = await open(name, fault);
  const verdicts = new Verdicts("receiver/shapes", ["R-ACK-GENUINE"]);
  const kit = new KitSender(target, { seed: 1, runs: 1 }, verdicts);
  target.runState.handled.push(kit.event({ row: kit.row() }));
  await expectVariants(kit);
  const [verdict] = verdicts.list();
  return `${verdict?.status} ${verdict && "message" in verdict ? verdict.message : ""}`;
}

describe("handshakes and other forms of events", () => {
  const providers = [...providersByName.values()].filter(
    ({ handshakes, variants, signature }) =>
      (handshakes ?? variants) !== undefined && signature.keyFrom === undefined,
  );

  it.each(providers.map(({ name }) => name).filter((name) => name !== "meta"))(
    "of %s are answered by our receiver as documented",
    async (name) => {
      expect(await verdictOf(name)).toBe("pass ");
    },
  );

  it("fails for a handshake that is refused or not answered, and for a form that makes it fail", async () => {
    const thin = answered(/v2\.core\.event"/, 500);
    expect(await verdictOf("stripe", thin)).toMatch(
      /^fail .*v2.core.event at body:\/object: expected a status of 2xx, got 500/,
    );
    expect(await verdictOf("github", answered(/"ping"/, 404))).toMatch(/GitHub, ping: .*got 404/);
    const silent: Fault = (next) => (request, response) => {
      const end: () => typeof response = response.end.bind(response);
      response.end = () => end();
      next(request, response);
    };
    expect(await verdictOf("slack", silent)).toMatch(/2xx with cstestchallenge as its challenge/);
  });

  it("fails for a handshake that is refused since it has no event's id", async () => {
    const strict = answered(/^(?!.*event_id).*url_verification/, 400);
    expect(await verdictOf("slack", strict)).toMatch(/Slack, url_verification: .*got 400/);
  });

  it("fails for a coding that is acknowledged unread, and allows one that is refused", async () => {
    const answering =
      (status: number): Fault =>
      (next) =>
      (request, response) => {
        if (request.headers["content-type"] === "application/json") next(request, response);
        else request.resume().on("end", () => response.writeHead(status).end());
      };
    expect(await verdictOf("github", answering(200))).toMatch(/urlencoded .*without an effect/);
    expect(await verdictOf("github", answering(415))).toBe("pass ");
  });
});

describe("Slack's events and forms", () => {
  it("are sent like samples of each kind", async () => {
    const folder = temporaryFolder();
    const samples = {
      mention: {
        type: "event_callback",
        event_id: "Ev1",
        event: { type: "app_mention", text: "a" },
      },
      command: { command: "/deploy", trigger_id: "1.1", text: "b" },
      action: { type: "block_actions", trigger_id: "2.2", actions: [{ value: "c" }] },
    };
    for (const [name, sample] of Object.entries(samples))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(sample));
    const slack = providersByName.get("slack");
    if (slack === undefined) throw new TypeError("slack");
    const bodies = readSamples(folder, slack);
    const target = await openVendor(slack, undefined, { samples: bodies });
    const kit = new KitSender(target, { seed: 1, runs: 1 }, new Verdicts("x", ["y"]));
    const sent = [...bodies.keys()].map((type) => String(kit.attempt({ row: { type } }).body));
    expect(sent.map(decodeURIComponent).toSorted()).toEqual([
      expect.stringMatching(/^command=\/deploy&trigger_id=.*text=b/),
      expect.stringMatching(/^payload=\{"trigger_id".*"type":"block_actions".*"value":"c"/),
      expect.stringMatching(/^\{.*"event_id":"(?!Ev1).*"text":"a"/),
    ]);
  });

  it("are sent without commands and interactions unless they are chosen", async () => {
    const { findings } = await run({
      target: await open("slack", answered(/urlencoded/, 415), []),
      checks: receiverChecks,
      requirements: requirements("receiver"),
      only: ["receiver/genuine"],
    });
    expect(findings.map(({ status, message }) => `${status} ${message}`)).toEqual([
      "pass ",
      "pass ",
      "pass ",
    ]);
  });

  it.each([
    [["block_actions", "/deploy"]],
    [["app_mention", "block_actions", "/deploy"]],
    [["/deploy", "app_mention"]],
  ])("of %j are sent as JSON, as fields and as JSON in a field", async (types) => {
    const sent: string[] = [];
    const record: Fault = (next) => (request, response) => {
      request.on("data", (bytes) => sent.push(decodeURIComponent(String(bytes))));
      next(request, response);
    };
    const { findings } = await run({
      target: await open("slack", record, types),
      checks: receiverChecks,
      requirements: requirements("receiver"),
      only: ["receiver/genuine", "receiver/shapes", "receiver/refusals"],
    });
    const unmet = findings.filter(({ status }) => ["fail", "warn", "error"].includes(status));
    expect(unmet.map(({ requirement, message }) => `${requirement.id}: ${message}`)).toEqual([]);
    const isSent = (pattern: RegExp): boolean => sent.some((body) => pattern.test(body));
    const wanted: Record<string, RegExp> = {
      app_mention: /^\{.*"app_mention"/,
      block_actions: /^payload=\{.*"type":"block_actions"/,
      "/deploy": /^command=\/deploy&trigger_id=/,
    };
    expect(types.filter((type) => !isSent(wanted[type] ?? /^$/))).toEqual([]);
    expect(isSent(/^\{.*block_actions/)).toBe(false);
  });

  const retried: Fault = (next) => (request, response) => {
    if (request.headers["x-slack-retry-num"] === undefined) next(request, response);
    else request.resume().on("end", () => response.writeHead(200).end());
  };

  it.each<[string, Fault | undefined, readonly RegExp[]]>([
    ["nothing", undefined, []],
    [
      "a form that is verified as it is printed again",
      answered(/Cstest=\S*(?:%20|~|%c3)/, 401),
      [/^R-VERIFY-RAW: a form with a space that is written as %20: .*401; a form with signs/],
    ],
    [
      "a retry that is acknowledged unread",
      retried,
      [
        /^R-ACK-GENUINE: an event of 1 h ago, whose first 1 attempts did not arrive: .*without an effect/,
      ],
    ],
  ])("let the kit name %s", { tags: "ci" }, async (_fault, fault, messages) => {
    const { findings } = await run({
      target: await open("slack", fault),
      checks: receiverChecks,
      requirements: requirements("receiver"),
      only: ["receiver/forms"],
    });
    const failed = findings.filter(({ status }) => status === "fail");
    expect(failed.map(({ requirement, message }) => `${requirement.id}: ${message}`)).toEqual(
      messages.map((message): unknown => expect.stringMatching(message)),
    );
  });
});

it.each([
  ["a page", "text/html; charset=utf-8", "text/html"],
  ["a text, which Twilio sends to the customer,", "text/plain", "text/plain"],
])("%s is warned of as Twilio's answer", { tags: "ci" }, async (_what, type, shown) => {
  const page: Fault = () => (request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": type }).end("OK"));
  };
  const { findings } = await run({
    target: await open("twilio", page),
    checks: receiverChecks,
    requirements: requirements("receiver"),
    only: ["R-ACK-GENUINE"],
  });
  const genuine = findings.find(({ check }) => check === "receiver/genuine");
  expect(`${genuine?.status}: ${genuine?.message}`).toContain(
    `answered with a body of ${shown}, where Twilio reads text/xml`,
  );
  expect(genuine?.status).toBe("warn");
});
