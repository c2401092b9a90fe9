import { sampleEvent } from "@countersign/sandbox/internal";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { systemRandom } from "@countersign/service/internal";
import { describe, expect, it } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { entryOfFinding, terminalEntry } from "../../src/report/index.ts";
import { type Finding, requirements } from "../../src/check.ts";
import { requireKnown } from "../../src/harness/delivered-events.ts";
import type { HttpCall, Send } from "../../src/http-send.ts";
import { run, type Report, type RunOptions } from "../../src/run.ts";
import type { ProviderTarget } from "../../src/target.ts";
import { drawn, seed } from "../../../../test/seed.ts";
import { quick } from "./open-sandbox.ts";
import { type Fault, openTarget } from "./open-target.ts";
import { unseenByXSignature, withoutPayments, xSignature } from "./other-profiles.ts";

const known = requirements();
const verify = (
  target: ProviderTarget,
  options: Partial<RunOptions<ProviderTarget>> = {},
): Promise<Report> =>
  run({ target, checks: providerChecks, requirements: known, runs: 1, ...options });
const idsOf = (findings: readonly Finding[], status: Finding["status"]): string[] =>
  findings.filter((one) => one.status === status).map(({ requirement }) => requirement.id);

/** The target, with a state-change URL that does not prepare some states. */
const without = (target: ProviderTarget, ...names: readonly string[]): ProviderTarget => {
  const { states } = target;
  if (states === undefined) throw new Error("a sandbox prepares states");
  const unknown = { status: 404, headers: {}, body: new Uint8Array() };
  const isUnknown = (body: unknown) => names.some((name) => String(body).includes(`"${name}"`));
  const send: Send = (call) =>
    isUnknown(call.body) ? Promise.resolve(unknown) : states.send(call);
  return { ...target, states: { ...states, send } };
};

// The slow lane runs a hundred scenarios of each check; test/matrix has the broken services.
const adding: Fault = async (call, next) => {
  const answer = await next(call);
  const text = Buffer.from(answer.body).toString().replace(/^\{/, '{"more":1,');
  return { ...answer, body: Buffer.from(text) };
};
const closed: Profile = {
  ...profiles.standard,
  deprecation: { ...profiles.standard.deprecation, additive: "refused" },
};

/** They take longest, and always the same: each runs in the long lane. */
const LONG = ["provider/calendar", "provider/attempt-deadline"];
const quickChecks = providerChecks.filter(({ id }) => !LONG.includes(id));
/** A third of the checks, drawn by the run's seed: the long lane takes them all. */
const third = drawn(quickChecks, Math.ceil(quickChecks.length / 3));

describe("a run of the provider checks", { timeout: 180_000 }, () => {
  it("passes every check but the long ones at the sandbox", async () => {
    const { target } = await openTarget(undefined, quick);
    // Several at once, since some wait: each scenario has its own merchant.
    const reports = await Promise.all(
      quickChecks.map((check) => verify(target, { checks: [check] })),
    );
    const all = reports.flatMap(({ findings }) => findings);
    expect(all.filter(({ status }) => status !== "pass")).toEqual([]);
    const tested = quickChecks.flatMap((check) => check.requirements);
    expect(idsOf(all, "pass").toSorted()).toEqual(tested.toSorted());
  });

  it(`ends with 0 at the sandbox under another profile, and lists the requirements that it cannot show, with seed ${seed}`, async () => {
    const { target } = await openTarget(undefined, xSignature);
    const checks = providerChecks.filter(
      (check) => third.includes(check) || unseenByXSignature[check.id] !== undefined,
    );
    const { exitCode, findings, uncovered } = await verify(target, { checks });
    expect(exitCode).toBe(0);
    const unseen = Object.values(unseenByXSignature).flat();
    expect(idsOf(findings, "not_applicable")).toEqual(unseen);
    expect(idsOf(findings, "pass")).toHaveLength(findings.length - unseen.length);
    const tested = new Set(checks.flatMap(({ requirements: its }) => its));
    const untested = known.filter(({ role, id }) => role === "provider" && !tested.has(id));
    expect(uncovered).toEqual(untested.map(({ id }) => id));
  });

  it(`passes a third of the checks that apply at the sandbox of a profile without payments, with seed ${seed}`, async () => {
    const { target } = await openTarget(undefined, withoutPayments());
    const called = new Set<string>();
    const send: Send = (call) => {
      called.add(`${call.method} ${call.path}`);
      return target.send(call);
    };
    const states = target.states && {
      ...target.states,
      send: (call: HttpCall) => {
        called.add(`state ${String(call.body)}`);
        return target.states?.send(call) ?? target.send(call);
      },
    };
    const watched = { ...target, send, ...(states && { states }) };
    const { findings, uncovered } = await verify(watched, { checks: third });
    expect(findings.filter(({ status }) => status !== "pass")).toEqual([]);
    expect(uncovered.filter((id) => /REFUND|CUSTOMER/.test(id))).toEqual([]);
    expect(
      [...called].filter((path) => /refund|"a customer|"a payment|\/customer/.test(path)),
    ).toEqual([]);
  });

  it.each([
    ["with payments", profiles.standard],
    ["without payments", withoutPayments()],
  ])(
    "fails P-INPUT-STRICT at a provider %s that replaces half a surrogate pair",
    async (_what, profile) => {
      const replacing: Fault = (call, next) => {
        const body = String(call.body ?? "").replaceAll(String.raw`\ud800`, "x");
        return next(call.body === undefined ? call : { ...call, body });
      };
      const { target } = await openTarget(replacing, profile);
      const { findings } = await verify(target, { only: ["P-INPUT-STRICT"] });
      expect(findings).toMatchObject([{ status: "fail" }]);
      expect(findings[0]?.message).toMatch(/^half a surrogate pair: expected 400, got 20/);
    },
  );

  it("ends with 0 at the sandbox under a profile that requires every header", async () => {
    const headers = { contentTypeOnGet: "error", acceptMissing: "error" } as const;
    const { target } = await openTarget(undefined, { ...profiles.standard, headers });
    const only = ["provider/common-headers", "provider/http-grammar", "provider/customers"];
    const { exitCode, findings } = await verify(target, { only });
    expect(findings.filter(({ status }) => status !== "pass")).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it("runs only the checks that need no state at a target without a state-change URL", async () => {
    const { states: _, ...bare } = (await openTarget()).target;
    const { exitCode, findings } = await verify(bare, { runs: 2 });
    expect(exitCode).toBe(0);
    const passed = findings.filter(({ status }) => status === "pass").map(({ check }) => check);
    expect([...new Set(passed)]).toEqual([
      "provider/common-headers",
      "provider/http-grammar",
      "provider/bodies",
      "provider/invalid-requests",
      "provider/unsubscribing",
    ]);
    expect([...idsOf(findings, "fail"), ...idsOf(findings, "error")]).toEqual([]);
  });

  it("skips only the requirements that need a clock at a target without one", async () => {
    const still = without((await openTarget()).target, "the time");
    const only = ["provider/refund-states", "provider/over-refund"];
    const { findings } = await verify(still, { only });
    expect(idsOf(findings, "pass")).toEqual(["P-REFUND-SUM", "P-ANSWER-SCHEMA"]);
    expect(findings.find(({ status }) => status === "not_applicable")?.message).toBe(
      'the state-change URL does not prepare the state "the time"',
    );
  });

  it("warns of P-INPUT-METHOD at a target that answers 405 without Allow", async () => {
    const { target } = await openTarget(async (call, next) => {
      const { headers, ...answer } = await next(call);
      const { allow: _, ...others } = headers;
      return { ...answer, headers: others };
    });
    const { findings } = await verify(target, { only: ["P-INPUT-METHOD"] });
    expect(idsOf(findings, "warn")).toEqual(["P-INPUT-METHOD"]);
  });

  it("plays each scenario with its own merchant", async () => {
    const tokens = new Set<unknown>();
    const { target } = await openTarget((call, next) => {
      tokens.add(call.headers["authorization"]);
      return next(call);
    });
    await verify(target, { only: ["provider/over-refund"], runs: 3 });
    expect(tokens.size).toBe(3);
  });

  it("ends with 2 if the target is not there", async () => {
    const { states: _, ...bare } = (await openTarget()).target;
    const gone = { ...bare, send: () => Promise.reject(new Error("connect ECONNREFUSED")) };
    const { exitCode, findings } = await verify(gone, { only: ["provider/common-headers"] });
    expect(exitCode).toBe(2);
    expect(findings.every((one) => one.message === "connect ECONNREFUSED")).toBe(true);
  });

  it("notes members of answers that no schema lists, if the profile allows additions", async () => {
    const { target } = await openTarget(adding);
    const additions = new Set<string>();
    const { findings } = await verify({ ...target, additions }, { only: ["provider/customers"] });
    expect(idsOf(findings, "fail")).toEqual([]);
    expect([...additions]).toContain("GET /v1/customers/… /more");
  });

  it("notes unlisted members of events, and fails P-EVENT-SCHEMA if the profile refuses additions", () => {
    const type = "payment.created";
    const at = Date.UTC(2026, 0, 2);
    const sample = sampleEvent({ profile: profiles.standard, type, at, random: systemRandom });
    if (!sample.ok) throw new Error(sample.code);
    const body = Buffer.from(sample.body.replaceAll("{", '{"more":1,').replaceAll(",}", "}"));
    const additions = new Set<string>();
    requireKnown(body, { profile: profiles.standard, additions });
    expect([...additions]).toEqual(
      expect.arrayContaining([`the event ${type} /more`, `the event ${type} /data/more`]),
    );
    expect(() => requireKnown(body, { profile: closed })).toThrow(/\/data\/more is not a member/);
  });

  it("describes a failure with its requirement, the problem, shell commands and a replay", async () => {
    const { target } = await openTarget(adding, closed);
    const { findings } = await verify(target, { only: ["provider/customers"], runs: 50 });
    const failed = findings.find(({ status }) => status === "fail");
    const replay = (check: string, at: { readonly path?: string }): string =>
      `verify ${check} --path ${at.path}`;
    const lines = failed && terminalEntry(entryOfFinding(failed, { seed: 1, replay }));
    const text = lines?.join("\n") ?? "";
    expect(text).toMatch(/^FAIL {3}P-ANSWER-SCHEMA +Every call/);
    expect(text).toMatch(/\/more is not a member of this object \(additionalProperties\)/);
    expect(text).toMatch(/\n +ANSWER=\$\(curl -sS/);
    expect(text).toMatch(/again +verify provider\/customers --path 0\n$/);
  });
});
