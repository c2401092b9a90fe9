import { providerChecks, type ProviderTarget } from "@countersign/contract-kit";
import { onTestFinished } from "vitest";
import { openSandbox } from "../../packages/service/test/sandbox/open-sandbox.ts";
import {
  type Fault,
  openTargetAt,
  quick,
} from "../../packages/contract-kit/test/provider/open-target.ts";
import { attemptFaults } from "./attempt-faults.ts";
import type { Plant, ProviderFault } from "./edits.ts";
import { type FaultVerdict, verdictOn } from "./faults.ts";
import { inputFaults } from "./input-faults.ts";
import { refundFaults } from "./refund-faults.ts";
import { serviceFaults } from "./service-faults.ts";
import { subscriptionFaults } from "./subscription-faults.ts";
import { openTunnel } from "./tunnel.ts";

/** Mistakes of a payment service, at least one for each requirement that `verify provider` tests. */
export const providerFaults: readonly (ProviderFault & { readonly id: string })[] = [
  refundFaults,
  inputFaults,
  subscriptionFaults,
  attemptFaults,
  serviceFaults,
].flatMap((faults) => Object.entries(faults).map(([id, fault]) => ({ id, ...fault })));

/** Runs the checks of a fault's requirement against a sandbox with it. */
export async function verdictOnProvider({
  fails,
  plant,
}: Pick<ProviderFault, "fails" | "plant">): Promise<FaultVerdict> {
  const target = await openFaulty(plant());
  return verdictOn({ target, checks: providerChecks, only: [fails] });
}

/** Opens a sandbox as the target of the standard profile, whatever its own settings are. */
export async function openFaulty({
  call,
  state,
  attempt,
  service,
}: Plant): Promise<ProviderTarget> {
  const { sandbox, token } = await openSandbox({ profile: quick, ...service });
  const tunnel = attempt && (await openTunnel(quick, attempt));
  if (tunnel) onTestFinished(tunnel.close);
  const through: Fault = (one, next) => {
    const sent = tunnel ? (other: typeof one) => tunnel.redirect(other, next) : next;
    return call ? call(one, sent) : sent(one);
  };
  const target = await openTargetAt(sandbox.url, token, {
    profile: quick,
    fault: through,
    deliveryMs: 5000,
  });
  const { states } = target;
  if (state === undefined) return target;
  return { ...target, states: { ...states, send: (one) => state(one, states.send) } };
}
