import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { runChild } from "../../packages/contract-kit/src/pact/run-child.ts";
import { openSandbox, TOKEN } from "../../packages/service/test/sandbox/open-sandbox.ts";
import { drawn } from "../../test/seed.ts";
import { temporaryFolder } from "../../test/temporary-folder.ts";

/**
 * Lets Pact's own verifier pass the interactions with the service, given nothing but the sandbox's state-change URL.
 *
 * @param count The run's seed draws so many of each consumer. Default: all.
 * @returns The number of interactions that were verified.
 */
export async function verifyByPact(count?: number): Promise<number> {
  const { url } = (await openSandbox()).sandbox;
  const folder = temporaryFolder();
  const pactUrls = ["countersign-client", "countersign-receiver"].map((name) => {
    const file = new URL(`../pacts/${name}-countersign-service.json`, import.meta.url);
    if (count === undefined) return fileURLToPath(file);
    // This repository's own file.
    const pact = JSON.parse(readFileSync(file, "utf8")) as { readonly interactions: object[] };
    const interactions = drawn(pact.interactions, count);
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify({ ...pact, interactions }));
    return path;
  });
  const { text = "" } = await runChild(
    {
      provider: "countersign-service",
      providerBaseUrl: url,
      providerStatesSetupUrl: `${url}/sandbox/states`,
      customProviderHeaders: { "Countersign-Token": TOKEN },
      transports: [
        {
          protocol: "message",
          port: Number(new URL(url).port),
          path: "/sandbox/messages",
          scheme: "http",
        },
      ],
      pactUrls,
      timeout: 15_000,
      logLevel: "error",
    },
    { limitMs: 60_000 },
  );
  // The verifier's own form.
  const { interactionResults } = JSON.parse(text) as {
    readonly interactionResults: readonly {
      readonly result: string;
      readonly description: string;
    }[];
  };
  expect(interactionResults.filter(({ result }) => result !== "OK")).toEqual([]);
  return interactionResults.length;
}
