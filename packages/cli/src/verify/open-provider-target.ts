import {
  checkOwned,
  clientToken,
  hostReceiver,
  httpSend,
  pacedSend,
  probeProvider,
  type ProviderTarget,
  type Send,
  TargetNotOwnedError,
  TargetUnusableError,
} from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas/profiles";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";
import { parseListen, portFailure, targetUrl } from "./arguments.ts";
import type { OpenedTarget } from "./verify-target.ts";

export interface ProviderTargetOptions {
  readonly url: string;
  readonly profile: Profile;
  readonly stateUrl?: string;
  readonly listen?: string;
  readonly callbackUrl?: string;
  readonly iOwn?: string;
  readonly slow?: boolean;
}

/**
 * The target of `countersign verify provider`, with what its options and the environment reach of it.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`, `CS_CLI_ENVIRONMENT_UNUSABLE`,
 *   `CS_CLI_TARGET_NOT_OWNED`, `CS_CLI_PORT_UNUSABLE`, `CS_CLI_UNVERIFIED`.
 */
export async function openProviderTarget(
  options: ProviderTargetOptions,
  { env }: Surroundings,
): Promise<OpenedTarget<ProviderTarget>> {
  const { profile, slow = false } = options;
  const url = targetUrl(options.url, "--url");
  const closing: (() => void)[] = [];
  const close = (): void => {
    for (const end of closing) end();
  };
  try {
    const { send, plain } = ownedSenders(url, options, closing);
    const first = await merchantFrom(env, "", { send, profile });
    if (first === undefined)
      throw new Failure(
        "CS_CLI_ENVIRONMENT_UNUSABLE",
        "missing credentials: set COUNTERSIGN_TOKEN, or COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET",
      );
    const second = await merchantFrom(env, "_2", { send, profile });
    const receiver = await receiverOf(options);
    if (receiver !== undefined) closing.push(receiver.close);
    const common = {
      role: "provider",
      url: url.href.replace(/\/+$/, ""),
      send,
      sendUnpaced: plain,
      profile,
      slow,
      additions: new Set<string>(),
      ...(receiver && { receiver }),
    } as const;
    const stateUrl = targetUrl(options.stateUrl ?? statesOf(url), "--state-url");
    const stateToken = await secretFrom(env, "COUNTERSIGN_STATE_TOKEN");
    const { token } = first.merchant;
    const states = {
      url: stateUrl.href,
      send: ownedSenders(stateUrl, options, closing).plain,
      token: stateToken === undefined ? token : () => Promise.resolve(stateToken),
    };
    const other = second && { other: { ...common, ...second.merchant } };
    const target = await probeProvider(
      { ...common, ...first.merchant, ...other, states },
      { isStateUrlGiven: options.stateUrl !== undefined },
    );
    const secrets = [...first.secrets, ...(second?.secrets ?? []), stateToken ?? []].flat();
    return {
      target,
      secrets,
      notes: () => notesOf(target),
      close,
    };
  } catch (error) {
    close();
    if (error instanceof TargetNotOwnedError)
      throw new Failure("CS_CLI_TARGET_NOT_OWNED", error.message, { cause: error });
    throw unverifiable(error, env);
  }
}

interface EnvironmentMerchant {
  readonly merchant: Pick<ProviderTarget, "token" | "client">;
  /** Texts that no report may contain. */
  readonly secrets: readonly string[];
}

/**
 * A merchant by its credentials in the environment: a token, a client, or both. `undefined` if there are
 * none.
 *
 * @param suffix Behind the variables' names: nothing for the first merchant, `_2` for the second.
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: a client's id without its secret, or the other way
 *   round, or a variable is not of its form. `CS_CLI_UNVERIFIED`: the client is granted no token.
 */
async function merchantFrom(
  env: Surroundings["env"],
  suffix: "" | "_2",
  { send, profile }: Pick<ProviderTarget, "send" | "profile">,
): Promise<EnvironmentMerchant | undefined> {
  const given = await secretFrom(env, `COUNTERSIGN_TOKEN${suffix}`);
  const id = await secretFrom(env, `COUNTERSIGN_CLIENT_ID${suffix}`);
  const secret = await secretFrom(env, `COUNTERSIGN_CLIENT_SECRET${suffix}`);
  if (id === undefined || secret === undefined) {
    if (id !== undefined || secret !== undefined) {
      const [missing, there] = id === undefined ? ["ID", "SECRET"] : ["SECRET", "ID"];
      const message = `COUNTERSIGN_CLIENT_${there}${suffix} is set, and COUNTERSIGN_CLIENT_${missing}${suffix} is not`;
      throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
    }
    if (given === undefined) return undefined;
    return { merchant: { token: () => Promise.resolve(given) }, secrets: [given] };
  }
  const client = { id, secret };
  const granted = clientToken({ send, path: profile.token.path, client });
  const token = given === undefined ? granted : () => Promise.resolve(given);
  const basic = Buffer.from(`${id}:${secret}`).toString("base64");
  // Requested before anything else: without a token nothing is verified, and no report may contain it.
  const first = await token().catch((cause: unknown) => {
    const message = cause instanceof Error ? cause.message : "no access token was granted";
    throw new Failure("CS_CLI_UNVERIFIED", message, { cause });
  });
  return { merchant: { token, client }, secrets: [first, secret, basic] };
}

/** Names the variable of a token that the target refused; any other error stays as it is. */
export function unverifiable(error: unknown, env: Surroundings["env"]): unknown {
  if (!(error instanceof TargetUnusableError)) return error;
  const isSet = (name: string): boolean => [name, `${name}_FILE`].some((one) => env[one]);
  const sources = ["COUNTERSIGN_TOKEN", "COUNTERSIGN_CLIENT_ID"];
  if (error.refused === "state token") sources.unshift("COUNTERSIGN_STATE_TOKEN");
  const hint = error.refused === undefined ? "" : `; check ${sources.find(isSet) ?? sources[0]}`;
  return new Failure("CS_CLI_UNVERIFIED", `${error.message}${hint}`, { cause: error });
}

/** Returns the URL at which a sandbox prepares states. */
export function statesOf({ href }: URL): string {
  const at = new URL(href);
  at.pathname = `${at.pathname.replace(/\/+$/, "")}/sandbox/states`;
  return at.href;
}

/**
 * Senders to a URL; another machine is called only with its owner's consent, and below its own rate limits.
 *
 * @returns `send` is as slow as the target's rates ask for; `plain` is not, to test them.
 */
function ownedSenders(
  url: URL,
  { iOwn, profile }: ProviderTargetOptions,
  closing: (() => void)[],
): { readonly send: Send; readonly plain: Send } {
  checkOwned(url, iOwn);
  const isLoopbackOnly = iOwn === undefined;
  const { send: plain, close } = httpSend(url.href, { isLoopbackOnly });
  closing.push(close);
  const perSecond = isLoopbackOnly ? Infinity : profile.rateLimit.refundsPerSecond / 2;
  return { send: pacedSend(plain, { perSecond }), plain };
}

async function receiverOf({
  listen,
  callbackUrl,
  iOwn,
}: ProviderTargetOptions): Promise<ProviderTarget["receiver"]> {
  if (callbackUrl !== undefined) targetUrl(callbackUrl, "--callback-url");
  // Loopback is out of another machine's reach.
  if (listen === undefined && iOwn !== undefined) return undefined;
  const address = parseListen(listen ?? "127.0.0.1", callbackUrl);
  try {
    return await hostReceiver({ ...address, ...(callbackUrl && { callbackUrl }) });
  } catch (cause) {
    throw portFailure(cause, listen ?? address.host);
  }
}

function notesOf({ receiver, states, additions = new Set() }: ProviderTarget): readonly string[] {
  const added = `Members that no schema lists, which the profile allows: ${[...additions].join(", ")}.`;
  const unheard =
    "Nothing was delivered to this command: the target is another machine, and --listen is missing.";
  const stateless =
    "No provider states were prepared: nothing answers at /sandbox/states, and --state-url is missing.";
  return [
    ...(additions.size === 0 ? [] : [added]),
    ...(receiver === undefined ? [unheard] : []),
    ...(states === undefined ? [stateless] : []),
  ];
}
