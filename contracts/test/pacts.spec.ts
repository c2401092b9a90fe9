import { fileURLToPath } from "node:url";
import { requirements } from "@countersign/contract-kit";
import { readPacts, serviceProvider, verifyPacts } from "@countersign/contract-kit/pact";
import { expect, it, onTestFinished } from "vitest";
import { openTarget } from "../../packages/contract-kit/test/provider/open-target.ts";
import { TOKEN } from "../../packages/service/test/sandbox/open-sandbox.ts";

const folders = [fileURLToPath(new URL("../pacts", import.meta.url))];

it(
  "the sandbox fulfils every interaction of every pact",
  { tags: "ci", timeout: 300_000 },
  async () => {
    const { url, send, states } = await openTarget();
    if (states === undefined) throw new Error("a sandbox prepares states");
    const provider = await serviceProvider({ url, send, states, token: TOKEN });
    onTestFinished(provider.close);
    const { rows, problems } = await verifyPacts({ provider, pacts: folders });
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
