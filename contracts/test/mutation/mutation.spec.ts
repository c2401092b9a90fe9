import { describe, expect, it, onTestFinished } from "vitest";
import { openReceiver } from "../open-receiver.ts";
import { openService } from "../open-service.ts";
import { campaign, genuineOnes, isNoticed, statefulJudges } from "./campaign.ts";
import { receiverMutants, serviceMutants } from "./mutants.ts";
import { ratesOf, survivorsOf } from "./rates.ts";
import { record } from "./recorded.ts";

/** An answer and an event; the slow lane plays all. */
const sample = [
  "a refund of a payment that is failed",
  "refund.failed, with optional members present",
];

describe("pacts and schemas", () => {
  it("notice at least 95 % of a service's contract violations, and none of an honest one", async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const recorded = await record(service, ({ description }) => sample.includes(description));
    expect(recorded).toHaveLength(sample.length);
    expect((await campaign(genuineOnes(recorded), service)).filter(isNoticed)).toEqual([]);
    const broken = await campaign(serviceMutants(recorded), service);
    expect(ratesOf(broken).both).toBeGreaterThanOrEqual(95);
    // Pact alone sees no member too many; the schemas alone see no status.
    const byPact = survivorsOf(broken.map((one) => ({ ...one, byJudge: false })));
    expect(byPact).toHaveProperty(["extra "]);
    expect(ratesOf(broken).judges).toBeLessThan(ratesOf(broken).both);
  });

  it("notice every contract violation of a receiver, and none of an honest one", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    const judges = statefulJudges(receiver);
    const wanted = ["R-VERIFY-STALE", "R-ONCE-REUSED", "R-ONCE-DUPLICATE"];
    const recorded = await record(receiver, ({ requirement = "" }) => wanted.includes(requirement));
    expect((await campaign(genuineOnes(recorded), judges)).filter(isNoticed)).toEqual([]);
    expect(survivorsOf(await campaign(receiverMutants(recorded), judges))).toEqual({});
  });
});
