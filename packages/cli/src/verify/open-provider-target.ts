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
import { targetUrl } from "./arguments.ts";
import type { OpenedTarget } from "./verify-target.ts";

interface ProviderCredentials {
  readonly token: ProviderTarget["token"];
  readonly client?: NonNullable<ProviderTarget["client"]>;
  /** Texts that no report may contain. */
  readonly secrets: readonly string[];
}

interface CredentialsOptions {
  /** Behind the variables' names: nothing for the first merchant, `_2` for the second. */
  readonly suffix: "" | "_2";
  readonly send: Send;
  readonly profile: Profile;
}

/**
 * A merchant's credentials from the environment: a token, a client, or both. `undefined` if there are
 * none.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: a client's id without its secret, or the other way
 *   round, or a variable is not of its form. `CS_CLI_UNVERIFIED`: the client is granted no token.
 */
async function providerCredentials(
  env: Surroundings["env"],
  { suffix, send, profile }: CredentialsOptions,
): Promise<ProviderCredentials | undefined> {
  const token = await secretFrom(env, `COUNTERSIGN_TOKEN${suffix}`);
  const id = await secretFrom(env, `COUNTERSIGN_CLIENT_ID${suffix}`);
  const secret = await secretFrom(env, `COUNTERSIGN_CLIENT_SECRET${suffix}`);
  if ((id === undefined) !== (secret === undefined)) {
    const [missing, there] = id === undefined ? ["ID", "SECRET"] : ["SECRET", "ID"];
    const message = `COUNTERSIGN_CLIENT_${there}${suffix} is set, and COUNTERSIGN_CLIENT_${missing}${suffix} is not`;
    throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
  }
  const client = id === undefined || secret === undefined ? undefined : { id, secret };
  if (token === undefined && client === undefined) return undefined;
  const source =
    token === undefined && client !== undefined
      ? clientToken({ send, path: profile.token.path, client })
      : () => Promise.resolve(token ?? "");
  return {
    token: source,
    ...(client && { client }),
    secrets: [
      await firstToken(source),
      ...(client === undefined
        ? []
        : [client.secret, Buffer.from(`${client.id}:${client.secret}`).toString("base64")]),
    ],
  };
}

/** Asked for before anything else: without it nothing is verified, and no report may hold it. */
async function firstToken(source: () => Promise<string>): Promise<string> {
  try {
    return await source();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "no access token was granted";
    throw new Failure("CS_CLI_UNVERIFIED", message, { cause });
  }
}

export interface ProviderTargetOptions {
  readonly url: string;
  readonly profile: Profile;
  readonly stateUrl?: string;
  readonly listen?: string;
  readonly callbackUrl?: string;
  readonly iOwn?: string;
  readonly slow?: boolean;
}

export interface OpenedProviderTarget extends OpenedTarget<ProviderTarget> {
  /** Sends calls without waiting for rate limits: pacts expect such refusals. */
  readonly send: Send;
  readonly token: string;
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
): Promise<OpenedProviderTarget> {
  const { profile, slow = false } = options;
  const url = targetUrl(options.url, "--url");
  const closing: (() => void)[] = [];
  const sender = (to: URL): Senders => {
    const { close, ...senders } = ownedSenders(to, options);
    closing.push(close);
    return senders;
  };
  try {
    const { send, plain } = sender(url);
    const first = await providerCredentials(env, { suffix: "", send, profile });
    if (first === undefined)
      throw new Failure(
        "CS_CLI_ENVIRONMENT_UNUSABLE",
        "missing credentials: set COUNTERSIGN_TOKEN, or COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET",
      );
    const second = await providerCredentials(env, { suffix: "_2", send, profile });
    const receiver = await receiverOf(url, options);
    if (receiver !== undefined) closing.push(receiver.close);
    const named = {
      url: url.href.replace(/\/+$/, ""),
      send,
      profile,
      slow,
      additions: new Set<string>(),
    };
    const own: ProviderTarget = {
      role: "provider",
      ...named,
      token: first.token,
      ...(first.client && { client: first.client }),
      ...(receiver && { receiver }),
      ...(second && {
        other: {
          role: "provider",
          ...named,
          token: second.token,
          ...(second.client && { client: second.client }),
          ...(receiver && { receiver }),
        },
      }),
    };
    const stateUrl = targetUrl(options.stateUrl ?? statesOf(url), "--state-url");
    const stateToken = await secretFrom(env, "COUNTERSIGN_STATE_TOKEN");
    const states = {
      url: stateUrl.href,
      send: sender(stateUrl).plain,
      token: stateToken === undefined ? first.token : () => Promise.resolve(stateToken),
    };
    const isStateUrlGiven = options.stateUrl !== undefined;
    const target = await probeProvider({ ...own, states }, { isStateUrlGiven });
    return {
      target,
      send: plain,
      token: await first.token(),
      secrets: [
        ...first.secrets,
        ...(second?.secrets ?? []),
        ...(stateToken === undefined ? [] : [stateToken]),
      ],
      notes: () => notesOf(target),
      close: () => {
        for (const close of closing) close();
      },
    };
  } catch (error) {
    for (const close of closing) close();
    if (error instanceof TargetNotOwnedError)
      throw new Failure("CS_CLI_TARGET_NOT_OWNED", error.message, { cause: error });
    throw unverifiable(error, env);
  }
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
export function statesOf(url: URL): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/\/+$/, "")}/sandbox/states`;
  return at.href;
}

interface Senders {
  /** As slow as the target's rates ask for. */
  readonly send: Send;
  /** Without retries: pacts include rate-limited answers. */
  readonly plain: Send;
}

/** Another machine is called only with its owner's consent, and below its own rate limits. */
function ownedSenders(
  url: URL,
  { iOwn, profile }: ProviderTargetOptions,
): Senders & { readonly close: () => void } {
  checkOwned(url, iOwn);
  const isLoopbackOnly = iOwn === undefined;
  const { send: plain, close } = httpSend(url.href, { isLoopbackOnly });
  const perSecond = isLoopbackOnly ? Infinity : profile.rateLimit.refundsPerSecond / 2;
  return { send: pacedSend(plain, { perSecond }), plain, close };
}

async function receiverOf(
  url: URL,
  { listen, callbackUrl, iOwn }: ProviderTargetOptions,
): Promise<Awaited<ReturnType<typeof hostReceiver>> | undefined> {
  if (callbackUrl !== undefined) targetUrl(callbackUrl, "--callback-url");
  // Loopback is out of another machine's reach.
  if (listen === undefined && iOwn !== undefined) return undefined;
  const [, host = "127.0.0.1", port = "0"] =
    /^\[?([^\]]+?)\]?(?::(\d{1,5}))?$/.exec(listen ?? "127.0.0.1") ?? [];
  if (Number(port) > 65_535)
    throw new Failure("CS_CLI_ARGUMENT_UNUSABLE", "--listen: a port is at most 65535");
  if (["0.0.0.0", "::"].includes(host) && callbackUrl === undefined)
    throw new Failure(
      "CS_CLI_ARGUMENT_UNUSABLE",
      `--listen ${host} is every address of this machine: --callback-url says by which one it is reached`,
    );
  try {
    return await hostReceiver({ host, port: Number(port), ...(callbackUrl && { callbackUrl }) });
  } catch (cause) {
    throw new Failure("CS_CLI_PORT_UNUSABLE", `--listen ${listen ?? host} cannot be listened on`, {
      cause,
    });
  }
}

function notesOf({ receiver, states, additions = new Set() }: ProviderTarget): readonly string[] {
  return [
    ...(additions.size === 0
      ? []
      : [`Members that no schema lists, which the profile allows: ${[...additions].join(", ")}.`]),
    ...(receiver === undefined
      ? [
          "Nothing was delivered to this command: the target is another machine, and --listen is missing.",
        ]
      : []),
    ...(states === undefined
      ? [
          "No provider states were prepared: nothing answers at /sandbox/states, and --state-url is missing.",
        ]
      : []),
  ];
}
