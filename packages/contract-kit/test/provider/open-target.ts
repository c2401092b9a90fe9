import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNamespace, startSandbox } from "@countersign/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
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

/**
 * A real sandbox over a new database and a real socket, as long as the test. The interface's calls go
 * through `fault`; the controls never do.
 */
export async function openTarget(
  fault?: Fault,
  profile: ProviderTarget["profile"] = profiles.standard,
): Promise<OpenedTarget> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-kit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const driver = sqliteDriver(join(folder, "sandbox.db"));
  const sandbox = await startSandbox({ driver, profile, port: 0 });
  onTestFinished(() => sandbox.close({ graceMs: 0 }));
  await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  const { send, close } = httpSend(sandbox.url);
  onTestFinished(close);
  const receiver = await hostReceiver();
  onTestFinished(receiver.close);
  const faulty: Send = fault === undefined ? send : (call) => fault(call, send);
  const target = sandboxTarget({
    url: sandbox.url,
    send,
    profile,
    token: () => Promise.resolve(TOKEN),
    receiver,
    interface: { url: sandbox.url, send: faulty },
  });
  return { target, url: sandbox.url };
}

/** An answer with other text in its body. */
export function withText(answer: HttpAnswer, change: (text: string) => string): HttpAnswer {
  return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) };
}

/** A call with other text in its body. */
export function withCallText(call: HttpCall, change: (text: string) => string): HttpCall {
  return { ...call, body: change(Buffer.from(call.body ?? "").toString()) };
}
