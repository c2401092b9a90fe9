import { generateKeyPairSync } from "node:crypto";
import type { RequestListener } from "node:http";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { describe, expect, it, vi } from "vitest";
import { atEndOfFile } from "../../../../test/temporary-folder.ts";
import { type Finding, requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { systemClock } from "../../src/harness/clock.ts";
import { NO_EFFECTS, NO_FAILURES } from "../../src/harness/effects.ts";
import { run, type Report } from "../../src/run.ts";
import type { ReceiverTarget } from "../../src/harness/receiver-target.ts";
import { openReceiver, type OpenOptions, secrets } from "./open-receiver.ts";

// Whole runs: a busy machine takes longer, and no time decides what they show.
vi.setConfig({ testTimeout: 900_000 });

const atEnd = atEndOfFile();
const open = (options?: OpenOptions): Promise<ReceiverTarget> => openReceiver(options, atEnd);

const runAll = (target: ReceiverTarget, only?: readonly string[]): Promise<Report> =>
  run({
    target,
    checks: receiverChecks,
    requirements: requirements("receiver"),
    ...(only && { only }),
  });
/** The profile with its first two types: what a test of one check shows does not depend on their number. */
const short = (profile: Profile): Profile => ({
  ...profile,
  provider: {
    ...providerOf(profile),
    catalogue: providerOf(profile).catalogue?.slice(0, 2) ?? [],
  },
});
const checks = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `receiver/${name}`);
const told = (findings: readonly Finding[], status: Finding["status"]): string[] =>
  findings
    .filter((one) => one.status === status)
    .map(({ requirement, message }) => `${requirement.id}: ${message}`);
const unmet = (findings: readonly Finding[]): string[] =>
  (["fail", "warn", "error", "skipped"] as const).flatMap((status) => told(findings, status));

// test/faults shows what each check catches. Most of the time here is spent waiting: the tests wait at once.
describe.concurrent("our own receiver", () => {
  it(
    "passes every check, which sends a request for each requirement that it judges, and that of an order guard with one",
    { tags: "ci" },
    async () => {
      const target = await open();
      const countOf = (): number => Number.parseInt(target.notes()[0] ?? "", 10);
      const findings: Finding[] = [];
      const silent: string[] = [];
      for (const { id } of receiverChecks) {
        const before = countOf();
        const report = await runAll(target, [id]);
        expect(report.exitCode).toBe(0);
        findings.push(...report.findings);
        if (countOf() - before < told(report.findings, "pass").length) silent.push(id);
      }
      const guarded = await runAll(await open({ order: "per-resource" }), ["R-ORDER-GUARD"]);
      expect(unmet(findings)).toEqual([]);
      // It only reads what earlier checks have sent.
      expect(silent).toEqual(["receiver/settled"]);
      expect(told(findings, "not_applicable")).toEqual([
        expect.stringMatching(/^R-LOAD-SHED: \d+ events at once are within its limit/),
        expect.stringMatching(/^R-ORDER-GUARD: it has no order guard/),
        expect.stringMatching(/^R-BODY-SLOW: .*--slow/),
        expect.stringMatching(/^R-ONCE-RECONCILED: .*--reconcile-command/),
        expect.stringMatching(/^R-ACK-FAILED: no event was left in progress/),
        expect.stringMatching(/^R-ACK-AFTER-HANDLER: only a restart shows it/),
        expect.stringMatching(/^R-ACK-HANGING: .*--slow/),
      ]);
      expect(told(guarded.findings, "pass")).toEqual(["R-ORDER-GUARD: "]);
    },
  );

  it(
    "passes the requirements that another scheme and envelope can show",
    { tags: "ci" },
    async () => {
      const target = await open({ profile: short(profiles["x-signature"]) });
      const only = ["forged", "signature-lists"];
      const { findings } = await runAll(target, checks(...only));
      expect(unmet(findings)).toEqual([]);
      expect(told(findings, "not_applicable").map((one) => one.split(":")[0])).toEqual([
        "R-VERIFY-VERSION",
        "R-VERIFY-EACH",
        "R-VERIFY-VERSION",
        "R-VERIFY-ROTATION",
      ]);
    },
  );

  it("passes only checks of its answers if it does not report its effects", async () => {
    const only = ["genuine", "duplicates", "distinct", "prototypes", "concurrent", "failing"];
    const more = ["order", "money", "load"];
    const target = await open({ hasEffects: false, effectsWaitMs: 100 });
    const { findings, exitCode } = await runAll(target, checks(...only, ...more));
    expect(exitCode).toBe(0);
    expect(told(findings, "pass")).toEqual(["R-ACK-GENUINE: ", "R-ACK-IN-TIME: "]);
    expect(told(findings, "not_applicable")).toContain(`R-ONCE-DISTINCT: ${NO_EFFECTS}`);
    expect(told(findings, "not_applicable")).toContain(`R-ROUTE-PROTOTYPE: ${NO_EFFECTS}`);
  });

  it("passes with a public key as its secret", { tags: "ci" }, async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const own = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32);
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    const target = await open({
      profile: short(profiles.standard),
      secrets: [`whsk_${Buffer.concat([own, raw]).toString("base64")}`],
      verifyingSecrets: [`whpk_${raw.toString("base64")}`],
      hasEffects: false,
    });
    const only = ["genuine", "forged", "signature-lists", "alike"];
    const { findings } = await runAll(target, checks(...only));
    expect(unmet(findings)).toEqual([]);
    expect(told(findings, "pass")).toContain("R-VERIFY-VERSION: ");
  });

  it(
    "gets a body that is split inside a character, and the same bytes again at the end, also if no program reproduces them",
    { tags: "ci" },
    async () => {
      const lastBytes = new Set<number | undefined>();
      const fault =
        (next: RequestListener): RequestListener =>
        (request, response) => {
          request.on("data", (bytes: Buffer) => lastBytes.add(bytes.at(-1)));
          next(request, response);
        };
      const target = await open({ fault });
      const { findings } = await runAll(target, checks("forms", "sizes", "memory"));
      expect(unmet(findings)).toEqual([]);
      expect(lastBytes).toContain(Buffer.from("é")[0]);
      expect(told(findings, "pass")).toContain("R-ONCE-RETRIES: ");
    },
  );

  it("gets only the events that it handles, all of them known", async () => {
    const types = ["refund.failed", "account.linked"];
    const seen = new Set<unknown>();
    const fault =
      (next: RequestListener): RequestListener =>
      (request, response) => {
        request.on("data", (bytes) => seen.add(/"type":"([^"]*)"/.exec(String(bytes))?.[1]));
        next(request, response);
      };
    const target = await open({ types, hasEffects: false, fault });
    const { findings } = await runAll(target, checks("genuine", "signature-lists"));
    expect(unmet(findings)).toEqual([]);
    expect(seen).toEqual(new Set(types));
    await expect(open({ types: ["refund.unheard"] })).rejects.toThrow(TypeError);
  });
});

it.concurrent("a correct receiver raises no alarm if it limits the rate", async () => {
  let tokens = 20;
  let limited = 0;
  // The time that is waited passes at once.
  let waited = 0;
  const target = await open({
    clock: {
      now: systemClock.now,
      elapsed: () => systemClock.elapsed() + waited,
      after: (ms, call) => {
        const isWait = ms < 1000;
        if (isWait) waited += ms;
        return systemClock.after(isWait ? 0 : ms, call);
      },
    },
    fault: (next) => (request, response) => {
      tokens -= 1;
      if (tokens >= 0) {
        next(request, response);
        return;
      }
      tokens = 20;
      limited += 1;
      request.resume().on("end", () => response.writeHead(429, { "retry-after": "0.1" }).end());
    },
  });
  const { findings } = await runAll(target, checks("genuine", "signature-lists", "duplicates"));
  expect(unmet(findings)).toEqual([]);
  expect(limited).toBeGreaterThan(0);
  expect(waited).toBeGreaterThan(100);
});

describe.concurrent("a run against a receiver", () => {
  it.each([
    ["ends", "got a closed connection"],
    ["hangs", "got no answer within 60000 ms"],
  ])(
    "fails R-ALIVE alone if the receiver %s, warns of what it sent last, and skips the rest",
    async (how, message) => {
      let isLost = false;
      const waits = new Set<() => void>();
      const target = await open({
        profile: short(profiles.standard),
        deadlineMs: 60_000,
        clock: {
          ...systemClock,
          // Nothing answers any more: no wait is worth its time, except that for a connection's end.
          after: (ms, call) => {
            const isIdle = isLost && (how === "hangs" || ms < 60_000);
            const end = (): void => {
              if (waits.delete(end)) call();
            };
            waits.add(end);
            const cancel = systemClock.after(isIdle ? 0 : ms, end);
            return () => {
              waits.delete(end);
              cancel();
            };
          },
        },
        fault: (next) => (request, response) => {
          isLost ||= request.headers["webhook-id"]?.includes("_forged_") === true;
          if (isLost && how === "hangs") for (const end of waits) end();
          if (!isLost) next(request, response);
          else if (how === "ends") request.destroy();
        },
      });
      const names = checks("genuine", "forged", "methods", "leaks", "alive");
      const { findings } = await run({
        target,
        checks: receiverChecks.filter(({ id }) => names.includes(id)),
        requirements: requirements("receiver"),
      });
      expect(told(findings, "error")).toEqual([]);
      const failure = `an attempt: ${message}, and the receiver has answered nothing since`;
      expect(told(findings, "fail")).toEqual([`R-ALIVE: ${failure}`]);
      expect(told(findings, "warn")).toEqual([`R-VERIFY-UNSIGNED: ${failure}`]);
      expect(told(findings, "skipped")).toContainEqual(
        expect.stringMatching(/^R-METHOD: .*ended or hung/),
      );
    },
  );

  it(
    "fails at an exploitable level if a body that is cut off ends the receiver",
    { tags: "ci" },
    async () => {
      let hasEnded = false;
      const target = await open({
        fault: (next) => (request, response) => {
          request.on("error", () => (hasEnded = true));
          if (hasEnded) request.destroy();
          else next(request, response);
        },
      });
      const { findings, exitCode } = await runAll(target, ["R-ALIVE"]);
      expect(exitCode).toBe(1);
      expect(told(findings, "fail")).toEqual([
        expect.stringMatching(/^R-ALIVE: an attempt after .* cut off .* answered nothing since/),
      ]);
    },
  );

  it(
    "warns of R-METHOD if the handler of a PUT runs late, also if the next attempt is refused",
    { tags: "ci" },
    async () => {
      const rows: { eventId: string; type: string; count: number }[] = [];
      let reads = 0;
      const target = await open({
        app: (request, response) => {
          const { method, url, headers } = request;
          const { "webhook-id": eventId } = headers;
          request.resume().on("end", () => {
            if (url === "/effects" && method === "GET") {
              // The first read shows nothing yet.
              if (rows.length > 0) reads += 1;
              response.end(JSON.stringify(reads > 1 ? rows : []));
            } else if (method === "POST") {
              response.writeHead(rows.length > 0 ? 401 : 204).end();
            } else {
              if (method === "PUT") rows.push({ eventId: String(eventId), type: "x", count: 1 });
              response.writeHead(405, { allow: "POST" }).end();
            }
          });
        },
      });
      const { findings } = await runAll(target, ["R-METHOD"]);
      expect(unmet(findings)).toEqual([
        expect.stringMatching(/^R-METHOD: PUT .*, and a handler ran/),
      ]);
    },
  );

  it("does not expect failures of a receiver whose effects URL has no PUT", async () => {
    const target = await open({
      app: (request, response) => {
        const status = request.method === "PUT" ? 404 : 200;
        request.resume().on("end", () => response.writeHead(status).end("[]"));
      },
    });
    const { findings } = await runAll(target, checks("failing"));
    expect(told(findings, "not_applicable")).toEqual(
      findings.map(({ requirement }) => `${requirement.id}: ${NO_FAILURES}`),
    );
  });

  it("names a row of the effects without an id, and still checks the answers, which it shows without the secret", async () => {
    const [secret = ""] = secrets["standard"] ?? [];
    const rows = [{ eventId: null, type: "payment.created", count: 1 }];
    const target = await open({
      app: (request, response) => {
        const isList = request.url === "/effects";
        request.resume().on("end", () => response.end(isList ? JSON.stringify(rows) : secret));
      },
      effectsWaitMs: 20,
    });
    const { findings } = await runAll(target, ["R-VERIFY-WRONG-KEY", "R-EFFECTS-LIST"]);
    expect(told(findings, "error")).toEqual([]);
    expect(findings.map(({ requirement, message }) => `${requirement.id}: ${message}`)).toEqual([
      expect.stringMatching(
        /^R-VERIFY-WRONG-KEY: an attempt that another secret signed: expected a refusal, got 200/,
      ),
      expect.stringMatching(
        /^R-EFFECTS-LIST: row 1 of the effects has eventId null: a handler ran/,
      ),
    ]);
    const [exchange] = findings[0]?.exchanges ?? [];
    expect(exchange?.received).toMatch(/\n\n\[secret\]$/);
  });

  it("waits as long as Retry-After says before the next attempt of a failed event", async () => {
    const waits: number[] = [];
    const counts = new Map<unknown, number>();
    const target = await open({
      clock: {
        ...systemClock,
        after: (ms, call) => {
          waits.push(ms);
          return systemClock.after(ms === 1500 ? 0 : ms, call);
        },
      },
      fault: (next) => (request, response) => {
        const { "webhook-id": id } = request.headers;
        counts.set(id, (counts.get(id) ?? 0) + 1);
        if (counts.get(id) === 2) response.writeHead(503, { "retry-after": "1.5" }).end();
        else next(request, response);
      },
    });
    const { findings } = await runAll(target, checks("failing"));
    expect(told(findings, "pass")).toContain("R-ACK-FAILED: ");
    expect(waits.filter((ms) => ms === 1500)).toHaveLength(1);
  });

  it("notes the difference of the target's clock", async () => {
    const target = await open({
      profile: short(profiles.standard),
      hasEffects: false,
      fault: (next) => (request, response) => {
        response.setHeader("date", new Date(Date.now() + 60_000).toUTCString());
        next(request, response);
      },
    });
    expect(target.notes()).toEqual([expect.stringMatching(/^\d+ requests were sent/)]);
    await runAll(target, ["R-ACK-GENUINE"]);
    expect(target.notes().slice(1)).toEqual([
      expect.stringMatching(/clock is (?:5[5-9]|6[01]) s ahead/),
    ]);
  });
});
