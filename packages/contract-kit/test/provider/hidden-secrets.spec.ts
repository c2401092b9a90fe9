import type { ProviderTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it } from "vitest";
import { commonHeaders } from "../../src/provider/http.ts";
import { openTarget } from "./open-target.ts";

/** Statuses and bodies of another profile: every refusal has the wrong form. */
const broken = { ...profiles.standard.statuses, errorBody: "flat" } as const;

it("a failure shows no token that a state has granted, however the state's answer is spaced", async () => {
  const target = await openTarget();
  const { states } = target;
  const granted: string[] = [];
  const send: ProviderTarget["send"] = async (call) => {
    const answer = await states.send(call);
    const values = JSON.parse(Buffer.from(answer.body).toString()) as { accessToken?: string };
    if (values.accessToken !== undefined) granted.push(values.accessToken);
    return { ...answer, body: Buffer.from(JSON.stringify(values, undefined, 1)) };
  };
  const verdicts = await commonHeaders.run(
    { ...target, states: { ...states, send }, profile: { ...target.profile, statuses: broken } },
    { seed: 1, runs: 1 },
  );
  const text = JSON.stringify(verdicts.filter(({ status }) => status === "fail"));
  expect(text).toContain("POST /sandbox/states");
  expect(granted).not.toEqual([]);
  for (const token of granted) expect(text).not.toContain(token.slice(0, -1));
});
