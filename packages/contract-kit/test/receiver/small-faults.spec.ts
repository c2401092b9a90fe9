import { profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { expect, it, vi } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { systemClock } from "../../src/harness/clock.ts";
import { run } from "../../src/run.ts";
import { type OpenOptions, openReceiver } from "./open-receiver.ts";
import { type Mistake, smallReceiver } from "./small-receiver.ts";

// Whole checks: a busy machine takes longer, and no time decides what they show.
vi.setConfig({ testTimeout: 900_000 });

const unmet = (mistake: Mistake | undefined, ...names: string[]): Promise<string[]> =>
  unmetBy({ app: smallReceiver(mistake), deadlineMs: 2000 }, ...names);

async function unmetBy(options: OpenOptions, ...names: string[]): Promise<string[]> {
  const { findings } = await run({
    target: await openReceiver(options),
    checks: receiverChecks,
    requirements: requirements("receiver"),
    only: names.map((name) => `receiver/${name}`),
  });
  return findings
    .filter(({ status }) => !["pass", "not_applicable"].includes(status))
    .map(({ requirement, message }) => `${requirement.id}: ${message}`);
}

it("a small receiver without a mistake raises no alarm", { tags: "ci" }, async () => {
  expect(
    await unmet(
      undefined,
      "duplicates",
      "concurrent",
      "failing",
      "distinct",
      "forms",
      "settled",
      "hanging",
    ),
  ).toEqual([]);
});

it.each<[Mistake, string, RegExp]>([
  [
    "duplicates hang",
    "concurrent",
    /^R-ACK-IN-TIME: .*whose handler fails, of event \d: .* no answer/m,
  ],
  ["a failed event blocks others", "failing", /^R-ACK-FAILED: .*another event of its type .*503/m],
  ["hung up is done", "failing", /^R-ACK-FAILED: .*hung up .*succeeded 0 times/m],
  [
    "failure undoes others",
    "failing",
    /^R-ACK-FAILED: .*acknowledged while 1 of 8 events in progress at once failed/m,
  ],
  ["endless failure", "connections", /^R-HTTP-KEEP-ALIVE: .*handler fails: the answer \(500\)/m],
  ["one connection at a time", "genuine", /^R-ACK-GENUINE: One idle connection blocks all others/m],
  ["duplicate is done", "concurrent", /^R-ACK-IN-PROGRESS: .*second one was acknowledged while/m],
  [
    "claim ends early",
    "concurrent",
    /^R-ONCE-CONCURRENT: .*[69][05] % of its time.*succeeded 2 times/m,
  ],
  [
    "id is a pattern",
    "distinct",
    /^R-ONCE-DISTINCT: two ids with - and _ in one place: .*; an id with % after a similar one/m,
  ],
  [
    "dot removed",
    "money",
    /^R-MONEY-EXACT: .*an event of 12\.0: expected 1200 cents at the handler, got 120/m,
  ],
  ["zero characters fail", "forms", /^R-VERIFY-RAW: an escaped zero character: .*500/m],
  [
    "one handler at a time",
    "hanging",
    /^R-ACK-IN-TIME: an event while another one's handler hangs: got no answer/m,
  ],
  [
    "duplicate key is done",
    "failing",
    /^R-ACK-FAILED: .*ordered to fail with "duplicate key .*the event is lost/m,
  ],
  [
    "query is part of the id",
    "duplicates",
    /^R-ONCE-DUPLICATE: with a parameter in the URL that is not signed: its handler has run 2/m,
  ],
  ["old events refused", "forms", /^R-ACK-GENUINE: an event of 1 h ago, .*answered by 401/m],
  ["no chunks", "forms", /^R-HTTP-FORMS: an attempt in chunks: .*400/m],
  ["id in a statement", "distinct", /^R-ONCE-DISTINCT: .*an id with ' after .*got 500/m],
])("a mistake is named: %s", { tags: "ci" }, async (mistake, name, message) => {
  expect((await unmet(mistake, name)).join("\n")).toMatch(message);
});

it("a claim is named that is kept after its sender hung up", { tags: "ci" }, async () => {
  expect((await unmet("hung up keeps its claim", "failing", "settled")).join("\n")).toMatch(
    /^R-ACK-FAILED: .*hung up .*by 503; later it was answered by 503, .*Not judged/m,
  );
});

it("a handler is named that runs again after its sender's retry", { tags: "ci" }, async () => {
  expect((await unmet("runs again by itself", "failing", "settled")).join("\n")).toMatch(
    /^R-ONCE-DUPLICATE: .*had run once; seconds later it has run [23] times/m,
  );
});

it("an old event is named whose memory ends before its retries", { tags: "ci" }, async () => {
  const provider = { ...providerOf(profiles.standard), retries: { hours: 72 } };
  const app = smallReceiver("old events forgotten");
  expect(await unmetBy({ app, provider, deadlineMs: 2000 }, "duplicates")).toEqual([
    expect.stringMatching(/^R-ONCE-DUPLICATE: of an event as old as .* has run [23] times/),
  ]);
});

it("a first answer after its sender's timeout is warned of", { tags: "ci" }, async () => {
  const target = await openReceiver();
  target.sockets.firstMs = target.sockets.deadlineMs + 1;
  const checks = { checks: receiverChecks, requirements: requirements("receiver") };
  const { findings } = await run({ target, ...checks, only: ["receiver/genuine"] });
  expect(findings.filter(({ status }) => status !== "pass")).toMatchObject([
    { status: "warn", message: expect.stringContaining("the run's first request") as string },
  ]);
});

it.each<[Mistake, RegExp]>([
  ["one event a second", /^R-ONCE-DISTINCT: plain events .* were sent one after the other/],
  ["at once lost", /^R-LOAD-SHED: plain events .* 0 of 4 .* [3-5] of 6 at once/],
])("a loss of plain events is named once: %s", { tags: "ci" }, async (mistake, message) => {
  const names = ["genuine", "overridden", "distinct", "concurrent", "failing", "load", "order"];
  const all = await unmet(mistake, ...names);
  expect(all.filter((one) => !one.endsWith(" comes first"))).toEqual([
    expect.stringMatching(message),
  ]);
});

it(
  "a ban after refused attempts is named once, and no other requirement fails",
  { tags: "ci" },
  async () => {
    let refused = 0;
    const fault: NonNullable<OpenOptions["fault"]> = (next) => (request, response) => {
      response.on("finish", () => (refused += Number(response.statusCode === 401)));
      if (refused < 10) next(request, response);
      else request.resume().on("end", () => response.writeHead(403).end());
    };
    const names = ["forged", "bypass", "duplicates", "alive"];
    const all = await unmetBy({ fault, hasEffects: false }, ...names);
    const ban = /after \d+ refused attempts, genuine ones are answered by 403/;
    expect(all.filter((one) => !/genuine attempts are refused: /.test(one))).toEqual([
      expect.stringMatching(ban),
    ]);
    expect(all.at(-1)).toMatch(/^R-ALIVE: after/);
  },
);

/** Findings of a receiver that answers 429 for some seconds once it has counted some of its answers. */
async function limited(
  most: number,
  isCounted: (status: number) => boolean,
  seconds = 60,
  headers = {},
): Promise<string[]> {
  let skippedMs = 0;
  const now = (): number => systemClock.now() + skippedMs;
  let [count, until] = [0, 0];
  const clock = {
    now,
    elapsed: now,
    after: (ms: number, call: () => void) => {
      const isWait = ms <= 5000;
      if (isWait) skippedMs += ms;
      return systemClock.after(isWait ? 0 : ms, call);
    },
  };
  const fault: NonNullable<OpenOptions["fault"]> = (next) => (request, response) => {
    if (now() < until) {
      request.resume().on("end", () => response.writeHead(429, headers).end());
      return;
    }
    response.on("finish", () => {
      count += Number(isCounted(response.statusCode));
      if (count < most) return;
      count = 0;
      until = now() + seconds * 1000;
    });
    next(request, response);
  };
  const options = { fault, hasEffects: false, clock, now, deadlineMs: 60_000 };
  return unmetBy(options, "genuine", "forged", "alive");
}

it("a minute of 429 after refused attempts is named as a ban", { tags: "ci" }, async () => {
  const all = await limited(20, (status) => status === 401);
  expect(all.filter((one) => !/genuine attempts are refused: /.test(one))).toEqual([
    expect.stringMatching(/^R-ALIVE: after \d+ refused attempts, genuine ones .* by 429/),
  ]);
});

it("a minute of 429 after any attempts is not named as a ban", { tags: "ci" }, async () => {
  const all = await limited(50, () => true);
  const limit =
    /: not judged: after \d+ requests, .* the receiver limits the rate and answers 429 after every wait; /;
  expect(all.filter((one) => !limit.test(one))).toEqual([]);
});

it("an hour of 429 is named with its Retry-After, and what to do", { tags: "ci" }, async () => {
  const all = await limited(20, (status) => status === 401, 3600, { "Retry-After": "3600" });
  const limit =
    /: not judged: .* the receiver limits the rate and asks to wait 3600 s; allow this machine's address there, .*, or run again after that time$/;
  expect(all.filter((one) => !limit.test(one))).toEqual([]);
  expect(all).not.toEqual([]);
});
