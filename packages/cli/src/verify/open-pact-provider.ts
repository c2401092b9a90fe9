import { httpSend, probeProvider } from "@countersign/contract-kit";
import {
  receiverProvider,
  serviceProvider,
  type PactProvider,
} from "@countersign/contract-kit/pact";
import type { Profile } from "@countersign/schemas/profiles";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";
import { statesOf, unverifiable } from "./open-provider-target.ts";
import { targetUrl } from "./arguments.ts";

export interface PactProviderOptions {
  readonly url: URL;
  readonly provider: string;
  readonly profile: Profile;
  readonly stateUrl?: string;
  /** Address for deliveries that the service reaches. */
  readonly listen: string;
}

export interface OpenedPactProvider {
  readonly provider: PactProvider;
  /** Texts that no report may contain. */
  readonly secrets: readonly string[];
  readonly close: () => void;
}

/**
 * The provider that pacts are verified against.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: unknown provider. `CS_CLI_ENVIRONMENT_UNUSABLE`:
 *   its token or its secret is missing.
 */
export function openPactProvider(
  options: PactProviderOptions,
  surroundings: Surroundings,
): Promise<OpenedPactProvider> {
  switch (options.provider) {
    case "countersign-service":
      return openService(options, surroundings);
    case "merchant-receiver":
      return openReceiver(options, surroundings);
    default: {
      const message = `no provider is called ${JSON.stringify(options.provider)}; they are countersign-service and merchant-receiver`;
      throw new Failure("CS_CLI_ARGUMENT_UNUSABLE", message);
    }
  }
}

async function openService(
  { url, profile, stateUrl, listen }: PactProviderOptions,
  { env }: Surroundings,
): Promise<OpenedPactProvider> {
  const token = await secretFrom(env, "COUNTERSIGN_TOKEN");
  if (token === undefined) throw missing("COUNTERSIGN_TOKEN");
  const stateToken = (await secretFrom(env, "COUNTERSIGN_STATE_TOKEN")) ?? token;
  const base = url.href.replace(/\/+$/, "");
  const at = targetUrl(stateUrl ?? statesOf(url), "--state-url").href;
  const [calls, changes] = [httpSend(base), httpSend(at)];
  const closeSenders = (): void => {
    calls.close();
    changes.close();
  };
  const states = { url: at, send: changes.send, token: () => Promise.resolve(stateToken) };
  const { send } = calls;
  try {
    const own = { role: "provider", url: base, send, profile } as const;
    // Every pact begins with a state.
    const target = { ...own, token: () => Promise.resolve(token), states };
    await probeProvider(target, { isStateUrlGiven: true });
    const provider = await serviceProvider({ send, states, token, profile, listen });
    const close = (): void => {
      provider.close();
      closeSenders();
    };
    return { provider, secrets: [token, stateToken], close };
  } catch (cause) {
    closeSenders();
    throw unverifiable(cause, env);
  }
}

async function openReceiver(
  { url, profile }: PactProviderOptions,
  { env }: Surroundings,
): Promise<OpenedPactProvider> {
  const secret = await secretFrom(env, "COUNTERSIGN_SECRET");
  if (secret === undefined) throw missing("COUNTERSIGN_SECRET");
  const { send, close } = httpSend(url.origin);
  const path = url.pathname + url.search;
  return { provider: receiverProvider({ send, path, secret, profile }), secrets: [secret], close };
}

function missing(name: string): Failure {
  return new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", `missing ${name}: set it or ${name}_FILE`);
}
