import { createServer } from "node:http";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { onTestFinished } from "vitest";
import { type ReceiverTarget, receiverTarget } from "../../src/harness/receiver-target.ts";
import { Signing } from "../../src/harness/signing.ts";
import { listen } from "../listen.ts";
import type { OpenOptions } from "./open-receiver.ts";
import { makeEffects } from "./make-effects.ts";

const claims = { apiKey: "cstest-api-key" };

/** Opens our own receiver for a provider, with a secret in the provider's form, and returns it as a target. */
export async function openVendor(
  provider: ProviderDocument,
  fault: NonNullable<OpenOptions["fault"]> = (next) => next,
  /** `types`: none chooses the default. Default: the first two of the catalogue. */
  { types, samples }: Pick<OpenOptions, "types" | "samples"> = {
    types: provider.catalogue?.slice(0, 2).map(({ type }) => type),
  },
): Promise<ReceiverTarget> {
  const signing = new Signing(provider, claims);
  const secret = signing.stranger("own");
  const effects = makeEffects({ handlerMs: 1 });
  let attempts: ReturnType<typeof toNode> | undefined;
  const server = createServer((request, response) => {
    if (request.url === "/effects") void effects.answer(request, response);
    else fault((...given) => void attempts?.(...given))(request, response);
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
    types: types?.length === 0 ? undefined : types,
    samples,
    nonce: "a-test",
    deadlineMs: 10_000,
  });
  onTestFinished(target.close);
  return target;
}
