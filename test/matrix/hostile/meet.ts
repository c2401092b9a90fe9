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
import { reference } from "@countersign/schemas/providers";
import { expect, it } from "vitest";
import {
  type Hostility,
  hostileTarget,
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
  it.concurrent.for(names)(
    "ends with a report if a receiver %s",
    async (name, { onTestFinished }) => {
      const { url, said } = await hostileTarget(hostilityOf(name), onTestFinished);
      const target = receiverTarget({
        url: new URL("/webhooks", url).href,
        secrets: secrets["standard"] ?? [],
        provider: reference,
        deadlineMs: 400,
        effectsWaitMs: 100,
      });
      const report = await run({ target, checks: receiverChecks, ...common });
      const asked = said.map((text) => text.split("\r\n")[0] ?? "");
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((line) => !/^[A-Z]+ \/webhooks HTTP\/1\.1$/.test(line))).toEqual([]);
      expect(report.exitCode).not.toBe(0);
    },
  );
}

/** Runs every provider check against each hostile service. */
export function meetProviders(names: readonly string[]): void {
  it.concurrent.for(names)(
    "ends with a report if a provider %s",
    async (name, { onTestFinished }) => {
      const { origin } = (await hostileTarget(hostilityOf(name), onTestFinished)).url;
      const { send, close } = httpSend(origin, { timeoutMs: 300 });
      onTestFinished(close);
      const receiver = await hostReceiver({ deliveryMs: 100 });
      onTestFinished(receiver.close);
      const secret = "a-secret-of-the-client";
      const target: ProviderTarget = {
        role: "provider",
        url: origin,
        send,
        token: () => Promise.resolve("a-token"),
        client: { id: "a-client", secret },
        profile: profiles.standard,
        receiver,
      };
      const report = await run({ target, checks: providerChecks, ...common });
      expect([1, 2]).toContain(report.exitCode);
      const passes = report.findings.filter(({ status }) => status === "pass");
      // A successful answer with the right media type has the form of answers, and one without a secret leaks none.
      const shown = passes.filter(
        ({ requirement }) => !["P-ANSWER-FORM", "P-ANSWER-NO-SECRETS"].includes(requirement.id),
      );
      expect(shown).toEqual([]);
      expect(JSON.stringify(report.findings)).not.toContain(secret);
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  );
}

const common = { requirements: requirements(), runs: 3 };

function hostilityOf(name: string): Hostility {
  const found = hostilities[name];
  if (found === undefined) throw new Error(`unknown hostility ${name}`);
  return found;
}
