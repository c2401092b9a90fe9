import { createServer } from "node:http";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it, onTestFinished } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { receiverTarget } from "../../src/harness/receiver-target.ts";
import { Signing } from "../../src/harness/signing.ts";
import { run } from "../../src/run.ts";
import { ciAfter } from "../../../../test/tags.ts";
import { listen } from "../listen.ts";
import { makeEffects } from "./make-effects.ts";

const documents = [...providersByName.values()];
const [signable, unsignable] = [
  documents.filter(({ signature }) => signature.keyFrom === undefined),
  documents.filter(({ signature }) => signature.keyFrom !== undefined),
];
const claims = { apiKey: "cstest-api-key" };

/** Opens our own receiver for a provider, with a secret in the provider's form, and returns it as a target. */
async function openFor(provider: ProviderDocument) {
  const signing = new Signing(provider, claims);
  const secret = signing.stranger("own");
  const effects = makeEffects({ handlerMs: 1 });
  let attempts: ReturnType<typeof toNode> | undefined;
  const server = createServer((request, response) => {
    if (request.url === "/effects") void effects.answer(request, response);
    else void attempts?.(request, response);
  });
  const { origin, close } = await listen(server);
  onTestFinished(close);
  const needsUrl = JSON.stringify(provider.signature).includes('"url"');
  const receiver = createReceiver({
    provider,
    secrets: [signing.verifyingSecret(secret)],
    fallback: (event) => effects.handle(event),
    inbox: memoryInbox(),
    log: false,
    ...(needsUrl && { url: `${origin}/webhooks` }),
    ...(JSON.stringify(provider.signature).includes("option:apiKey") && { claims }),
  });
  attempts = toNode(receiver);
  const target = receiverTarget({
    url: `${origin}/webhooks`,
    provider,
    claims,
    secrets: [secret],
    effects: `${origin}/effects`,
    types:
      (provider.catalogue ?? []).length > 0
        ? provider.catalogue?.slice(0, 2).map(({ type }) => type)
        : undefined,
    nonce: "a-test",
    deadlineMs: 10_000,
  });
  onTestFinished(target.close);
  return target;
}

describe("attempts of a provider", () => {
  for (const [index, provider] of signable.entries())
    it(
      `of ${provider.name} are accepted by our receiver, whose handler gets their id and type, and forged ones are answered 4xx`,
      { tags: ciAfter(12, index) },
      async () => {
        const { findings } = await run({
          target: await openFor(provider),
          checks: receiverChecks,
          requirements: requirements("receiver"),
          only: ["receiver/genuine", "receiver/refusals"],
        });
        expect(
          findings.map(
            ({ requirement, status, message }) => `${requirement.id} ${status}${message}`,
          ),
        ).toEqual([
          "R-ACK-GENUINE pass",
          "R-ACK-IN-TIME pass",
          "R-ROUTE-ONE pass",
          "R-REFUSE-STATUS pass",
        ]);
      },
    );

  it.each(unsignable.map((provider) => [provider.name, provider] as const))(
    "of %s cannot be made, because only it has the keys",
    (_name, provider) => {
      expect(() => new Signing(provider)).toThrow(/keys that .* names and only/);
    },
  );
});
