import {
  hostReceiver,
  httpSend,
  providerChecks,
  requirements,
  run,
} from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hostile, startHostile, type HostileService } from "./providers/hostile.ts";

let service: HostileService;
beforeAll(async () => {
  service = await startHostile();
});
afterAll(() => service.close());

/**
 * Milliseconds; a call of these targets has 300 of them, and all together take two seconds, or ten times as
 * long on a busy machine. One call without a deadline lasts for ever.
 */
const SOON = 45_000;

describe("a service that", () => {
  it.each(Object.keys(hostile))(
    "%s gets its report in time",
    async (what) => {
      const url = service.urlOf(what);
      const { send, close } = httpSend(url, { timeoutMs: 300 });
      onTestFinished(close);
      const receiver = await hostReceiver({ deliveryMs: 100 });
      onTestFinished(receiver.close);
      const started = performance.now();
      const report = await run({
        target: {
          role: "provider",
          url,
          send,
          token: () => Promise.resolve("a-token"),
          client: { id: "a-client", secret: "a-secret-of-the-client" },
          profile: profiles.standard,
          receiver,
        },
        checks: providerChecks,
        requirements: requirements(),
        runs: 3,
      });
      expect([1, 2]).toContain(report.exitCode);
      expect(report.findings.some(({ status }) => status === "pass")).toBe(false);
      expect(performance.now() - started).toBeLessThan(SOON);
      expect(JSON.stringify(report.findings)).not.toContain("a-secret-of-the-client");
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
    60_000,
  );
});
