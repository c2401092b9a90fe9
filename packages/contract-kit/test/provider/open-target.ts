import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNamespace, startSandbox } from "@countersign/sandbox";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { sha256Hex, sqliteDriver } from "@countersign/service";
import { onTestFinished } from "vitest";
import type { HttpAnswer, HttpCall, Send } from "../../src/http.ts";
import { httpSend } from "../../src/http-send.ts";
import { hostReceiver } from "../../src/provider/hosted-receiver.ts";
import { sandboxTarget } from "../../src/sandbox-controls.ts";
import type { ProviderTarget } from "../../src/target.ts";

export const TOKEN = "token-of-the-first-namespace";

/** What stands between the kit and the service: it changes calls or answers, or makes some up. */
export type Fault = (call: HttpCall, next: Send) => Promise<HttpAnswer>;

export interface OpenedTarget {
  readonly target: ProviderTarget;
  readonly url: string;
}

/** A sandbox over a new database and a real socket. */
export interface OpenedSandbox {
  readonly url: string;
  /** The sandbox as a target. The interface's calls go through `fault`; the controls never do. */
  readonly target: (fault?: Fault) => ProviderTarget;
  readonly close: () => Promise<void>;
}

export async function openSandbox(profile: Profile = profiles.standard): Promise<OpenedSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-kit-"));
  const driver = sqliteDriver(join(folder, "sandbox.db"));
  const delivery = { deadlineMs: profile.delivery.timeoutMs };
  const sandbox = await startSandbox({ driver, profile, delivery, port: 0 });
  await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  const { url } = sandbox;
  const { send, close } = httpSend(url);
  const receiver = await hostReceiver();
  return {
    url,
    target: (fault) => {
      const faulty: Send = fault === undefined ? send : (call) => fault(call, send);
      const token = (): Promise<string> => Promise.resolve(TOKEN);
      const made = sandboxTarget({
        url,
        send,
        profile,
        token,
        receiver,
        slow: profile === quick,
        interface: { url, send: faulty },
      });
      // Tokens live in real time, which no call of a sandbox moves.
      return withExpiry(made, async (ended) => {
        const text = `UPDATE tokens SET expires_at = 1 WHERE hash = $1`;
        await driver.transaction((tx) => tx.query(text, [sha256Hex(ended)]));
      });
    },
    close: async () => {
      close();
      receiver.close();
      await sandbox.close({ graceMs: 0 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withExpiry(
  target: ProviderTarget,
  expire: (token: string) => Promise<void>,
): ProviderTarget {
  return {
    ...target,
    controls: (watch) => {
      const { merchant, ...controls } = target.controls?.(watch) ?? {};
      return {
        ...controls,
        tokens: { expire },
        ...(merchant && { merchant: async () => withExpiry(await merchant(), expire) }),
      };
    },
  };
}

/** A sandbox of its own, as long as the test. */
export async function openTarget(
  fault?: Fault,
  profile: Profile = profiles.standard,
): Promise<OpenedTarget> {
  const { url, target, close } = await openSandbox(profile);
  onTestFinished(close);
  return { url, target: target(fault) };
}

/** An attempt has 15 s in the built-in profile, for which no test waits; this is enough for a busy machine. */
export const quick: Profile = {
  ...profiles.standard,
  delivery: { ...profiles.standard.delivery, timeoutMs: 2500 },
};

/** An answer with other text in its body. */
export function withText(answer: HttpAnswer, change: (text: string) => string): HttpAnswer {
  return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) };
}
