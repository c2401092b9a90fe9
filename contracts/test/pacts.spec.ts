import { fileURLToPath } from "node:url";
import { requirements } from "@countersign/contract-kit";
import { readPacts, verifyPacts } from "@countersign/contract-kit/pact";
import { expect, it } from "vitest";
import { openTarget } from "../../packages/contract-kit/test/provider/open-target.ts";

const folders = [fileURLToPath(new URL("../pacts", import.meta.url))];

it(
  "the sandbox fulfils every interaction of every pact",
  { tags: "ci", timeout: 300_000 },
  async () => {
    const target = await openTarget();
    const { rows, problems } = await verifyPacts({ target, pacts: folders });
    expect(problems).toEqual([]);
    expect(rows.filter(({ isOk }) => !isOk)).toEqual([]);
    const written = readPacts(folders).flatMap(({ interactions }) => interactions);
    expect(rows).toHaveLength(written.length);
  },
);

it("every interaction of a pact names a known requirement", () => {
  const ids = requirements().map(({ id }) => id);
  for (const { interactions } of readPacts(folders))
    for (const { requirement } of interactions) expect(ids).toContain(requirement);
});
