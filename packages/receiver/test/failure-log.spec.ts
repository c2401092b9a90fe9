import { runInNewContext } from "node:vm";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { profiles } from "@countersign/schemas/profiles";
import { hmacPresets } from "@countersign/signatures";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  attemptOf,
  NOON,
  otherSecret,
  recordingReceiver,
  refundAttempt,
  refundAuthorized,
  secret,
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

describe("the log of failures", () => {
  it("writes one escaped line for each handler error, with its stack and causes indented below", async () => {
    const receiver = receiverOf().on("refund.authorized", () => {
      throw new Error("no\nsuch \u001b[31mtable", { cause: new Error("disk") });
    });
    for (const id of ["evt_1", "evt_2"]) await receiver.receive(refundAttempt(id));
    expect(lines).toHaveLength(2);
    const [first, ...below] = lines[1]?.split("\n") ?? [];
    expect(first).toBe(
      String.raw`error countersign: failed CS_HANDLER_FAILED refund.authorized evt_2: Error: no\u000asuch \u001b[31mtable`,
    );
    expect(below[0]).toMatch(/^ {4}at .*failure-log\.spec\.ts/);
    expect(below).toContain("  caused by: Error: disk");
  });

  it("has a mistake in the flow of an attempt, which is answered 503", async () => {
    const headers = {
      get: (): never => {
        throw new Error("no headers");
      },
    };
    const { response } = await receiverOf().answer({ headers, body: new Uint8Array() });
    expect(response).toMatchObject({ status: 503, body: '{"code":"CS_RECEIVER_FAILED"}' });
    expect(lines[0]).toMatch(/^error countersign: failed CS_RECEIVER_FAILED: Error: no headers\n/);
  });

  it("writes what a handler throws that is no error, and an error of another realm with its message", async () => {
    const thrown = ["a\ntext", runInNewContext("new Error('of a test runner')") as unknown];
    const receiver = receiverOf().on("refund.authorized", () => {
      throw thrown.shift();
    });
    for (const id of ["evt_1", "evt_2"]) await receiver.receive(refundAttempt(id));
    expect(lines[0]).toMatch(/ evt_1: a\\u000atext$/);
    expect(lines[1]).toMatch(/ evt_2: Error: of a test runner\n/);
  });

  it("never shows a secret that an error quotes, also one of bytes as text", async () => {
    const raw = "the-merchant's-own-secret-of-32-bytes";
    const receiver = receiverOf({ secrets: [secret, { raw }] }).on("refund.authorized", () => {
      throw new Error(`${secret} ${secret.slice("whsec_".length)} ${raw}`);
    });
    await receiver.receive(refundAttempt());
    expect(lines[0]).toMatch(/: Error: whsec_\[secret\] \[secret\] \[secret\]\n/);
  });

  it("writes one line for refusals of one code in a minute, with facts, then their count", async () => {
    const receiver = receiverOf();
    for (let count = 0; count < 5; count += 1) await receiver.receive(forged);
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    expect(lines).toEqual([
      expect.stringMatching(
        /^warn countersign: rejected CS_SIGNATURE_MISMATCH \(fingerprints \["[\da-f]{12}"\]\)$/,
      ),
      'warn countersign: rejected CS_SIGNATURE_HEADER_MISSING (header "webhook-signature")',
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines[2]).toBe("warn countersign: CS_SIGNATURE_MISMATCH: 4 more in the last minute");
    await vi.advanceTimersByTimeAsync(60_000);
    await receiver.receive(forged);
    expect(lines).toHaveLength(4);
  });

  it("is written to stderr by default, and nowhere with log: false", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    const options = { secrets: [secret], fallback: () => undefined, inbox: memoryInbox() };
    await createReceiver(options).receive(forged);
    await createReceiver({ ...options, log: false }).receive(forged);
    expect(write.mock.calls).toEqual([[expect.stringMatching(/^countersign: rejected .*\n$/)]]);
  });

  it("survives a logger that throws", async () => {
    const broken = (): never => {
      throw new Error("disk full");
    };
    const receiver = receiverOf({ log: { warn: broken, error: broken } });
    expect((await receiver.receive(forged)).kind).toBe("rejected");
  });
});

describe("the facts of an outcome", () => {
  const old = attemptOf(refundAuthorized(), { now: NOON - 400_000 });
  const early = attemptOf(refundAuthorized(), { now: NOON + 400_000 });
  it.each<[string, object, object]>([
    ["missing header", { headers: {} }, { header: "webhook-signature" }],
    ["seconds of an old attempt", old, { clockDifferenceSeconds: -400 }],
    ["seconds of an early attempt", early, { clockDifferenceSeconds: 400 }],
    ["media type", { headers: { "content-type": "text/plain" } }, { contentType: "text/plain" }],
    ["coding", { headers: { "content-encoding": "gzip" } }, { contentEncoding: "gzip" }],
  ])("name the %s", async (_what, attempt, facts) => {
    const outcome = await receiverOf().receive({ headers: {}, body: new Uint8Array(), ...attempt });
    expect(outcome).toMatchObject({ kind: "rejected", facts });
  });
});

it("explain: true logs each time why an attempt is refused, and shows the sender nothing", async () => {
  const receiver = receiverOf({ explain: true });
  const { headers, body } = refundAttempt();
  const indented = Buffer.from(JSON.stringify(refundAuthorized(), null, 2));
  const { response } = await receiver.answer({ headers, body: indented });
  await receiver.answer({ headers, body: indented });
  await receiver.answer({ headers: { ...headers, "webhook-timestamp": String(NOON) }, body });
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/CS_SIGNATURE_MISMATCH .*\n {2}.*raw request body/);
  expect(lines[2]).toContain("seconds");
  expect(response.body).toBe('{"code":"CS_SIGNATURE_REFUSED"}');
});

describe("a process warning at start-up", () => {
  const warnings = (options: object): unknown[] => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    createReceiver({ secrets: [secret], fallback: () => undefined, ...options });
    const codes = warn.mock.calls.map(([, given]) => given);
    warn.mockRestore();
    return codes;
  };
  const inbox = memoryInbox();

  it("reports the default memory inbox and a bare secret that looks like base64", () => {
    expect(warnings({})).toEqual([{ code: "CS_INBOX_MEMORY" }]);
    expect(warnings({ inbox })).toEqual([]);
    const doubtful = [{ code: "CS_SECRET_DOUBTFUL" }];
    expect(warnings({ inbox, secrets: [secret.slice(6)] })).toEqual(doubtful);
  });

  it("reports a scheme without replay protection", () => {
    const description = { ...hmacPresets.body, headers: { signature: "x-hub-signature-256" } };
    const signature = { scheme: "hmac", toleranceSeconds: 300, description };
    const profile = { ...profiles.standard, signature };
    expect(warnings({ inbox, profile })).toEqual([{ code: "CS_SCHEME_REPLAYABLE" }]);
  });
});
