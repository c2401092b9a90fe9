import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { hostReceiver } from "../harness/endpoints.ts";
import { newSecret } from "../harness/secrets.ts";
import { TargetUnusableError } from "../provider/provider-states.ts";
import { interrupted } from "../run.ts";
import type { SenderCommands, SenderTarget } from "../target.ts";
import { CommandSender } from "./command-sender.ts";

export interface SenderOptions {
  readonly provider: ProviderDocument;
  readonly commands: SenderCommands;
  /** The secret that the sender has already. Default: a new one, which the commands get. */
  readonly secret?: string | undefined;
  /** Values of the claims that the document leaves to the user. Default: none. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
  /** Event types to trigger. Default: the first of the document, or of the provider's catalogue. */
  readonly types?: readonly string[] | undefined;
  /** Describes its events. */
  readonly document?: SenderTarget["document"];
  readonly host?: string;
  readonly port?: number;
  readonly callbackUrl?: string | undefined;
  /** Milliseconds that a retry may take. Default 30 000. */
  readonly waitMs?: number;
  readonly slow?: boolean;
  /** Ends the wait for the first attempt at once when aborted. */
  readonly signal?: AbortSignal;
}

/** Milliseconds after the first attempt in which one arrives at another endpoint. */
const OTHER_MS = 1000;

/**
 * Starts a receiver, and makes sure that the trigger makes the sender send to it.
 *
 * @returns The target, and what closes it; without a first attempt if the signal aborts.
 * @throws {TargetUnusableError} `CS_KIT_TARGET_UNUSABLE`: the trigger fails, or no attempt arrives.
 * @throws {TypeError} The provider's attempts cannot be verified with a secret, or it needs one that is missing.
 * @throws {Error} The address or the port cannot be listened on.
 */
export async function openSender(
  options: SenderOptions,
): Promise<{ readonly target: SenderTarget; readonly close: () => void }> {
  const { provider, commands, host, port, callbackUrl, signal } = options;
  const { waitMs = 30_000, slow = false, document, claims = {} } = options;
  const scheme = schemeOf(provider);
  if (scheme.needsKey)
    throw new TypeError(
      `${provider.title} names a key in each attempt, which the kit cannot fetch`,
    );
  const { secret = newSecret(provider) } = options;
  scheme.check([secret], "verify");
  const known = document?.events[0]?.name ?? provider.catalogue?.[0]?.type;
  const [first = known ?? "test", ...others] = options.types ?? [];
  const receiver = await hostReceiver({
    takesAnyPath: true,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(callbackUrl !== undefined && { callbackUrl }),
  });
  const target: SenderTarget = {
    role: "sender",
    url: receiver.url,
    provider,
    claims,
    secrets: new Set([secret]),
    types: [first, ...others],
    commands,
    receiver,
    ...(document && { document }),
    waitMs,
    slow,
    runState: { secret, known: new Set() },
  };
  const sender = new CommandSender(target, "sender", []);
  try {
    await Promise.race([sendFirst(sender, target), interrupted(signal)]);
  } catch (cause) {
    receiver.close();
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new TargetUnusableError(message, undefined, { cause });
  } finally {
    sender.close();
  }
  return { target, close: receiver.close };
}

/** Makes the sender send its first event. @throws {Error} A command fails, or nothing arrives. */
async function sendFirst(
  sender: CommandSender,
  { commands, runState, waitMs }: SenderTarget,
): Promise<void> {
  const before = commands.subscribe && (await sender.subscribe());
  const { endpoint } = await sender.subscribe();
  await sender.emit();
  if (!(await endpoint.until(({ length }) => length > 0, waitMs)))
    throw new Error(`no attempt arrived at ${endpoint.url} after --trigger`);
  if (before !== undefined)
    runState.hasSeveralEndpoints = await before.endpoint.until(
      ({ length }) => length > 0,
      OTHER_MS,
    );
  runState.followsUrl = endpoint.attempts[0]?.url === endpoint.url;
}
