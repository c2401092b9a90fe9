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
 * A service as the provider that pacts are verified against.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: its token is missing. `CS_CLI_UNVERIFIED`.
 */
export async function openService(
  { url, profile, stateUrl, listen }: PactProviderOptions,
  { env }: Surroundings,
): Promise<OpenedPactProvider> {
  const token = await required(env, "COUNTERSIGN_TOKEN");
  const stateToken = (await secretFrom(env, "COUNTERSIGN_STATE_TOKEN")) ?? token;
  const base = url.href.replace(/\/+$/, "");
  const at = targetUrl(stateUrl ?? statesOf(url), "--state-url").href;
  const [calls, changes] = [httpSend(base), httpSend(at)];
  const closing = [calls.close, changes.close];
  const close = (): void => {
    for (const end of closing) end();
  };
  const { send } = calls;
  const states = { url: at, send: changes.send, token: () => Promise.resolve(stateToken) };
  try {
    const own = { role: "provider", url: base, send, profile } as const;
    const target = { ...own, token: () => Promise.resolve(token), states };
    // Every pact begins with a state.
    await probeProvider(target, { isStateUrlGiven: true });
    const provider = await serviceProvider({ send, states, token, profile, listen });
    closing.push(provider.close);
    return { provider, secrets: [token, stateToken], close };
  } catch (cause) {
    close();
    throw unverifiable(cause, env);
  }
}

/**
 * A receiver as the provider that pacts are verified against.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: its secret is missing.
 */
export async function openReceiver(
  { url, profile }: Pick<PactProviderOptions, "url" | "profile">,
  { env }: Surroundings,
): Promise<OpenedPactProvider> {
  const secret = await required(env, "COUNTERSIGN_SECRET");
  const { send, close } = httpSend(url.origin);
  const path = url.pathname + url.search;
  return { provider: receiverProvider({ send, path, secret, profile }), secrets: [secret], close };
}

async function required(env: Surroundings["env"], name: string): Promise<string> {
  const value = await secretFrom(env, name);
  if (value !== undefined) return value;
  throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", `missing ${name}: set it or ${name}_FILE`);
}
