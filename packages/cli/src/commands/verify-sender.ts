import type { Command } from "commander";
import {
  openSender,
  senderChecks,
  type SenderCommands,
  type SenderTarget,
  TargetUnusableError,
} from "@countersign/contract-kit";
import { readDocument } from "@countersign/contract-kit/documents";
import { secretFrom } from "../environment.ts";
import { badArgument, Failure } from "../failure.ts";
import { integer } from "../options.ts";
import { claimsFor, loadProvider } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";
import { optionWords, parseListen, portFailure, targetUrl } from "../verify/arguments.ts";
import { commandRunner } from "../verify/run-command.ts";
import { verifyHelp, withVerifyOptions, type VerifyOptions } from "../verify/verify-options.ts";
import { type OpenedTarget, verifyTarget } from "../verify/verify-target.ts";

const help = `
Starts a receiver, runs your commands, and tests what arrives: signatures, retries, answers, redirects, timeouts, certificates.

A command runs in a shell. Its environment has COUNTERSIGN_URL (where to send), COUNTERSIGN_SECRET (to sign with) and
COUNTERSIGN_EVENT_TYPE. A command of the form "POST https://…" is an HTTP call instead, with { url, secret, type } as JSON.
A sender that knows one URL only may send to --listen instead, at any path.

  --trigger    makes the sender send one event. It may go on and retry; it is stopped when its check ends
  --subscribe  adds a URL to the sender's endpoints, to test that one does not delay another
  --repeat     makes the sender repeat at once what has failed; without it, retries are waited for
  --rotate     gives the sender a new secret, COUNTERSIGN_SECRET
  --reopen     makes the sender send again after the answer 410
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET   signing secret that the sender has already (default: a new one, which the commands get)

Examples:
  countersign verify sender --listen 127.0.0.1:9000 --trigger "python send.py"
  countersign verify sender --provider acme.json --listen 127.0.0.1:9000 --trigger "POST http://127.0.0.1:3000/test/event"
  countersign verify sender --listen 127.0.0.1:9000 --trigger ./send.sh --repeat ./retry.sh --slow`;

/** The options of the command line. */
interface SenderOptions extends Omit<VerifyOptions, "profile"> {
  readonly provider: string;
  readonly listen: string;
  readonly callbackUrl?: string;
  readonly trigger: string;
  readonly subscribe?: string;
  readonly repeat?: string;
  readonly rotate?: string;
  readonly reopen?: string;
  readonly types?: readonly string[];
  readonly openapi?: string;
  /** Seconds. */
  readonly wait: number;
  readonly slow?: boolean;
}

/** `countersign verify sender`. */
export function declareVerifySender(command: Command, surroundings: Surroundings): void {
  command
    .option(
      "--provider <name|file>",
      "provider's name, or the file of its document",
      "standard-webhooks",
    )
    .requiredOption("--listen <address>", "ADDRESS or ADDRESS:PORT to receive webhooks on")
    .requiredOption("--trigger <cmd>", "command that makes the sender send an event")
    .option("--subscribe <cmd>", "command that adds an endpoint to the sender")
    .option("--repeat <cmd>", "command that makes the sender retry at once")
    .option("--rotate <cmd>", "command that gives the sender a new secret")
    .option("--reopen <cmd>", "command that reopens an endpoint after 410")
    .option("--types <type...>", "event types to trigger (default: the provider's first)")
    .option("--openapi <file>", "OpenAPI or AsyncAPI document of its events")
    .option("--wait <seconds>", "longest wait for a retry", integer(1, 3600), 30)
    .option("--callback-url <url>", "base URL by which the sender reaches --listen")
    .option("--slow", "also run checks that wait for real deadlines");
  withVerifyOptions(command, { hasProfile: false })
    .addHelpText("after", help)
    .action(async (options: SenderOptions) => {
      if (!(await runVerifySender(options, surroundings))) surroundings.unmet();
    });
}

/**
 * Runs every check of senders, and writes reports.
 *
 * @returns True if nothing new fails at a level of `--fail-on`.
 * @throws {Failure} `CS_CLI_UNVERIFIED`: the trigger fails, or nothing arrives. `CS_CLI_PORT_UNUSABLE`,
 *   `CS_CLI_PROVIDER_UNUSABLE`, `CS_CLI_SECRET_UNUSABLE`, and what `verifyTarget` throws.
 */
async function runVerifySender(
  options: SenderOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  const { provider, listen, callbackUrl, trigger, subscribe, repeat, rotate, reopen } = options;
  return verifyTarget(
    {
      role: "sender",
      checks: senderChecks,
      command: [
        "countersign",
        "verify",
        "sender",
        ...optionWords({
          "--provider": provider,
          "--listen": listen,
          "--callback-url": callbackUrl,
          "--trigger": trigger,
          "--subscribe": subscribe,
          "--repeat": repeat,
          "--rotate": rotate,
          "--reopen": reopen,
          "--types": options.types,
          "--openapi": options.openapi,
          "--wait": options.wait === 30 ? undefined : String(options.wait),
          "--slow": options.slow,
        }),
      ],
      open: () => open(options, surroundings),
    },
    { ...options, profile: "standard" },
    surroundings,
  );
}

async function open(
  options: SenderOptions,
  { env }: Surroundings,
): Promise<OpenedTarget<SenderTarget>> {
  const { listen, callbackUrl, types, wait, slow = false } = options;
  if (callbackUrl !== undefined) targetUrl(callbackUrl, "--callback-url");
  const provider = await loadProvider(options.provider);
  const document = options.openapi === undefined ? undefined : await readDocument(options.openapi);
  const secret = await secretFrom(env, "COUNTERSIGN_SECRET");
  const claims = await claimsFor(provider, env);
  const runner = commandRunner(env);
  const commands = commandsOf(options, runner.command);
  try {
    const { target, close } = await openSender({
      ...parseListen(listen, callbackUrl),
      provider,
      commands,
      secret,
      claims,
      types,
      callbackUrl,
      ...(document && { document }),
      waitMs: wait * 1000,
      slow,
    });
    return {
      target,
      secrets: [...target.secrets],
      notes: () => [`Attempts were verified as those of ${provider.title}.`],
      close: () => {
        runner.close();
        close();
      },
    };
  } catch (cause) {
    runner.close();
    if (cause instanceof TargetUnusableError)
      throw new Failure("CS_CLI_UNVERIFIED", `nothing was verified: ${cause.message}`, { cause });
    if (cause instanceof TypeError)
      throw new Failure("CS_CLI_SECRET_UNUSABLE", cause.message, { cause });
    throw portFailure(cause, listen);
  }
}

function commandsOf(
  { trigger, subscribe, repeat, rotate, reopen }: SenderOptions,
  command: (option: string, text: string) => SenderCommands["trigger"],
): SenderCommands {
  if (trigger.trim() === "")
    throw badArgument("--trigger is empty: expected a shell command or a URL");
  const others = { subscribe, repeat, rotate, reopen };
  return {
    trigger: command("--trigger", trigger),
    ...Object.fromEntries(
      Object.entries(others).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, command(`--${name}`, text)] as const],
      ),
    ),
  };
}
