import {
  hostReceiver,
  type HttpAnswer,
  type HttpCall,
  httpSend,
  type ProviderTarget,
  type Send,
} from "@countersign/contract-kit";
import type { SandboxOptions } from "@countersign/service/sandbox";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { reference } from "@countersign/schemas/providers";
import { onTestFinished } from "vitest";
import type { AtEnd } from "../../../../test/temporary-folder.ts";
import { openSandbox } from "../../../service/test/sandbox/open-sandbox.ts";

const { sending } = sendingProviderOf(profiles.standard);

/** The standard profile with closed answers and less time for an attempt, which is still enough on a busy machine. */
export const quick: Profile = {
  ...profiles.standard,
  provider: { ...reference, sending: { ...sending, timeoutMs: 5000 } },
  deprecation: { ...profiles.standard.deprecation, additive: "refused" },
};

/** A change of calls or answers between the kit and the service. */
export type Fault = (call: HttpCall, next: Send) => Promise<HttpAnswer>;

interface TargetOptions {
  readonly profile?: Profile;
  /** Happens to calls of the interface, never to those that prepare states. */
  readonly fault?: Fault;
  /** Milliseconds that a delivery may take to arrive. Default 30 000, for a busy machine. */
  readonly deliveryMs?: number;
  /** Takes what closes the target. Default: the end of the test. */
  readonly atEnd?: AtEnd;
}

/** A target whose states can be prepared. */
type PreparedTarget = ProviderTarget & Required<Pick<ProviderTarget, "states">>;

/** Opens a running sandbox as a target. */
export async function openTargetAt(
  url: string,
  token: string,
  {
    profile = profiles.standard,
    fault,
    atEnd = onTestFinished,
    deliveryMs = 30_000,
  }: TargetOptions = {},
): Promise<PreparedTarget> {
  const { send, close } = httpSend(url, { timeoutMs: 60_000 });
  const states = httpSend(`${url}/sandbox/states`, { timeoutMs: 60_000 });
  const receiver = await hostReceiver({ deliveryMs });
  for (const end of [close, states.close, receiver.close]) atEnd(end);
  const tokenOf = (): Promise<string> => Promise.resolve(token);
  return {
    role: "provider",
    url,
    send: fault === undefined ? send : (call) => fault(call, send),
    token: tokenOf,
    profile,
    receiver,
    slow:
      sendingProviderOf(profile).sending.timeoutMs === sendingProviderOf(quick).sending.timeoutMs,
    states: { url: `${url}/sandbox/states`, send: states.send, token: tokenOf },
  };
}

/** Starts a sandbox on a real socket, by default over a new SQLite file, as a target. */
export async function openTarget(
  options: TargetOptions & Pick<Partial<SandboxOptions>, "driver"> = {},
): Promise<PreparedTarget> {
  const { fault: _, atEnd, ...served } = options;
  const { sandbox, token } = await openSandbox(served, atEnd);
  return openTargetAt(sandbox.url, token, options);
}
