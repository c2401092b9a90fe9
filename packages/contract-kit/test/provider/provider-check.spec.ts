import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requirementsOf } from "../../src/check.ts";
import { StateMissing } from "../../src/provider/provider-states.ts";
import { providerCheck } from "../../src/provider/provider-check.ts";
import type { ProviderTarget } from "../../src/target.ts";
import { unreachable } from "../fake-provider.ts";

const target: ProviderTarget = {
  ...unreachable,
  send: () => Promise.resolve({ status: 204, headers: {}, body: new Uint8Array() }),
};
// Its requirements are those that name its id.
const scenario = { id: "provider/request-keys", title: "a check of a test" };
const [WARNING = "", FAILURE = "", OTHER = ""] = requirementsOf(scenario.id, "provider");

describe("a provider's scenario", () => {
  it("goes on after a failure, so that a warning hides no failure", async () => {
    const check = providerCheck({
      ...scenario,
      run: (session) => {
        session.expect(WARNING, false, "a warning");
        session.expect(FAILURE, false, "a failure");
        session.expect(OTHER, true, "");
        return Promise.resolve();
      },
    });
    const verdicts = await check.run(target, { seed: 1, runs: 1 });
    expect(verdicts.map(({ status }) => status).slice(0, 3)).toEqual(["fail", "fail", "pass"]);
  });

  it("is shrunk for each requirement that fails", async () => {
    const check = providerCheck({
      ...scenario,
      arbitrary: () => fc.nat({ max: 1000 }),
      run: (session, value) => {
        session.expect(WARNING, value < 5, `${value}`);
        session.expect(FAILURE, value < 400, `${value}`);
        session.expect(OTHER, true, "");
        return Promise.resolve();
      },
    });
    const verdicts = await check.run(target, { seed: 3, runs: 50 });
    expect(verdicts.slice(0, 3)).toMatchObject([
      { status: "fail", message: "5" },
      { status: "fail", message: "400" },
      { status: "pass" },
    ]);
  });

  it("is not applicable where nothing was observed before a state was missing", async () => {
    const check = providerCheck({
      ...scenario,
      run: (session) => {
        session.expect(OTHER, true, "");
        return Promise.reject(new StateMissing("no state prepares a payment"));
      },
    });
    expect((await check.run(target, { seed: 1, runs: 1 })).slice(0, 3)).toMatchObject([
      { status: "not_applicable", message: "no state prepares a payment" },
      { status: "not_applicable", message: "no state prepares a payment" },
      { status: "pass" },
    ]);
  });

  // The search has 15 seconds.
  it("reports its failure if the search for others is interrupted", { tags: "ci" }, async () => {
    let runs = 0;
    const check = providerCheck({
      ...scenario,
      arbitrary: () => fc.constant(null),
      run: (session) => {
        session.expect(FAILURE, false, "a failure");
        return runs++ === 0 ? Promise.resolve() : new Promise<never>(() => undefined);
      },
    });
    const verdicts = await check.run(target, { seed: 1, runs: 2 });
    expect(verdicts[1]).toMatchObject({ status: "fail", message: "a failure" });
  });

  it("reports what it has seen when the target is lost, and skips the rest", async () => {
    const check = providerCheck({
      ...scenario,
      run: (session) => {
        session.expect(FAILURE, false, "a failure");
        return Promise.reject(new Error("no answer"));
      },
    });
    expect((await check.run(target, { seed: 1, runs: 1 })).slice(0, 3)).toMatchObject([
      { status: "skipped", message: "no answer" },
      { status: "fail", message: "a failure" },
      { status: "skipped" },
    ]);
  });
});
