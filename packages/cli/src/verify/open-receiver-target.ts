import { setTimeout } from "node:timers/promises";
import {
  readSamples,
  receiverTarget,
  TargetNotOwnedError,
  type ReceiverTarget,
} from "@countersign/contract-kit";
import { withEvents } from "@countersign/contract-kit/documents";
import { providerOf } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { chosenDocument, requireEvent } from "../documents.ts";
import { badArgument, Failure } from "../failure.ts";
import * as option from "../options.ts";
import { badSecret, chosenProvider, claimsFor, loadProfile, requireSignable } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";
import { targetUrl } from "./arguments.ts";
import { runShell } from "./run-command.ts";
import { openSqlEffects } from "./sql-effects.ts";

export const receiverOptions = {
  url: option.required(option.text("<url>", "URL of the receiver")),
  provider: option.provider,
  effectsUrl: option.text("<url>", "URL that lists what the handlers did"),
  effects: option.text("<sql:query>", "query that lists what the handlers did"),
  samples: option.text("<dir>", "folder of your events' bodies as *.json"),
  openapi: option.text("<file>", "document of the events, to make bodies of"),
  iOwn: option.iOwn,
  types: option.words("<type...>", "event types that it handles (default: all)"),
  restartCommand: option.text("<cmd>", "shell command that restarts the receiver"),
  reconcileCommand: option.text("<cmd>", "shell command that reads a list of events"),
  slow: option.flag("also run checks that wait for the receiver's deadlines"),
  profile: option.profile,
};

/** Makes the target of the command line, which must be listening. */
export async function openReceiverTarget(
  options: option.ValuesOf<typeof receiverOptions>,
  secrets: readonly string[],
  { env }: Surroundings,
) {
  const { effects, iOwn, slow, types, samples } = options;
  const { restartCommand, reconcileCommand } = options;
  const url = targetUrl(options.url, "--url").href;
  const effectsUrl = options.effectsUrl && targetUrl(options.effectsUrl, "--effects-url").href;
  if (effectsUrl !== undefined && effects !== undefined)
    throw badArgument("--effects and --effects-url are two sources of effects: choose one");
  if (restartCommand?.trim() === "") throw badArgument("--restart-command must not be empty");
  if (reconcileCommand?.trim() === "") throw badArgument("--reconcile-command must not be empty");
  const chosen = (await chosenProvider(options)) ?? providerOf(await loadProfile(options.profile));
  requireSignable(chosen);
  const document = await chosenDocument(options);
  const provider = document === undefined ? chosen : withEvents(chosen, document);
  for (const type of types ?? []) requireEvent(provider, type);
  const bodies = samples === undefined ? undefined : samplesIn(samples, provider);
  const sql = effects === undefined ? undefined : await openSqlEffects(effects, env);
  const shell = (name: string, text: string, more = {}): Promise<void> =>
    runShell({ option: name, text, env: { ...env, ...more } });
  const restart = async (text: string, target: ReceiverTarget): Promise<void> => {
    await shell("--restart-command", text);
    await untilListening(target);
  };
  let opened: ReceiverTarget | undefined;
  const close = async (): Promise<void> => {
    opened?.close();
    await sql?.close();
  };
  try {
    const target: ReceiverTarget = receiverTarget({
      url,
      provider,
      document,
      claims: await claimsFor(provider, env),
      samples: bodies,
      restart: restartCommand === undefined ? undefined : () => restart(restartCommand, target),
      reconcile:
        reconcileCommand === undefined
          ? undefined
          : (listUrl) =>
              shell("--reconcile-command", reconcileCommand, { COUNTERSIGN_LIST_URL: listUrl }),
      effects: effectsUrl ?? sql?.source,
      secrets,
      slow,
      types,
      owned: iOwn,
    });
    opened = target;
    await requireListening(target);
    return { target, close };
  } catch (cause) {
    await close();
    if (cause instanceof TargetNotOwnedError)
      throw new Failure("CS_CLI_TARGET_NOT_OWNED", cause.message, cause);
    throw opened === undefined && cause instanceof TypeError ? badSecret(cause) : cause;
  }
}

function samplesIn(folder: string, provider: ProviderDocument): ReturnType<typeof readSamples> {
  try {
    return readSamples(folder, provider);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw badArgument(`invalid --samples: ${cause.message}`, cause);
  }
}

/** One secret or several: while one is replaced, a receiver has two. A key in PEM has spaces in it. */
export function secretsFrom(text: string): readonly string[] {
  const keys = text.match(/-----BEGIN [^-]+-----.+?-----END [^-]+-----/gs);
  return keys ?? text.split(/\s+/).filter((one) => one !== "");
}

/** Milliseconds that a receiver may take to accept a connection, at first and after a restart. */
const CONNECTION_MS = 10_000;
const RESTART_MS = 30_000;

/** Every check of a mistyped port, or of another protocol's, would fail with the same message. */
async function requireListening({ url, sockets }: ReceiverTarget): Promise<void> {
  // The target's own connection: it refuses a `localhost` that is another machine.
  const connection = sockets.open();
  const isLate = await Promise.race([
    connection.ready.then(() => false),
    setTimeout(CONNECTION_MS, true, { ref: false }),
  ]);
  if (connection.isReady) {
    connection.close();
    const headers = [["Content-Type", "application/json"]] as const;
    const answer = await sockets.send({ method: "POST", headers, body: Buffer.from("{}") });
    if (answer.kind !== "none" || !["garbled", "timeout"].includes(answer.why)) return;
    const problem = answer.why === "timeout" ? "does not answer within" : "does not speak HTTP:";
    throw new Failure("CS_CLI_UNVERIFIED", `${url} ${problem} ${answer.detail}`);
  }
  // Nothing arrives: the read returns the reason of the failure.
  const received = await connection.read({ method: "GET", deadlineMs: 0 });
  const isKnown = received.kind === "none" && !isLate;
  const reason = isKnown ? received.detail : `no connection within ${CONNECTION_MS / 1000} s`;
  throw new Failure("CS_CLI_UNVERIFIED", `${url} does not answer: ${reason}`);
}

/** Resolves once a restarted receiver accepts connections. @throws {Error} It does not within 30 s. */
async function untilListening({ url, sockets }: ReceiverTarget): Promise<void> {
  for (const until = performance.now() + RESTART_MS; performance.now() < until;) {
    const connection = sockets.open();
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    await connection.ready;
    const { isReady } = connection;
    connection.close();
    if (isReady) return;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await setTimeout(50);
  }
  throw new Error(`nothing listens at ${new URL(url).host} after --restart-command`);
}
