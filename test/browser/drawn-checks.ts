import type { CheckRunner } from "@countersign/sandbox/internal";
import { profiles } from "@countersign/schemas/profiles";
import { receiverCheckRunner } from "../../packages/cli/src/receiver-check-runner.ts";

type Owed = Record<"group" | "title" | "requirement", string>;

const statuses: Readonly<Record<string, string>> = {
  "R-ACK-GENUINE": "pass",
  "R-VERIFY-UNSIGNED": "fail",
  "R-HEADER-ONCE": "warn",
  "R-ROUTE-ONE": "not_applicable",
};

const sent = [
  "POST /webhooks HTTP/1.1",
  "Host: localhost:3000",
  "Content-Length: 62",
  "Content-Type: application/json",
  "",
  '{"id":"cstest_1","type":"payment.created","category":"PAYMENT"}',
].join("\n");

const failure = {
  message: "an attempt without any header of the scheme: expected a refusal, got 204",
  fix: "Refuse an attempt without the signature's headers before anything else is done.",
  evidence: {
    curl: [],
    exchanges: [{ sent, received: "HTTP/1.1 204 No Content\nConnection: close" }],
  },
  replay:
    "countersign verify receiver --url http://localhost:3000/webhooks --only receiver/forged --seed 1",
};

/** A run of the checks as it is drawn in the docs: the same findings each time, without a receiver. */
export function drawnChecks(target: {
  readonly url: string;
  readonly secret: string;
}): CheckRunner {
  const { standard: profile } = profiles;
  const owed = async (): Promise<Owed[]> => {
    // The runner's own entries have these members.
    const all = (await receiverCheckRunner({
      ...target,
      profile,
      profileName: "standard",
    }).owed()) as Owed[];
    return Object.keys(statuses).flatMap(
      (id) => all.find(({ requirement }) => requirement === id) ?? [],
    );
  };
  return {
    owed,
    run: async ({ onCheck, onEntry }) => {
      const rows = await owed();
      for (const [index, { group, title, requirement, ...row }] of rows.entries()) {
        onCheck({ check: group, title, place: index + 1, total: rows.length });
        const status = statuses[requirement];
        const page = `https://github.com/countersign/countersign/blob/main/docs/reference/requirements.md#${requirement.toLowerCase()}`;
        const found = { status, page, ms: 42, message: "", ...(status === "fail" && failure) };
        onEntry({ ...row, id: `${group}#${requirement}`, group, requirement, ...found });
      }
      const startedAt = "2026-11-20T15:00:00.000Z";
      const about = { profile: { name: "standard" }, seed: 1, startedAt, kit: "0.1.0" };
      return { about, notes: [], problems: [], uncovered: [], exitCode: 1 };
    },
  };
}
