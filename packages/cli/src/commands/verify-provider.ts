import { providerChecks } from "@countersign/contract-kit";
import {
  isPactInstalled,
  PactMissingError,
  providerPacts,
  serviceProvider,
} from "@countersign/contract-kit/pact";
import { Failure } from "../failure.ts";
import { loadProfile } from "../load-profile.ts";
import type { Surroundings } from "../terminal.ts";
import { openProviderTarget, type OpenedProviderTarget } from "../verify/open-provider-target.ts";
import type { VerifyOptions } from "../verify/verify-options.ts";
import { verifyTarget } from "../verify/verify-target.ts";

/** As the command line names them. */
export interface ProviderOptions extends VerifyOptions {
  readonly url: string;
  readonly stateUrl?: string;
  readonly listen?: string;
  readonly callbackUrl?: string;
  readonly iOwn?: string;
  readonly slow?: boolean;
  readonly runs: number;
  readonly path?: string;
  /** Seconds. */
  readonly timeout: number;
}

/**
 * `countersign verify provider`: every check that the target can show, and reports.
 *
 * @returns True if nothing new fails at a level of `--fail-on`.
 * @throws {Failure} Nothing could be verified, or an argument is not of its form.
 */
export async function runVerifyProvider(
  options: ProviderOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  refuseContradictions(options);
  const profile = await loadProfile(options.profile);
  let opened: OpenedProviderTarget | undefined;
  const pacts = providerPacts({
    // Called when the check runs: the target is open by then.
    open: () => {
      const { target, send, token } = opened ?? never();
      const { states } = target;
      if (states === undefined) throw new Error("the check needs provider states");
      const listen = options.listen?.replace(/:\d+$/, "");
      return serviceProvider({ send, states, token, profile, ...(listen && { listen }) });
    },
  });
  return verifyTarget(
    {
      role: "provider",
      checks: [...providerChecks, pacts],
      open: async () => {
        opened = await openProviderTarget({ ...options, profile }, surroundings);
        const { notes } = opened;
        if (opened.target.states === undefined) return { ...opened, checks: providerChecks };
        if (isPactInstalled()) return opened;
        const note = `Pacts were not verified. ${new PactMissingError().message}`;
        return { ...opened, checks: providerChecks, notes: () => [...(notes?.() ?? []), note] };
      },
      command: commandOf(options),
      ...(options.path !== undefined && { path: options.path }),
      runs: options.runs,
    },
    options,
    { ...surroundings, interruption: () => endOf(options, surroundings) },
  );
}

function refuseContradictions({ path, only, runs }: ProviderOptions): void {
  if (path !== undefined && only?.length !== 1)
    throw unusable("--path begins within one check: name it by --only");
  if (path !== undefined && !/^\d+(?::\d+)*$/.test(path))
    throw unusable("--path is numbers with colons between, as a failure prints it");
  if (runs < 1) throw unusable("--runs must be 1 or more");
}

/** The person's, or the time that the run has. */
function endOf({ timeout }: ProviderOptions, { interruption }: Surroundings): AbortSignal {
  return AbortSignal.any([interruption(), AbortSignal.timeout(Math.max(1, timeout) * 1000)]);
}

function commandOf(options: ProviderOptions): readonly string[] {
  const { url, stateUrl, listen, callbackUrl, iOwn, slow = false, runs } = options;
  const named: readonly (readonly [string, string | undefined])[] = [
    ["--url", url],
    ["--state-url", stateUrl],
    ["--listen", listen],
    ["--callback-url", callbackUrl],
    ["--i-own", iOwn],
    ["--runs", runs === 50 ? undefined : String(runs)],
  ];
  const words = named.flatMap(([option, value]) => (value === undefined ? [] : [option, value]));
  return ["countersign", "verify", "provider", ...words, ...(slow ? ["--slow"] : [])];
}

function never(): never {
  throw new Error("a check ran before its target was opened");
}

function unusable(message: string): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message);
}
