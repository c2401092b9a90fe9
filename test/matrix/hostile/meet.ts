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
import { secrets } from "../../../packages/contract-kit/test/receiver/open-receiver.ts";
import { hostilities } from "./servers.ts";

/** Hostilities of a receiver: the kit reads every answer of one in the same way. */
export const receiverHostilities: readonly string[] = [
  "answers 500 with markup and commands",
  "sends headers without end",
  "redirects",
];

/** Runs every receiver check against each hostile receiver. */
export function meetReceivers(names: readonly string[]): void {
  it.concurrent.each(names)("ends with a report if a receiver %s", async (name) => {
    const hostile = await serveHostile(hostilityOf(name));
    const url = `${hostile.origin}/webhooks`;
    const limits = { deadlineMs: 400, effectsWaitMs: 100 };
    const target = receiverTarget({
      url,
      secrets: secrets["standard"] ?? [],
      profile: profiles.standard,
      ...limits,
    });
    try {
      const report = await run({ target, checks: receiverChecks, ...common });
      const asked = hostile.said.map((text) => text.split("\r\n")[0] ?? "");
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((line) => !/^[A-Z]+ \/webhooks HTTP\/1\.1$/.test(line))).toEqual([]);
      expect(report.exitCode).not.toBe(0);
    } finally {
      await hostile.close();
    }
  });
}

/** Runs every provider check against each hostile service. */
export function meetProviders(names: readonly string[]): void {
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
