import {
  checkOwned,
  controlledTarget,
  hostReceiver,
  httpSend,
  pacedSend,
  sandboxTarget,
  TargetNotOwnedError,
  type HostedReceiver,
  type ProviderTarget,
  type Send,
} from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas/profiles";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";
import { controlFrom } from "./control-file.ts";
import { providerCredentials } from "./provider-credentials.ts";
import { targetUrl } from "./target-url.ts";
import type { OpenedTarget } from "./verify-target.ts";

export interface ProviderTargetOptions {
  readonly url: string;
  readonly profile: Profile;
  readonly sandboxUrl?: string;
  readonly control?: string;
  readonly listen?: string;
  readonly callbackUrl?: string;
  readonly iOwn?: string;
  readonly slow?: boolean;
}

export interface OpenedProviderTarget extends OpenedTarget<ProviderTarget> {
  readonly send: Send;
  /** Carries the calls of `/sandbox/`, where they are there. */
  readonly controls: Send | undefined;
  readonly token: string;
}

/**
 * The target of `countersign verify provider`, with what its options and the environment reach of it.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`, `CS_CLI_ENVIRONMENT_UNUSABLE`, `CS_CLI_CONTROL_UNUSABLE`,
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
  const control = await controlFrom(options.control, env);
  try {
    const { send, plain } = sender(url);
    const first = await providerCredentials(env, { suffix: "", send, profile });
    if (first === undefined)
      throw new Failure(
        "CS_CLI_ENVIRONMENT_UNUSABLE",
        "neither COUNTERSIGN_TOKEN nor COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET are set",
      );
    const second = await providerCredentials(env, { suffix: "_2", send, profile });
    const receiver = await receiverOf(url, options);
    if (receiver !== undefined) closing.push(receiver.close);
    const named = { url: url.href.replace(/\/+$/, ""), send, profile, slow };
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
    const sandboxUrl =
      options.sandboxUrl === undefined ? undefined : targetUrl(options.sandboxUrl, "--sandbox-url");
    const controls = sandboxUrl === undefined ? undefined : sender(sandboxUrl);
    const target =
      sandboxUrl !== undefined && controls !== undefined
        ? sandboxTarget({
            ...own,
            url: sandboxUrl.href.replace(/\/+$/, ""),
            send: controls.send,
            interface: named,
          })
        : control === undefined
          ? own
          : controlledTarget(own, {
              ...control,
              url: control.document.url ?? named.url,
              send: sender(new URL(control.document.url ?? named.url)).send,
              control: control.document,
            });
    return {
      target,
      send: plain,
      controls: controls?.plain,
      token: await first.token(),
      secrets: [
        ...first.secrets,
        ...(second?.secrets ?? []),
        ...(control === undefined ? [] : control.env.values()),
      ],
      notes: () => notesOf(receiver, options),
      close: () => {
        for (const close of closing) close();
      },
    };
  } catch (error) {
    for (const close of closing) close();
    if (error instanceof TargetNotOwnedError)
      throw new Failure("CS_CLI_TARGET_NOT_OWNED", error.message, { cause: error });
    throw error;
  }
}

interface Senders {
  /** As slow as the target's rates ask for. */
  readonly send: Send;
  /** As it comes: pacts have the refusals of rates among their answers. */
  readonly plain: Send;
}

/** Another machine is called where its owner asks, and slower than its own rates. */
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
): Promise<(HostedReceiver & { readonly close: () => void }) | undefined> {
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

function notesOf(
  receiver: HostedReceiver | undefined,
  { sandboxUrl, control }: ProviderTargetOptions,
): readonly string[] {
  return [
    ...(receiver === undefined
      ? [
          "Nothing was delivered to this command: the target is another machine, and --listen is missing.",
        ]
      : []),
    ...(sandboxUrl === undefined && control === undefined
      ? ["No control moved the target: neither --sandbox-url nor --control is there."]
      : []),
  ];
}
