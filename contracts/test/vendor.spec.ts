import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runChild } from "../../packages/contract-kit/src/pact/run-child.ts";
import { openSandbox, TOKEN } from "../../packages/service/test/sandbox/open-sandbox.ts";

it(
  "Pact's own verifier passes every interaction with the service, given only the sandbox's state-change URL",
  { tags: "ci", timeout: 90_000 },
  async () => {
    const { url } = (await openSandbox()).sandbox;
    const port = Number(new URL(url).port);
    const { text = "" } = await runChild(
      {
        provider: "countersign-service",
        providerBaseUrl: url,
        providerStatesSetupUrl: `${url}/sandbox/states`,
        customProviderHeaders: { "Countersign-Token": TOKEN },
        transports: [{ protocol: "message", port, path: "/sandbox/messages", scheme: "http" }],
        pactUrls: ["countersign-client", "countersign-receiver"].map((name) =>
          fileURLToPath(new URL(`../pacts/${name}-countersign-service.json`, import.meta.url)),
        ),
        timeout: 15_000,
        logLevel: "error",
      },
      { limitMs: 60_000 },
    );
    // The verifier's own form.
    const { interactionResults } = JSON.parse(text) as {
      readonly interactionResults: readonly { readonly result: string }[];
    };
    expect(interactionResults.filter(({ result }) => result !== "OK")).toEqual([]);
    expect(interactionResults).toHaveLength(124);
  },
);
