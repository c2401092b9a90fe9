import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { type Finding, requirements } from "../../src/check.ts";
import type { Send } from "../../src/http-send.ts";
import { run, type Report, type RunOptions } from "../../src/run.ts";
import type { ProviderTarget } from "../../src/target.ts";
import { type Fault, openTarget, quick } from "./open-target.ts";
import { unseenByXSignature, xSignature } from "./other-profiles.ts";

const known = requirements();
const verify = (
  target: ProviderTarget,
  options: Partial<RunOptions<ProviderTarget>> = {},
): Promise<Report> =>
  run({ target, checks: providerChecks, requirements: known, runs: 1, ...options });
const idsOf = (findings: readonly Finding[], status: Finding["status"]): string[] =>
  findings.filter((one) => one.status === status).map(({ requirement }) => requirement.id);

type Opened = Awaited<ReturnType<typeof openTarget>>;

/** The target, with a state-change URL that does not prepare some states. */
const without = (target: Opened, ...names: readonly string[]): ProviderTarget => {
  const { states } = target;
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
/** They take longest, and always the same: each runs in the long lane. */
const LONG = ["provider/calendar", "sender/attempt-deadline"];
describe("a run of the provider checks", { timeout: 180_000 }, () => {
  it(
    "passes every check but the long ones at the sandbox, each requirement observed",
    { tags: "ci" },
    async () => {
      // With the standard timeout: on a busy machine a shorter one may pass before the kit answers.
      const target = await openTarget({
        profile: { ...quick, provider: profiles.standard.provider },
      });
      const checks = providerChecks.filter(({ id }) => !LONG.includes(id));
      // Several at once, since some wait: each scenario has its own merchant. Those that measure time run in a row.
      const rows = Map.groupBy(checks, ({ id }) => (id.startsWith("sender/") ? "senders" : id));
      const reports = await Promise.all(
        // With this seed, these scenarios of each check observe all of its requirements.
        [...rows.values()].map((row) => verify(target, { checks: row, runs: 12, seed: 7 })),
      );
      const all = reports.flatMap(({ findings }) => findings);
      expect(all.filter(({ status }) => status !== "pass")).toEqual([]);
      const tested = checks.flatMap((check) => check.requirements);
      expect(idsOf(all, "pass").toSorted()).toEqual(tested.toSorted());
    },
  );

  it(
    "ends with 0 under another profile, of which some answers do not show a requirement",
    { tags: "ci" },
    async () => {
      const target = await openTarget({ profile: xSignature });
      const only = Object.keys(unseenByXSignature);
      const { exitCode, findings } = await verify(target, { only, runs: 12, seed: 7 });
      expect(exitCode).toBe(0);
      const unseen = Object.values(unseenByXSignature).flat();
      expect(idsOf(findings, "not_applicable")).toEqual(unseen);
      expect(idsOf(findings, "pass")).toHaveLength(findings.length - unseen.length);
    },
  );

  it("runs only the checks that need no state at a target without a state-change URL", async () => {
    const { states: _, ...bare } = await openTarget();
    const { exitCode, findings } = await verify(bare, { runs: 2 });
    expect(exitCode).toBe(0);
    const passed = findings
      .filter(({ status, requirement: { id } }) => status === "pass" && !id.startsWith("P-ANSWER"))
      .map(({ check }) => check);
    expect([...new Set(passed)]).toEqual([
      "provider/common-headers",
      "provider/bodies",
      "provider/invalid-requests",
      "provider/subscriptions",
      "provider/unsubscribing",
    ]);
    expect([...idsOf(findings, "fail"), ...idsOf(findings, "error")]).toEqual([]);
  });

  it("skips only the requirements that need a clock at a target without one", async () => {
    const still = without(await openTarget(), "the time");
    const only = ["provider/refund-states", "provider/over-refund"];
    const { findings } = await verify(still, { only });
    expect(idsOf(findings, "pass")).toEqual([
      "P-REFUND-SUM",
      "P-ANSWER-SCHEMA",
      "P-ANSWER-FORM",
      "P-ANSWER-NO-SECRETS",
    ]);
    expect(findings.find(({ status }) => status === "not_applicable")?.message).toBe(
      'the state-change URL does not prepare the state "the time"',
    );
  });

  it("says that a token has ended with the merchant's clock if calls are refused after moved time", async () => {
    const ended = new Set<string>();
    const target = await openTarget({
      fault: async (call, next) => {
        const answer = await next(call);
        return ended.has(call.headers["authorization"] ?? "") ? { ...answer, status: 401 } : answer;
      },
    });
    const { states } = target;
    const send: typeof states.send = (call) => {
      const { params } = JSON.parse(Buffer.from(call.body ?? "").toString()) as {
        readonly params: Readonly<Record<string, string>>;
      };
      if (params["to"] !== undefined) ended.add(`Bearer ${params["accessToken"]}`);
      return states.send(call);
    };
    const only = ["provider/refund-states"];
    const { findings } = await verify({ ...target, states: { ...states, send } }, { only });
    const { message } = findings.find(({ status }) => status === "warn") ?? {};
    expect(message).toContain("the tokens of a state must outlive it");
  });

  it("accepts members of answers that no schema lists, if the profile allows additions", async () => {
    const target = await openTarget({ fault: adding });
    const { findings } = await verify(target, { only: ["provider/customers"] });
    expect(idsOf(findings, "fail")).toEqual([]);
  });

  it("warns of error bodies that have only errorDetails, and fails nothing", async () => {
    const bare: Fault = async (call, next) => {
      const answer = await next(call);
      if (answer.status < 400) return answer;
      const { errorDetails } = JSON.parse(Buffer.from(answer.body).toString()) as Readonly<
        Record<string, unknown>
      >;
      const headers = { ...answer.headers, "content-type": "application/json" };
      return { ...answer, headers, body: Buffer.from(JSON.stringify({ errorDetails })) };
    };
    const target = await openTarget({ fault: bare });
    const only = ["provider/bodies", "provider/invalid-requests", "provider/unsubscribing"];
    const { exitCode, findings } = await verify(target, { only });
    expect(exitCode).toBe(0);
    expect(new Set(idsOf(findings, "warn"))).toEqual(new Set(["P-ANSWER-FORM", "P-INPUT-PRECISE"]));
  });
});
