import {
  openSender,
  senderChecks,
  type SenderCommands,
  type SenderTarget,
  TargetUnusableError,
} from "@countersign/contract-kit";
import { define } from "../command.ts";
import { chosenDocument } from "../documents.ts";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import * as option from "../options.ts";
import { listenFailure } from "../port.ts";
import { claimsFor, loadProvider } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";
import { parseListen } from "../verify/arguments.ts";
import { commandRunner, requireCommands } from "../verify/run-command.ts";
import { type OpenedTarget, verifyTarget } from "../verify/verify.ts";
import { verifyHelp, verifyOptions } from "../verify/verify-options.ts";

const help = `
Starts a receiver, runs your commands, and tests what arrives: signatures, retries, answers, redirects, timeouts, certificates.

A command runs in a shell. Its environment has COUNTERSIGN_URL (where to send), COUNTERSIGN_SECRET (to sign with) and
COUNTERSIGN_EVENT_TYPE. A command of the form "POST https://…" is an HTTP call instead, with { url, secret, type } as JSON.
A sender that knows one URL only may send to --listen instead, at any path.

  --trigger    makes the sender send one event. It may go on and retry; it is stopped when its check ends
  --subscribe  adds a URL to the sender's endpoints, to test that one does not delay another
  --repeat     makes the sender repeat at once what has failed; without it, retries are waited for
  --rotate     gives the sender a new secret, COUNTERSIGN_SECRET
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET   signing secret that the sender has already (default: a new one, which the commands get)

Examples:
  countersign verify sender --listen 127.0.0.1:9000 --trigger "python send.py"
  countersign verify sender --provider acme.json --listen 127.0.0.1:9000 --trigger "POST http://127.0.0.1:3000/test/event"
  countersign verify sender --listen 127.0.0.1:9000 --trigger ./send.sh --repeat ./retry.sh --slow`;

const options = {
  provider: option.byDefault(option.provider, "standard-webhooks"),
  listen: option.required(option.listenAt),
  trigger: option.required(option.text("<cmd>", "command that makes the sender send an event")),
  subscribe: option.text("<cmd>", "command that adds an endpoint to the sender"),
  repeat: option.text("<cmd>", "command that makes the sender retry at once"),
  rotate: option.text("<cmd>", "command that gives the sender a new secret"),
  types: option.words("<type...>", "event types to trigger (default: the provider's first)"),
  openapi: option.openapi,
  wait: option.integer("<seconds>", "longest wait for a retry", [1, 3600], 30),
  callbackUrl: option.text("<url>", "base URL by which the sender reaches --listen"),
  slow: option.flag("also run checks that wait for real deadlines"),
  ...verifyOptions,
};
type Options = option.ValuesOf<typeof options>;

/** `countersign verify sender`. */
export const verifySender = define({
  options,
  help,
  run: (given, surroundings, { command }) =>
    verifyTarget(
      {
        role: "sender",
        checks: senderChecks,
        command,
        open: (interrupted) => open(given, surroundings, interrupted),
      },
      given,
      surroundings,
    ),
});

/** Runs of the trigger, measured: with one endpoint, and those of a second one. */
const TRIGGERS = { one: 35, second: 25 };

/** @throws {Failure} `CS_CLI_UNVERIFIED`: the trigger fails, or nothing arrives. */
async function open(
  { listen, callbackUrl, types, wait, slow = false, ...given }: Options,
  { env, terminal }: Surroundings,
  signal: AbortSignal,
): Promise<OpenedTarget<SenderTarget>> {
  const address = parseListen(listen, callbackUrl);
  const provider = await loadProvider(given.provider);
  const document = await chosenDocument(given);
  const secret = await secretFrom(env, "COUNTERSIGN_SECRET");
  const claims = await claimsFor(provider, env);
  const runner = commandRunner(env);
  const { trigger, subscribe, repeat, rotate } = given;
  requireCommands({ trigger, subscribe, repeat, rotate });
  const others = Object.entries({ subscribe, repeat, rotate }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, runner.command(`--${name}`, text)] as const],
  );
  const commands: SenderCommands = {
    trigger: runner.command("--trigger", trigger),
    ...Object.fromEntries(others),
  };
  const count = TRIGGERS.one + (commands.subscribe === undefined ? 0 : TRIGGERS.second);
  terminal.err(`runs --trigger about ${count} times; each run must make the sender send one event`);
  try {
    const { target, close } = await openSender({
      ...address,
      provider,
      commands,
      secret,
      claims,
      types,
      callbackUrl,
      ...(document && { document }),
      waitMs: wait * 1000,
      slow,
      signal,
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
      throw new Failure("CS_CLI_UNVERIFIED", `nothing was verified: ${cause.message}`, cause);
    if (cause instanceof TypeError)
      throw new Failure("CS_CLI_SECRET_UNUSABLE", cause.message, cause);
    throw listenFailure(cause, `--listen ${listen}`);
  }
}
