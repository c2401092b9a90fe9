import { setTimeout } from "node:timers/promises";
import {
  readSamples,
  receiverChecks,
  receiverTarget,
  TargetNotOwnedError,
  type ReceiverTarget,
} from "@countersign/contract-kit";
import { withEvents } from "@countersign/contract-kit/documents";
import { providerOf } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { define } from "../command.ts";
import { chosenDocument, requireEvent } from "../documents.ts";
import { signingSecret } from "../environment.ts";
import { badArgument, Failure } from "../failure.ts";
import * as option from "../options.ts";
import { badSecret, chosenProvider, claimsFor, loadProfile, requireSignable } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";
import { targetUrl, withoutQuery } from "../verify/arguments.ts";
import { requireCommands, runShell } from "../verify/run-command.ts";
import { openSqlEffects } from "../verify/sql-effects.ts";
import { type OpenedTarget, verifyTarget } from "../verify/verify.ts";
import { verifyHelp, verifyOptions } from "../verify/verify-options.ts";

const help = `
Sends genuine and forged webhooks to a receiver in any language and reports which requirements hold, with the bytes of both sides.
Every generated id begins with cstest_ where the provider's ids allow it. Redirects are not followed.

Attempts are those of --provider: its headers, signatures, ids and clock; without it, those of the payment interface (--profile).
What a provider's scheme cannot show, such as the age of an attempt whose time it does not sign, is not applicable.

The report names what the run could see:
  no effects   answers only: forged attempts, raw bytes, sizes, media types, deadlines; the one for CI. About 2000 requests, which
               take about 10 s if the receiver is on the same idle machine
  effects      what handlers did, too: --effects-url lists it, or --effects 'sql:SELECT id, type, count FROM …' reads your own table
  samples      bodies like yours, with new ids: --samples, one JSON body a file (TYPE.json if a header has the type), or --openapi

--effects-url: GET returns a list of {"eventId", "type", "count"}, and PUT {"failNext": n} makes the next n handlers fail. --effects
reads rows of event id, type and count with a query of your own.

With --restart-command, events are sent again after a restart. With --reconcile-command, some events never arrive: the command gets
COUNTERSIGN_LIST_URL, a list of events in the form of the provider's API, and makes the receiver handle those that it misses. Each
command must exit with 0 within 60 s.

A target on another machine needs --i-own HOST and gets at most 50 requests per second.
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET                  signing secret of the receiver, or several, one a line: the first one signs, and each must be
                                      accepted. A private key in PEM where the receiver verifies with a public one
  COUNTERSIGN_EFFECTS_DATABASE_URL    of --effects: postgres://USER:PASSWORD@HOST/DATABASE, or sqlite:FILE
  COUNTERSIGN_API_KEY                 of providers that sign one, such as LiveKit

Examples:
  countersign verify receiver --provider stripe --url http://localhost:3000/webhooks
  countersign verify receiver --provider github --url http://localhost:3000/hooks --samples test/events
  countersign verify receiver --provider stripe --url http://localhost:3000/webhooks --effects 'sql:SELECT event_id, type, runs FROM done'
  countersign verify receiver --url http://localhost:3000/webhooks --effects-url http://localhost:3000/effects
  countersign verify receiver --url https://staging.example/hooks --i-own staging.example --slow
  countersign verify receiver --url http://localhost:3000/webhooks --report junit=receiver.xml,html=receiver.html
  countersign verify receiver --url http://localhost:3000/webhooks --restart-command "docker restart shop"
  countersign verify receiver --url http://localhost:3000/webhooks --only R-VERIFY-RAW --profile x-signature`;

const options = {
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
  ...verifyOptions,
};
type Options = option.ValuesOf<typeof options>;

/** `countersign verify receiver`. */
export const verifyReceiver = define({
  options,
  help,
  run: (given, surroundings, { command }) =>
    verifyTarget(
      {
        role: "receiver",
        checks: receiverChecks,
        command,
        open: () => openTarget(given, surroundings),
      },
      given,
      surroundings,
    ),
});

/** Makes the target of the command line, which must be listening. */
async function openTarget(
  given: Options,
  surroundings: Surroundings,
): Promise<OpenedTarget<ReceiverTarget>> {
  const { effects, iOwn: owned, slow, types, samples, restartCommand, reconcileCommand } = given;
  const { env, terminal } = surroundings;
  const secrets = secretsFrom(await signingSecret(surroundings));
  const url = targetUrl(given.url, "--url").href;
  const effectsUrl = given.effectsUrl && targetUrl(given.effectsUrl, "--effects-url").href;
  if (effectsUrl !== undefined && effects !== undefined)
    throw badArgument("--effects and --effects-url are two sources of effects: choose one");
  requireCommands({ restartCommand, reconcileCommand });
  const chosen = (await chosenProvider(given)) ?? providerOf(await loadProfile(given.profile));
  requireSignable(chosen);
  const document = await chosenDocument(given);
  const provider = document === undefined ? chosen : withEvents(chosen, document);
  for (const type of types ?? []) requireEvent(provider, type, given.openapi);
  const bodies = samples === undefined ? undefined : samplesIn(samples, provider);
  const sql = effects === undefined ? undefined : await openSqlEffects(effects, env);
  const shell = (name: string, text: string, more = {}): Promise<void> =>
    runShell({ option: name, text, env: { ...env, ...more } });
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
      ...(restartCommand !== undefined && {
        restart: async () => {
          await shell("--restart-command", restartCommand);
          await untilListening(target);
        },
      }),
      ...(reconcileCommand !== undefined && {
        reconcile: (listUrl) =>
          shell("--reconcile-command", reconcileCommand, { COUNTERSIGN_LIST_URL: listUrl }),
      }),
      effects: effectsUrl ?? sql?.source,
      secrets,
      slow,
      types,
      owned,
    });
    opened = target;
    await requireListening(target);
    await target.effects?.seen([]);
    const { unreadable } = target.effects ?? {};
    if (effectsUrl !== undefined && unreadable !== undefined)
      throw new Failure(
        "CS_CLI_UNVERIFIED",
        `invalid --effects-url ${withoutQuery(effectsUrl)}: ${unreadable}`,
      );
    terminal.err(
      `sends ${given.only === undefined ? "about" : "a part of"} ${target.expectedRequests} requests, at most ${target.maxRequests}, to ${withoutQuery(url)}; genuine ones run your handlers`,
    );
    return { target, secrets, notes: () => [...tierNotes(target), ...target.notes()], close };
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

/** Reads one secret a line: while a secret is replaced, a receiver has two. A PEM key spans several lines. */
function secretsFrom(text: string): readonly string[] {
  const keys = text.match(/-----BEGIN [^-]+-----.+?-----END [^-]+-----/gs);
  return keys ?? text.split(/\r?\n/).filter((one) => one.trim() !== "");
}

/** Milliseconds that a receiver may take to accept a connection and to answer, at first, and after a restart. */
const CONNECTION_MS = 10_000;
const ANSWER_MS = 30_000;
const RESTART_MS = 30_000;

/**
 * Every check of a mistyped port, or of another protocol's, would fail with the same message.
 *
 * @throws {Failure} `CS_CLI_UNVERIFIED`: no connection within 10 s, no answer within 30 s, or no HTTP.
 */
export async function requireListening({ url, sockets }: ReceiverTarget): Promise<void> {
  // The target's own connection: it refuses a `localhost` that is another machine.
  const connection = sockets.open();
  const isLate = await Promise.race([
    connection.ready.then(() => false),
    setTimeout(CONNECTION_MS, true, { ref: false }),
  ]);
  if (connection.isReady) {
    const headers = [["Content-Type", "application/json"]] as const;
    connection.write(sockets.bytes({ method: "POST", headers, body: Buffer.from("{}") }));
    // A function's first instance may take longer than its provider waits, which a check judges.
    const { failure, detail } = await sockets.read(connection, "POST", ANSWER_MS);
    connection.close();
    if (failure !== "garbled" && failure !== "timeout") return;
    const problem = failure === "timeout" ? "does not answer within" : "does not speak HTTP:";
    throw new Failure("CS_CLI_UNVERIFIED", `${url} ${problem} ${detail}`);
  }
  // Nothing arrives: the read returns the reason of the failure.
  const received = await connection.read({ method: "GET", deadlineMs: 0 });
  const isKnown = received.failure !== undefined && !isLate;
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

/** Returns the notes on the parts of the receiver that the run could see. */
function tierNotes({ effects, events, provider }: ReceiverTarget): readonly string[] {
  const isReal =
    events.samples.size > 0 ||
    events.document !== undefined ||
    events.rows.some(({ kind, schema, sample }) => kind ?? schema ?? sample);
  return [
    effects === undefined
      ? "tier: no effects. Answers were judged, not what handlers did: --effects-url or --effects shows that"
      : "tier: effects. Answers and what handlers did were judged",
    isReal
      ? "payloads were made like samples or schemas"
      : `payloads were not real: bodies had only what identifies an event of ${provider.title}; --samples sends bodies like yours`,
  ];
}
