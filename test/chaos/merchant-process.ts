import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { attemptOf, refundAuthorized } from "../../packages/receiver/test/fixtures.ts";
import type { MerchantOptions } from "./crash-points.ts";

export interface Merchant {
  /** Sends an event of a payment. @returns True if it was acknowledged. */
  post(event: { readonly id: string; readonly payment: string }, now: number): Promise<boolean>;
  kill(): void;
  /** Resolves when the process has ended by itself, or after `ms`. */
  endedWithin(ms: number): Promise<void>;
  /** Ends the process, if it has not ended, and tells by which signal. */
  ended(): Promise<string | null>;
}

export async function startMerchant(options: MerchantOptions): Promise<Merchant> {
  const script = fileURLToPath(new URL("merchant.ts", import.meta.url));
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const port = await portOf(child);
  const agent = new Agent({ connections: 4 });
  const acknowledged = options.acknowledge === "after-store" ? [202, 204] : [204];
  return {
    async post({ id, payment }, now) {
      const event = refundAuthorized(id);
      const data = { ...event.data, paymentId: payment };
      const { headers, body } = attemptOf({ ...event, data }, { now });
      try {
        const url = `http://127.0.0.1:${String(port)}/webhooks`;
        const answer = await request(url, { method: "POST", headers, body, dispatcher: agent });
        await answer.body.dump();
        return acknowledged.includes(answer.statusCode);
      } catch {
        // No answer: the process ended, and the sender does not know how far it came.
        return false;
      }
    },
    kill: () => void child.kill("SIGKILL"),
    async endedWithin(ms) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
      await Promise.race([exit, late]);
      clearTimeout(timer);
    },
    async ended() {
      child.kill("SIGKILL");
      await exit;
      await agent.destroy();
      return child.signalCode;
    },
  };
}

/** The port that the process prints; one that a crash ends before it listens prints none. */
async function portOf(child: ChildProcess): Promise<number> {
  for await (const data of child.stdout ?? []) return Number(String(data).trim());
  return 0;
}
