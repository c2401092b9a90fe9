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
import { expect, it } from "vitest";
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

/** Runs every provider check against each hostile service; the long lane runs all of them. */
export function hostileProviders(names: readonly string[]): void {
  it.concurrent.each(names)("ends with a report if a provider %s", async (name) => {
    const secret = "a-secret-of-the-client";
    const report = await meetProvider(name, secret);
    expect([1, 2]).toContain(report.exitCode);
    expect(report.findings.filter(({ status }) => status === "pass")).toEqual([]);
    expect(JSON.stringify(report.findings)).not.toContain(secret);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
}

async function meetProvider(name: string, secret: string) {
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
    return await run({ target, checks: providerChecks, ...common });
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
