import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { countOutcomes, OUTCOME_CHANNEL, createReceiver, memoryInbox } from "@countersign/receiver";
import { describe, expect, it, onTestFinished, afterEach, beforeEach, vi } from "vitest";
import { profiles } from "@countersign/schemas/profiles";
import { hmacPresets } from "@countersign/signatures";
import {
  attemptOf,
  NOON,
  recordingReceiver,
  refundAuthorized,
  secret,
  otherSecret,
} from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import {
  type EventState,
  type EventStep,
  LEASE_ENDED,
  received,
  transition,
} from "../src/inbox/event-state.ts";

const genuine = attemptOf(refundAuthorized());
const event = { tenant: "", id: "evt_refund1", type: "refund.authorized" };
const stale = attemptOf(refundAuthorized(), { now: NOON - 301_000 });
const code = "CS_SIGNATURE_TIMESTAMP_TOO_OLD";

/** Collects what the channel publishes until the test ends. */
function collectReports(): unknown[] {
  const reports: unknown[] = [];
  const listen = (report: unknown): void => void reports.push(report);
  subscribe("countersign:receiver:outcome", listen);
  onTestFinished(() => void unsubscribe("countersign:receiver:outcome", listen));
  return reports;
}

describe("the channel countersign:receiver:outcome", () => {
  it("publishes each outcome with the duration that onOutcome gets, and the event only if it is verified", async () => {
    const reports = collectReports();
    const durations: number[] = [];
    const { receiver } = recordingReceiver({
      secrets: () => ({ tenant: "shop-7", secrets: [secret] }),
      onOutcome: (_outcome, facts) => void durations.push(facts.durationMs),
    });
    await receiver.receive(genuine);
    await receiver.answer(genuine);
    await receiver.receive(stale);
    const verified = { ...event, tenant: "shop-7", secretIndex: 0 };
    expect(reports).toEqual([
      { kind: "handled", ...verified, durationMs: durations[0] },
      { kind: "duplicate", ...verified, durationMs: durations[1], status: 204 },
      { kind: "rejected", code, durationMs: durations[2] },
    ]);
    expect(durations.every((ms) => ms >= 0)).toBe(true);
    expect(OUTCOME_CHANNEL).toBe("countersign:receiver:outcome");
  });

  it("publishes a stored event twice: when it is stored and when a worker has handled it", async () => {
    const reports = collectReports();
    const { onOutcome, counters } = countOutcomes();
    const settled = Promise.withResolvers<void>();
    const { receiver } = recordingReceiver({
      inbox: sqliteInTest(),
      acknowledge: "after-store",
      onOutcome: (outcome, facts) => {
        onOutcome(outcome, facts);
        if (facts.worker !== undefined) settled.resolve();
      },
    });
    receiver.start();
    await receiver.receive(genuine);
    await settled.promise;
    await receiver.stop();
    expect(reports).toMatchObject([
      { kind: "stored", ...event },
      { kind: "handled", ...event, attempts: 1, dead: false },
    ]);
    expect(counters()).toMatchObject({ stored: 1, handled: 1, dead: 0 });
  });
});

describe("countOutcomes", () => {
  it("counts by kind, failures and rejections by code, in objects that do not change", async () => {
    const { onOutcome, counters } = countOutcomes();
    const before = counters();
    const { receiver } = recordingReceiver({ onOutcome });
    receiver.on("refund.authorized", ({ id }) => {
      if (id === "evt_3") throw new Error("no");
    });
    const unknown = { ...refundAuthorized("evt_2"), type: "report.ready" };
    const failing = refundAuthorized("evt_3");
    for (const sent of [refundAuthorized(), refundAuthorized(), unknown, failing, failing])
      await receiver.receive(attemptOf(sent));
    await receiver.receive(stale);

    const kinds = [
      "handled",
      "unrouted",
      "duplicate",
      "superseded",
      "stored",
      "in_progress",
      "dead",
    ];
    const none = Object.fromEntries(kinds.map((kind) => [kind, 0]));
    const codes = { failed: { CS_HANDLER_FAILED: 2 }, rejected: { [code]: 1 } };
    expect(counters()).toEqual({ ...none, handled: 1, unrouted: 1, duplicate: 1, ...codes });
    expect(before).toEqual({ ...none, failed: {}, rejected: {} });
  });

  it("counts events that workers give up as dead", () => {
    const { onOutcome, counters } = countOutcomes();
    const failed = { kind: "failed", code: "CS_HANDLER_FAILED", retryAfterSeconds: 5 } as const;
    for (const dead of [false, true])
      onOutcome({ ...failed, error: undefined }, { worker: { dead } });
    expect(counters()).toMatchObject({ failed: { CS_HANDLER_FAILED: 2 }, dead: 1 });
  });
});

// What any sequence of these steps leads to is searched in inboxes/search.spec.ts.
const LEASE = 60_000;

const limit = { maxAttempts: 3, retryAt: 5000, reason: "no" };

const claimAt = (now: number): EventStep => ({
  type: "claim",
  now,
  leaseMs: LEASE,
  maxAttempts: 3,
});

const claimed: EventState = { at: "claimed", token: 1, attempts: 1, leaseEndsAt: LEASE };
const waiting: EventState = { at: "waiting", token: 1, attempts: 1, dueAt: 5000 };
const last: EventState = { ...claimed, attempts: 3 };
const dead: EventState = { at: "dead", token: 1, attempts: 3, reason: "no" };

const reclaimed = (now: number): EventState => ({
  ...claimed,
  token: 2,
  attempts: 2,
  leaseEndsAt: now + LEASE,
});

const done = { token: 1, attempts: 1 };
const revived: EventState = { at: "waiting", token: 1, attempts: 0, dueAt: 7 };
const succeed = (token: number): EventStep => ({ type: "succeed", token });
const supersede = (token: number): EventStep => ({ type: "supersede", token });
const fail = (token: number): EventStep => ({ type: "fail", token, ...limit });
const revive: EventStep = { type: "revive", now: 7 };

describe("an event's state", () => {
  it.each<[string, EventState, EventStep, EventState | undefined]>([
    ["is claimed with the first token", received(0), claimAt(0), claimed],
    ["is handled by the claim's token", claimed, succeed(1), { at: "handled", ...done }],
    ["is superseded by the claim's token", claimed, supersede(1), { at: "superseded", ...done }],
    ["is not handled by another token", claimed, succeed(2), undefined],
    ["is not superseded by another token", claimed, supersede(2), undefined],
    ["does not fail by another token", claimed, fail(2), undefined],
    ["waits for its retry after a failure", claimed, fail(1), waiting],
    ["is not claimed before its retry", waiting, claimAt(4999), undefined],
    ["is claimed at its retry", waiting, claimAt(5000), reclaimed(5000)],
    ["is not claimed within a lease", claimed, claimAt(LEASE - 1), undefined],
    ["is claimed at the end of a lease", claimed, claimAt(LEASE), reclaimed(LEASE)],
    ["is dead after its last failure", last, fail(1), dead],
    [
      "is dead when its last lease has ended",
      last,
      claimAt(LEASE),
      { ...dead, token: 2, reason: LEASE_ENDED },
    ],
    ["is revived with new attempts and its token", dead, revive, revived],
    ["is not revived while it waits", waiting, revive, undefined],
  ])("%s", (_title, state, step, after) => {
    expect(transition(state, step)).toEqual(after);
  });
});

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

const receiverOf = (options: Partial<Parameters<typeof createReceiver>[0]> = {}) =>
  createReceiver({
    secrets: [secret],
    fallback: () => undefined,
    inbox: memoryInbox(),
    now: () => NOON,
    log,
    ...options,
  });

const forged = attemptOf(refundAuthorized(), { secrets: [otherSecret] });

describe("the log of failures", () => {
  it("writes one escaped line for each handler error, with its stack and causes indented below", async () => {
    const receiver = receiverOf().on("PAYMENT", () => {
      throw new Error("no\nsuch \u001b[31mtable", { cause: new Error("disk") });
    });
    for (const id of ["evt_1", "evt_2"]) await receiver.receive(attemptOf(refundAuthorized(id)));
    expect(lines).toHaveLength(2);
    const [first, ...below] = lines[1]?.split("\n") ?? [];
    expect(first).toBe(
      String.raw`error countersign: failed CS_HANDLER_FAILED refund.authorized evt_2: Error: no\u000asuch \u001b[31mtable`,
    );
    expect(below[0]).toMatch(/^ {4}at .*failure-log\.spec\.ts/);
    expect(below).toContain("  caused by: Error: disk");
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

  it("name the secret that signed the attempt, and the status of the answer", async () => {
    const seen: unknown[] = [];
    const receiver = receiverOf({
      secrets: [otherSecret, secret],
      onOutcome: (_outcome, { secretIndex, status }) => void seen.push([secretIndex, status]),
    });
    await receiver.answer(attemptOf(refundAuthorized()));
    await receiver.receive(attemptOf(refundAuthorized("evt_2"), { secrets: [otherSecret] }));
    await receiver.answer(
      attemptOf(refundAuthorized("evt_3"), { secrets: [`${secret.slice(0, -4)}AAAA`] }),
    );
    expect(seen).toEqual([
      [1, 204],
      [0, undefined],
      [undefined, 401],
    ]);
  });
});

describe("explain: true", () => {
  it("logs each time why an attempt is refused, and shows the sender nothing", async () => {
    const receiver = receiverOf({ explain: true });
    const { headers, body } = attemptOf(refundAuthorized());
    const indented = Buffer.from(JSON.stringify(refundAuthorized(), null, 2));
    const { response } = await receiver.answer({ headers, body: indented });
    await receiver.answer({ headers, body: indented });
    await receiver.answer({ headers: { ...headers, "webhook-timestamp": String(NOON) }, body });
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/CS_SIGNATURE_MISMATCH .*\n {2}.*raw request body/);
    expect(lines[2]).toContain("seconds");
    expect(response.body).toBe('{"code":"CS_SIGNATURE_REFUSED"}');
  });
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
