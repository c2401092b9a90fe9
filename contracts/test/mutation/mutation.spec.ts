import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openReceiver } from "../open-receiver.ts";
import { openService } from "../open-service.ts";
import { campaign, genuineOnes, type Verdict } from "./campaign.ts";
import { ratesOf, survivorsOf } from "./rates.ts";
import { receiverJudges, receiverMutants } from "./receiver-mutants.ts";
import { record } from "./recorded.ts";
import { SECRET_KEY, serviceMutants } from "./service-mutants.ts";

const pacts = fileURLToPath(new URL("../../pacts", import.meta.url));

/** An answer and an event; everything is played in the slow lane. */
const sample = [
  "a refund of a payment that is failed",
  "refund.failed, with optional members present",
];

describe("a service that breaks its contract at one place", () => {
  it("is noticed in at least 95 % of the cases, and an honest one never", async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const recorded = await record(service, pacts, ({ description }) =>
      sample.includes(description),
    );
    expect(recorded).toHaveLength(sample.length);
    const all = [...genuineOnes(recorded), ...serviceMutants(recorded, SECRET_KEY)];
    const { kept, broken } = sorted(await campaign(all, service));
    expect(kept.filter(isNoticed)).toEqual([]);
    expect(ratesOf(broken).both).toBeGreaterThanOrEqual(95);
    // Pact alone sees no member too many; the schemas alone see no status.
    expect(survivorsOf(broken.map((one) => ({ ...one, byJudge: false })))).toHaveProperty([
      "extra ",
    ]);
    expect(ratesOf(broken).judges).toBeLessThan(ratesOf(broken).both);
  });
});

describe("a receiver that breaks its contract at one place", () => {
  it("is always noticed, and an honest one never", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    const judges = receiverJudges(receiver);
    const recorded = await record(receiver, pacts, ({ requirement }) =>
      ["R-VERIFY-STALE", "R-ONCE-REUSED", "R-ONCE-DUPLICATE"].includes(requirement ?? ""),
    );
    const all = [...genuineOnes(recorded), ...receiverMutants(recorded)];
    const { kept, broken } = sorted(await campaign(all, judges));
    expect(kept.filter(isNoticed)).toEqual([]);
    expect(survivorsOf(broken)).toEqual({});
  });
});

const isNoticed = ({ byPact, byJudge }: Verdict): boolean => byPact || byJudge;

function sorted(verdicts: readonly Verdict[]): { kept: Verdict[]; broken: Verdict[] } {
  const isKept = ({ mutant }: Verdict): boolean => mutant.operator === "none";
  return { kept: verdicts.filter(isKept), broken: verdicts.filter((one) => !isKept(one)) };
}
