import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import {
  readSamples,
  providerEvents,
  receiverChecks,
  receiverTarget,
  TargetNotOwnedError,
  type ReceiverTarget,
} from "@countersign/contract-kit";
import { signingSecret } from "../environment.ts";
import { badArgument, Failure } from "../failure.ts";
import { chosenProvider, loadChosen } from "../profile.ts";
import { badSecret } from "../provider.ts";
import { integer, providerOption } from "../options.ts";
import { providerOf } from "@countersign/schemas/provider-of";
import type { Surroundings } from "../terminal.ts";
import { restartBy } from "../verify/restart-command.ts";
import { optionWords, targetUrl } from "../verify/arguments.ts";
import { verifyHelp, withVerifyOptions, type VerifyOptions } from "../verify/verify-options.ts";
import { verifyTarget } from "../verify/verify-target.ts";

const help = `
Sends genuine and forged webhooks to a receiver in any language and reports which requirements hold, with the bytes of both sides.
Every generated id begins with cstest_. Redirects are not followed.

With --effects-url, it also tests what the handlers did: GET returns a list of {"eventId", "type", "count"}, and PUT {"failNext": n}
makes the next n handlers fail. Without it, requirements that only handlers show are not applicable.

With --provider, no profile is needed: attempts are signed as that provider signs, and each file of --samples is one of its events. Any
Standard Webhooks receiver: --provider standard-webhooks.

With --samples, events of a type are variations of your event of that type. With --restart-command, handled events are sent again after
a restart; the command must exit with 0 within 60 s.

A target on another machine needs --i-own HOST and gets at most 50 requests per second.
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET   signing secret of the receiver, or several separated by spaces: the first one signs, and each must be accepted

Examples:
  countersign verify receiver --url http://localhost:3000/webhooks
  countersign verify receiver --provider standard-webhooks --url http://localhost:3000/webhooks --samples test/events
  countersign verify receiver --url http://localhost:3000/webhooks --effects-url http://localhost:3000/effects
  countersign verify receiver --url https://staging.example/hooks --i-own staging.example --slow
  countersign verify receiver --url http://localhost:3000/webhooks --report junit=receiver.xml,html=receiver.html
  countersign verify receiver --url http://localhost:3000/webhooks --thorough --restart-command "docker restart shop"
  countersign verify receiver --url http://localhost:3000/webhooks --only R-VERIFY-RAW --profile x-signature`;

/** The options of the command line. */
interface ReceiverOptions extends VerifyOptions {
  readonly url: string;
  readonly effectsUrl?: string;
  readonly iOwn?: string;
  readonly slow?: boolean;
  readonly nonce?: string;
  readonly types?: readonly string[];
  readonly rate?: number;
  readonly samples?: string;
  readonly provider?: string;
  readonly restartCommand?: string;
  readonly thorough?: boolean;
}

/** `countersign verify receiver`. */
export function declareVerifyReceiver(command: Command, surroundings: Surroundings): void {
  command
    .requiredOption("--url <url>", "URL of the receiver")
    .option("--effects-url <url>", "URL that lists what the handlers did")
    .option("--i-own <host>", "confirm that you own this remote host")
    .option("--types <type...>", "event types that it handles (default: all)")
    .option(
      "--rate <number>",
      "requests per second (default: 50; local: no limit)",
      integer(1, 1000),
    )
    .addOption(providerOption())
    .option("--samples <dir>", "folder of your events as *.json, to vary")
    .option("--restart-command <cmd>", "shell command that restarts the receiver")
    .option("--thorough", "search ten times as long")
    .option("--slow", "also run checks that wait for the receiver's deadlines")
    .option("--nonce <text>", "part of every generated id (default: the time)");
  withVerifyOptions(command)
    .addHelpText("after", help)
    .action(async (options: ReceiverOptions) => {
      if (!(await runVerifyReceiver(options, surroundings))) surroundings.unmet();
    });
}

/**
 * `countersign verify receiver`: sends attempts to any receiver and reports its responses.
 *
 * @returns True if nothing new fails at a level of `--fail-on`.
 * @throws {Failure} `CS_CLI_TARGET_NOT_OWNED`: another machine, and nothing was sent to it;
 *   `CS_CLI_SECRET_UNUSABLE`, `CS_CLI_ARGUMENT_UNUSABLE`, and what `verifyTarget` throws.
 */
async function runVerifyReceiver(
  options: ReceiverOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  const { url, effectsUrl, iOwn, types, slow, samples, restartCommand, thorough } = options;
  return verifyTarget(
    {
      role: "receiver",
      checks: receiverChecks,
      command: [
        "countersign",
        "verify",
        "receiver",
        ...optionWords({
          "--url": url,
          "--effects-url": effectsUrl,
          "--i-own": iOwn,
          "--types": types,
          "--slow": slow,
          "--provider": options.provider,
          "--samples": samples,
          "--restart-command": restartCommand,
          "--thorough": thorough,
        }),
      ],
      open: async () => {
        const secrets = await secretsFrom(surroundings);
        const { target, checks } = await openTarget(options, secrets);
        await requireListening(target);
        return { target, checks, secrets, notes: target.notes, close: target.close };
      },
    },
    options,
    surroundings,
  );
}

async function openTarget(
  options: ReceiverOptions,
  secrets: readonly string[],
): Promise<{
  readonly target: ReceiverTarget;
  readonly checks: typeof receiverChecks;
}> {
  const { url, effectsUrl, iOwn, slow, nonce, types, rate } = options;
  const { samples, restartCommand, thorough } = options;
  targetUrl(url, "--url");
  if (effectsUrl !== undefined) targetUrl(effectsUrl, "--effects-url");
  if (nonce !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(nonce))
    throw badArgument("--nonce must be 1 to 64 characters of [A-Za-z0-9_-]");
  const provider = await chosenProvider(options);
  // The reference service writes and sends the events of a provider that says how.
  const generic =
    provider === undefined || provider.sending !== undefined
      ? undefined
      : samplesBy(samples, () => providerEvents(provider, samples));
  const profile = generic?.profile ?? (await loadChosen(options));
  const own = providerOf(profile);
  const known = (own.catalogue ?? []).map(({ type }) => type);
  const strange = types?.find((type) => !known.includes(type));
  if (strange !== undefined)
    throw badArgument(
      `${profile.name} has no event ${JSON.stringify(strange)}; it has ${known.join(", ")}`,
    );
  if (restartCommand?.trim() === "") throw badArgument("--restart-command must not be empty");
  const events =
    generic === undefined && samples !== undefined
      ? samplesBy(samples, () => readSamples(samples, profile))
      : generic?.samples;
  try {
    const target: ReceiverTarget = receiverTarget({
      url,
      samples: events,
      hasBodyId: generic === undefined || isIn("body:", own.event.id),
      thorough,
      restart: restartCommand === undefined ? undefined : () => restartBy(restartCommand, target),
      effectsUrl,
      secrets,
      slow,
      nonce,
      types,
      perSecond: rate,
      profile,
      owned: iOwn,
    });
    // The check of amounts is about events of payments.
    const checks =
      generic === undefined
        ? receiverChecks
        : receiverChecks.filter(({ id }) => id !== "receiver/money");
    return { target, checks };
  } catch (cause) {
    if (cause instanceof TargetNotOwnedError)
      throw new Failure("CS_CLI_TARGET_NOT_OWNED", cause.message, { cause });
    if (!(cause instanceof TypeError)) throw cause;
    throw badSecret(cause);
  }
}

const isIn = (kind: string, place: unknown): boolean =>
  typeof place === "string" && place.startsWith(kind);

/** Milliseconds that a receiver may take to accept a connection. */
const LISTENING_MS = 10_000;

/** Every check of a mistyped port would fail with the same message. */
async function requireListening({ url, sockets }: ReceiverTarget): Promise<void> {
  // The target's own connection: it refuses a `localhost` that is another machine.
  const connection = sockets.open();
  const isLate = await Promise.race([
    connection.ready.then(() => false),
    setTimeout(LISTENING_MS, true, { ref: false }),
  ]);
  if (connection.isReady()) {
    connection.close();
    return;
  }
  // Nothing arrives: the read returns the reason of the failure.
  const received = await connection.read({ method: "GET", deadlineMs: 0 });
  const reason =
    received.kind === "none" && !isLate
      ? received.detail
      : `no connection within ${LISTENING_MS / 1000} s`;
  throw new Failure("CS_CLI_UNVERIFIED", `${url} does not answer: ${reason}`);
}

/** @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the provider or the samples cannot be used. */
function samplesBy<T>(samples: string | undefined, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const at = samples === undefined ? "" : "invalid --samples: ";
    throw badArgument(at + cause.message, cause);
  }
}

/** One secret or several: while one is replaced, a receiver has two. */
async function secretsFrom(surroundings: Surroundings): Promise<readonly string[]> {
  return (await signingSecret(surroundings)).split(/\s+/).filter((one) => one !== "");
}
