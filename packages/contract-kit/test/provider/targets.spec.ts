import { AsyncLocalStorage } from "node:async_hooks";
import { sampleEvent } from "@countersign/sandbox/internal";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { resolveProfile } from "@countersign/schemas/provider-of";
import { systemRandom } from "@countersign/service/internal";
import { describe, expect, it, vi } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { type Finding, requirements } from "../../src/check.ts";
import { requireKnown } from "../../src/harness/delivered-events.ts";
import type * as Judge from "../../src/harness/judge.ts";
import type { Send } from "../../src/http-send.ts";
import { run, type Report, type RunOptions } from "../../src/run.ts";
import type { ProviderTarget } from "../../src/target.ts";
import { type Fault, openTarget, quick } from "./open-target.ts";
import { unseenByXSignature, xSignature } from "./other-profiles.ts";

/** The checks, loaded anew, and the requirements that the running one has judged. */
async function notingChecks() {
  const judged = new AsyncLocalStorage<Set<string>>();
  // Other files of the same process have loaded the checks without the mock.
  vi.resetModules();
  vi.doMock("../../src/harness/judge.ts", async (load) => {
    const judge = await load<typeof Judge>();
    const noting =
      <Rest extends unknown[]>(must: (requirement: string, ...rest: Rest) => void) =>
      (requirement: string, ...rest: Rest): void => {
        judged.getStore()?.add(requirement);
        must(requirement, ...rest);
      };
    return { ...judge, must: noting(judge.must), mustBe: noting(judge.mustBe) };
  });
  const { providerChecks: all } = await import("../../src/checks.ts");
  const { run: runNoting } = await import("../../src/run.ts");
  vi.doUnmock("../../src/harness/judge.ts");
  vi.resetModules();
  const checks = all.filter(({ id }) => !LONG.includes(id));
  return { checks, judged, run: runNoting };
}

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

// The slow lane runs a hundred scenarios of each check; test/faults has the broken services.
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
describe("a run of the provider checks", { timeout: 180_000 }, () => {
  it("passes every check but the long ones at the sandbox, each with a judgement of each of its requirements", async () => {
    const target = await openTarget({ profile: quick });
    const { checks, judged, run: runNoting } = await notingChecks();
    // With this seed, three scenarios of each check meet all of its requirements.
    const options = { target, requirements: known, runs: 3, seed: 7 };
    const unjudged: string[] = [];
    // Several at once, since some wait: each scenario has its own merchant.
    const reports = await Promise.all(
      checks.map(async (check) => {
        const seen = new Set<string>();
        const report = await judged.run(seen, () => runNoting({ checks: [check], ...options }));
        unjudged.push(...check.requirements.filter((one) => !seen.has(one)));
        return report;
      }),
    );
    expect(unjudged).toEqual([]);
    const all = reports.flatMap(({ findings }) => findings);
    expect(all.filter(({ status }) => status !== "pass")).toEqual([]);
    const tested = checks.flatMap((check) => check.requirements);
    expect(idsOf(all, "pass").toSorted()).toEqual(tested.toSorted());
  });

  it("ends with 0 under another profile, of which some answers do not show a requirement", async () => {
    const target = await openTarget({ profile: xSignature });
    const { exitCode, findings } = await verify(target, { only: Object.keys(unseenByXSignature) });
    expect(exitCode).toBe(0);
    const unseen = Object.values(unseenByXSignature).flat();
    expect(idsOf(findings, "not_applicable")).toEqual(unseen);
    expect(idsOf(findings, "pass")).toHaveLength(findings.length - unseen.length);
  });

  it("runs only the checks that need no state at a target without a state-change URL", async () => {
    const { states: _, ...bare } = await openTarget();
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
    const still = without(await openTarget(), "the time");
    const only = ["provider/refund-states", "provider/over-refund"];
    const { findings } = await verify(still, { only });
    expect(idsOf(findings, "pass")).toEqual(["P-REFUND-SUM", "P-ANSWER-SCHEMA"]);
    expect(findings.find(({ status }) => status === "not_applicable")?.message).toBe(
      'the state-change URL does not prepare the state "the time"',
    );
  });

  it("notes members of answers that no schema lists, if the profile allows additions", async () => {
    const target = await openTarget({ fault: adding });
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
    requireKnown(body, { profile: resolveProfile(profiles.standard), additions });
    expect([...additions]).toEqual(
      expect.arrayContaining([`the event ${type} /more`, `the event ${type} /data/more`]),
    );
    expect(() => requireKnown(body, { profile: resolveProfile(closed) })).toThrow(
      /\/data\/more is not a member/,
    );
  });
});
