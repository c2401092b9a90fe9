import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openReceiver } from "../open-receiver.ts";
import { openService } from "../open-service.ts";
import { campaign, genuineOnes } from "./campaign.ts";
import { ratesOf, survivorsOf } from "./rates.ts";
import { receiverJudges, receiverMutants } from "./receiver-mutants.ts";
import { record } from "./recorded.ts";
import { SECRET_KEY, serviceMutants } from "./service-mutants.ts";

const pacts = fileURLToPath(new URL("../../pacts", import.meta.url));

/** One interaction of each kind; all of them are played in the slow lane. */
const sample = [
  "a refund of a payment that is failed",
  "a refund of more than the payment",
  "a look at a customer who is ACTIVE, with an account",
  "a token for one scope",
  "refund.failed, with optional members present",
];

describe("a provider that breaks its word at one place", () => {
  it("is noticed nineteen times in twenty, and one that keeps it never", async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const recorded = await record(service, pacts, ({ description }) =>
      sample.includes(description),
    );
    expect(recorded).toHaveLength(sample.length);
    const kept = await campaign(genuineOnes(recorded), service);
    expect(kept.filter(({ byPact, byJudge }) => byPact || byJudge)).toEqual([]);
    const verdicts = await campaign(serviceMutants(recorded, SECRET_KEY), service);
    expect(ratesOf(verdicts).both).toBeGreaterThanOrEqual(95);
    // Pact alone sees no member too many; the schemas alone see no status.
    expect(survivorsOf(verdicts.map((one) => ({ ...one, byJudge: false })))).toHaveProperty([
      "extra ",
    ]);
    expect(ratesOf(verdicts).judges).toBeLessThan(ratesOf(verdicts).both);
  });
});

describe("a receiver that breaks its word at one place", () => {
  it("is noticed, and one that keeps it never", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    const judges = receiverJudges(receiver);
    const recorded = await record(receiver, pacts, ({ requirement }) =>
      ["R-VERIFY-STALE", "R-ONCE-REUSED", "R-ONCE-DUPLICATE"].includes(requirement ?? ""),
    );
    const kept = await campaign(genuineOnes(recorded), judges);
    expect(kept.filter(({ byPact, byJudge }) => byPact || byJudge)).toEqual([]);
    expect(survivorsOf(await campaign(receiverMutants(recorded), judges))).toEqual({});
  });
});
