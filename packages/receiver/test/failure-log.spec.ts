import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { createReceiver, memoryInbox, type ReceiverOptions } from "@countersign/receiver";
import { adyenPayments, github, livekit, reference } from "@countersign/receiver/providers";
import { schemeOf } from "@countersign/receiver/signatures";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FailureLog } from "../src/pipeline/failure-log.ts";
import { warnProcess } from "../src/runtime.ts";
import {
  attemptOf,
  genuine,
  NOON,
  otherSecret,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
  secret,
  silent,
} from "./fixtures.ts";

let lines: string[] = [];
const log = {
  warn: (text: string) => void lines.push(`warn ${text}`),
  error: (text: string) => void lines.push(`error ${text}`),
};
beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

const receiverOf = (options: Parameters<typeof recordingReceiver>[0] = {}) =>
  recordingReceiver({ log, ...options }).receiver;
const forged = attemptOf(refundAuthorized(), { secrets: [otherSecret] });

/** Receives an event for each value, `evt_1` first, whose handler throws it. */
async function throwing(...thrown: readonly unknown[]): Promise<void> {
  const values = thrown.values();
  const receiver = receiverOf().on("refund.authorized", () => {
    throw values.next().value;
  });
  for (const [index] of thrown.entries())
    await receiver.receive(refundAttempt(`evt_${String(index + 1)}`));
}

describe("the log of failures", () => {
  it("writes one escaped line for each handler error, with its stack and causes indented below", async () => {
    const error = new Error("no\nsuch at all \u001b[31m", { cause: new Error("disk") });
    await throwing(error, error);
    expect(lines).toHaveLength(2);
    const [first, ...below] = lines[1]?.split("\n") ?? [];
    expect(first).toBe(
      String.raw`error countersign: Reference payment service: failed CS_HANDLER_FAILED refund.authorized evt_2: Error: no\u000asuch at all \u001b[31m`,
    );
    expect(below[0]).toMatch(/^ {4}at .*failure-log\.spec\.ts/);
    const frame = /^ {4}at .*[)\d]$/;
    expect(below.filter((line) => !frame.test(line))).toEqual(["  caused by: Error: disk"]);
  });

  it("follows three causes of an error that causes itself", async () => {
    const error = new Error("again");
    error.cause = error;
    await throwing(error);
    expect(lines[0]?.match(/caused by/g)).toHaveLength(3);
  });

  it("has a mistake in the flow of an attempt, which is answered 503", async () => {
    const headers = {
      get: (): never => {
        throw new Error("no headers");
      },
    };
    const { response } = await receiverOf().answer({ headers, body: new Uint8Array() });
    expect(response).toMatchObject({ status: 503, body: '{"code":"CS_RECEIVER_FAILED"}' });
    expect(lines[0]).toMatch(
      /^error countersign: .*: failed CS_RECEIVER_FAILED: Error: no headers\n/,
    );
  });

  it("writes what a handler throws that is no error, or an error of another realm or without a stack, with its text if it has one", async () => {
    const foreign = runInNewContext("new Error('of a test runner')") as unknown;
    const bare = Object.assign(new Error("bare"), { stack: undefined });
    await throwing("a\ntext", foreign, bare, Object.create(null));
    expect(lines[0]).toMatch(/ evt_1: a\\u000atext$/);
    expect(lines[1]).toMatch(/ evt_2: Error: of a test runner\n/);
    expect(lines[2]).toMatch(/ evt_3: Error: bare$/);
    expect(lines[3]).toMatch(/CS_HANDLER_FAILED refund\.authorized evt_4: .* has no text$/);
  });

  it("never shows a secret that an error quotes, with or without its prefix, while other tenants' attempts arrive", async () => {
    const raw = "the-merchant's-raw:secret-of-32-bytes";
    // As a file has it: with a final newline.
    const secrets = [`${secret}\n`, { raw }, { raw: Buffer.from(otherSecret) }];
    const gate = Promise.withResolvers<void>();
    const receiver = receiverOf({
      secrets: ({ path }) => ({ tenant: "", secrets: path === "/other" ? [otherSecret] : secrets }),
    }).on("refund.authorized", async () => {
      await gate.promise;
      throw new Error(`${secret} ${secret.slice("whsec_".length)} ${raw}`);
    });
    const failing = receiver.receive(refundAttempt());
    await receiver.receive({ ...forged, path: "/other" });
    gate.resolve();
    await failing;
    expect(lines[0]).toMatch(/: Error: whsec_\[secret\] \[secret\] \[secret\]\n/);
  });

  it("stays legible if a function returns texts that are too short to be secrets", async () => {
    const [short, long] = ["x".repeat(15), "y".repeat(16)];
    const receiver = receiverOf({ secrets: () => ({ tenant: "", secrets: ["", short, long] }) });
    await receiver.receive(forged);
    await receiver.receive({ ...forged, headers: { "content-type": short + long } });
    expect(lines[0]).toMatch(
      /: TypeError: secrets\[0\] is empty\. Reference payment service shows it at: /,
    );
    expect(lines[1]).toContain(`"${short}[secret]"`);
  });

  it("writes one line for refusals of one code in a minute, with facts, then their count", async () => {
    const receiver = receiverOf();
    for (let count = 0; count < 5; count += 1) await receiver.receive(forged);
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    expect(lines).toEqual([
      expect.stringMatching(
        /^warn countersign: Reference payment service: rejected CS_SIGNATURE_MISMATCH \(fingerprints \["[\da-f]{12}"\]\)\. Reference payment service shows its secret at: /,
      ),
      expect.stringContaining(
        'rejected CS_SIGNATURE_HEADER_MISSING (header "webhook-signature"). ',
      ),
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines[2]).toMatch(/^warn .*: CS_SIGNATURE_MISMATCH: 4 more in the last minute$/);
    await receiver.receive(forged);
    expect(lines).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines[3]).toMatch(/: 1 more in the last minute$/);
    await vi.advanceTimersByTimeAsync(60_000);
    await receiver.receive(forged);
    expect(lines).toHaveLength(5);
  });

  const away = (): Promise<never> => Promise.reject(new Error("away"));
  it.each([
    ["CS_INBOX_UNAVAILABLE", { inbox: { ...memoryInbox(), claim: away } }],
    ["CS_SECRETS_UNAVAILABLE", { secrets: away }],
  ])("writes one line for %s in a minute, as an error, then their count", async (code, options) => {
    const receiver = receiverOf(options);
    for (let count = 0; count < 3; count += 1) await receiver.receive(genuine);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^error countersign: .*: failed ${code}.*: Error: away\n`)),
      expect.stringMatching(`: ${code}: 2 more in the last minute, the latest: Error: away$`),
    ]);
  });

  it(
    "cuts a message of 10 MB, and shows no part of a secret at the cut",
    { tags: "ci" },
    async () => {
      const errors = [0, 3960, 3990, 4000, 4040].map((before) => {
        const message = `${secret.repeat(before === 0 ? 50 : 0)}${"x".repeat(before)}${secret}`;
        return new Error(message + "\n    at z".repeat(1e6), { cause: "y".repeat(1e7) });
      });
      await throwing(...errors);
      for (const line of lines) {
        expect(line.length).toBeLessThan(20_000);
        expect(line).toMatch(/failure-log\.spec\.ts/);
        expect(line).not.toContain(secret.slice(6, 12));
      }
    },
  );

  it("keeps no process alive until its next count, also where a timer is a number", async () => {
    // A fake clock does not notice that its own timer was replaced for a while, and stays.
    vi.useRealTimers();
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => setTimer.mockRestore());
    await receiverOf().receive(forged);
    const timer = setTimer.mock.results.at(-1)?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    setTimer.mockReturnValue(7 as never);
    expect((await receiverOf().receive(forged)).kind).toBe("rejected");
  });

  it("is written to stderr by default, and nowhere with log: false", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    const options = {
      provider: reference,
      secrets: [secret],
      fallback: () => undefined,
      inbox: memoryInbox(),
      explain: false,
    };
    await createReceiver(options).receive(forged);
    await createReceiver({ ...options, log: false }).receive(forged);
    expect(write.mock.calls).toEqual([[expect.stringMatching(/^countersign: .*: rejected .*\n$/)]]);
  });

  it.each([undefined, {}, { stderr: {} }])(
    "is written to the console where process is %o",
    (process) => {
      const logged = vi.spyOn(console, "error").mockReturnValue(undefined);
      vi.stubGlobal("process", process);
      try {
        new FailureLog({ title: "Shop" }).warn("text");
        warnProcess("CS_CODE", "text");
      } finally {
        vi.unstubAllGlobals();
      }
      expect(logged.mock.calls).toEqual([["countersign: Shop: text"]]);
      logged.mockRestore();
    },
  );

  it("survives a logger that throws", async () => {
    const broken = (): never => {
      throw new Error("disk full");
    };
    const receiver = receiverOf({ log: { warn: broken, error: broken } });
    expect((await receiver.receive(forged)).kind).toBe("rejected");
  });
});

describe("the line of a refusal", () => {
  it("names a value that the signature needs and the page of the secret", async () => {
    const options = { ...silent, provider: adyenPayments, secrets: ["0123456789abcdef".repeat(4)] };
    const body = Buffer.from('{"notificationItems":[{"NotificationRequestItem":{}}]}');
    await createReceiver({ ...options, log, inbox: memoryInbox() }).receive({ headers: {}, body });
    expect(lines).toEqual([
      `warn countersign: Adyen payments: rejected CS_SIGNATURE_PLACE_MISSING (place "item:/NotificationRequestItem/additionalData/hmacSignature"). Adyen payments shows its secret at: ${String(adyenPayments.secret?.where)}`,
    ]);
  });

  const { title, secret: { where } = {} } = reference;
  const old = attemptOf(refundAuthorized(), { now: NOON - 400_000 });
  const early = attemptOf(refundAuthorized(), { now: NOON + 400_000 });
  const type = "x".repeat(300);
  const event = refundAuthorized();
  const wrong = { ...event, data: { ...event.data, paymentId: "" } };
  it.each<[string, object, string]>([
    [
      "a missing header and the page of the secret",
      {},
      `CS_SIGNATURE_HEADER_MISSING (header "webhook-signature"). ${title} shows its secret at: ${String(where)}`,
    ],
    ["an old attempt's age", old, "CS_SIGNATURE_TIMESTAMP_TOO_OLD (clockDifferenceSeconds -400)"],
    ["an early attempt's", early, "CS_SIGNATURE_TIMESTAMP_TOO_NEW (clockDifferenceSeconds 400)"],
    [
      "the first 200 characters of a media type",
      { headers: { "content-type": type } },
      `CS_BODY_MEDIA_TYPE (contentType "${type.slice(0, 199)}; expected ["application/json","application/*+json"]). ${title} shows its secret at: ${String(where)}`,
    ],
    [
      "a coding",
      { headers: { "content-encoding": "gzip" } },
      'CS_BODY_ENCODED (contentEncoding "gzip")',
    ],
    ["no fact", { headers: { "content-length": "1048577" } }, "CS_BODY_TOO_LARGE"],
    ["the body", attemptOf("{", { id: "a" }), "CS_BODY_NOT_JSON (body CS_JSON_SYNTAX at offset 1)"],
    [
      "each fault's pointer",
      attemptOf(wrong),
      "CS_EVENT_SCHEMA refund.authorized evt_refund1 (/data/paymentId must have at least 1 characters; /data/paymentId must match ^[A-Za-z0-9_-]+$)",
    ],
  ])("names %s", async (_what, attempt, line) => {
    await receiverOf().receive({ headers: {}, body: new Uint8Array(), ...attempt });
    expect(lines).toEqual([`warn countersign: ${title}: rejected ${line}`]);
  });
});

it("an explanation has a line for each cause", () => {
  const facts = { explanation: ["One.", "Another."] };
  new FailureLog({ title: "Shop" }, log).report({
    kind: "rejected",
    code: "CS_SIGNATURE_MISMATCH",
    facts,
  });
  const line = "warn countersign: Shop: rejected CS_SIGNATURE_MISMATCH\n  One.\n  Another.";
  expect(lines).toEqual([line]);
});

it("[R-LEAK-NOTHING] explain logs why an attempt is refused, once a second and from small bodies only, and shows the sender nothing", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const receiver = receiverOf({ explain: true });
  const { headers, body } = refundAttempt();
  const indented = Buffer.from(JSON.stringify(refundAuthorized(), null, 2));
  const { response } = await receiver.answer({ headers, body: indented });
  await receiver.answer({ headers, body: indented });
  vi.advanceTimersByTime(1000);
  await receiver.answer({ headers, body: Buffer.alloc(65_537) });
  await receiver.answer({ headers: { ...headers, "webhook-timestamp": String(NOON) }, body });
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/CS_SIGNATURE_MISMATCH .*\n {2}.*raw request body/);
  expect(lines[1]).toMatch(/CS_SIGNATURE_MISMATCH [^\n]*$/);
  expect(lines[2]).toContain("is not in the unit s");
  expect(response.body).toBe('{"code":"CS_SIGNATURE_REFUSED"}');
});

it("explain verifies with the claims that the user has given", async () => {
  const claims = { apiKey: "APIw7hVqkT2Y3ab" };
  const body = Buffer.from('{"event":"room_started","id":"EV_eugWmGhovZmm"}');
  const scheme = schemeOf(livekit);
  const secrets = ["of-this-project-abcdefghijklm"];
  const { headers } = scheme.sign({ body, timestamp: NOON / 1000, claims }, secrets);
  const receiver = createReceiver({
    ...silent,
    provider: livekit,
    secrets,
    claims,
    explain: true,
    log,
    inbox: memoryInbox(),
  });
  const outcome = await receiver.receive({
    headers: { ...headers, "content-type": "application/webhook+json" },
    body: Buffer.from('{"event":"room_finished","id":"EV_eugWmGhovZmm"}'),
  });
  expect(outcome.kind).toBe("rejected");
  expect(lines).toHaveLength(1);
});

describe("a process warning at start-up", () => {
  const warnings = (options: object): readonly string[] => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    createReceiver({ ...silent, ...options });
    const texts = warn.mock.calls.map(([message, given]) => `${inspect(given)} ${String(message)}`);
    warn.mockRestore();
    return texts;
  };
  const inbox = memoryInbox();

  it("reports the default memory inbox and a bare secret that looks like base64", () => {
    expect(warnings({})).toEqual([
      expect.stringMatching(/CS_INBOX_MEMORY.* forgets all events .* inbox: memoryInbox\(\)$/),
    ]);
    expect(warnings({ inbox })).toEqual([]);
    expect(warnings({ inbox, secrets: [secret.slice(6)] })).toEqual([
      expect.stringMatching(/CS_SECRET_DOUBTFUL.* createReceiver: secrets\[0\] is used as text/),
    ]);
  });

  it("reports that replay: refuse makes honest events with equal bytes one", () => {
    const count = (replay: ReceiverOptions<unknown>["replay"]): number =>
      warnings({ inbox, provider: github, replay }).filter((text) =>
        text.includes("CS_REPLAY_REFUSED"),
      ).length;
    expect([count("refuse"), count({ push: "refuse" }), count({ push: "report" })]).toEqual([
      1, 1, 0,
    ]);
  });

  it("reports a provider that never retries each time, and that it signs weakly or no time once a process", () => {
    const provider = { ...github, title: "Acme" };
    const neverRetries = expect.stringMatching(
      /CS_SENDER_NEVER_RETRIES.* Acme never sends/,
    ) as string;
    expect(warnings({ inbox, provider })).toEqual([
      expect.stringMatching(/CS_SCHEME_WEAK.* createReceiver: Acme: no time is signed/),
      neverRetries,
    ]);
    expect(warnings({ inbox, provider })).toEqual([neverRetries]);
  });
});
