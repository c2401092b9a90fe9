import {
  hostReceiver,
  httpSend,
  providerChecks,
  type ProviderTarget,
  receiverChecks,
  receiverTarget,
  requirements,
  run,
} from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import {
  type Hostility,
  serveHostile,
} from "../../../packages/contract-kit/test/receiver/hostile-target.ts";
import { secrets } from "../receivers/conduct.ts";
import { hostilities } from "./servers.ts";

/** Runs every receiver check against a hostile target. */
export async function meetReceiver(name: string) {
  const hostile = await serveHostile(hostilityOf(name));
  const target = receiverTarget({
    url: `${hostile.origin}/webhooks`,
    secrets,
    profile: profiles.standard,
    deadlineMs: 400,
    effectsWaitMs: 100,
  });
  try {
    const report = await run({ target, checks: receiverChecks, ...common });
    return { report, asked: hostile.said.map((text) => text.split("\r\n")[0] ?? "") };
  } finally {
    await hostile.close();
  }
}

/** Runs every provider check against a hostile service. */
export async function meetProvider(name: string, secret: string) {
  const hostile = await serveHostile(hostilityOf(name));
  const { send, close } = httpSend(hostile.origin, { timeoutMs: 300 });
  const receiver = await hostReceiver({ deliveryMs: 100 });
  const target: ProviderTarget = {
    role: "provider",
    url: hostile.origin,
    send,
    token: () => Promise.resolve("a-token"),
    client: { id: "a-client", secret },
    profile: profiles.standard,
    receiver,
  };
  try {
    const report = await run({ target, checks: providerChecks, ...common });
    return { report, asked: hostile.said.map((text) => text.split("\r\n")[0] ?? "") };
  } finally {
    close();
    receiver.close();
    await hostile.close();
  }
}

const common = { requirements: requirements(), runs: 3 };

function hostilityOf(name: string): Hostility {
  const found = hostilities[name];
  if (found === undefined) throw new Error(`unknown hostility ${name}`);
  return found;
}
