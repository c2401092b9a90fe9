import type { HttpAnswer, HttpCall, ProviderTarget, Send } from "@countersign/contract-kit";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { onTestFinished } from "vitest";
import { openSandbox } from "./open-sandbox.ts";

/** A change of calls or answers between the kit and the service. */
export type Fault = (call: HttpCall, next: Send) => Promise<HttpAnswer>;

/** Starts a sandbox for as long as the test. */
export async function openTarget(
  fault: Fault = (call, next) => next(call),
  profile: Profile = profiles.standard,
): Promise<{ readonly target: ProviderTarget; readonly url: string }> {
  const { url, target, close } = await openSandbox({ profile });
  onTestFinished(close);
  return { url, target: target((send) => (call) => fault(call, send)) };
}
