import { setTimeout } from "node:timers/promises";
import {
  type EffectsSource,
  readSamples,
  receiverChecks,
  receiverTarget,
  TargetNotOwnedError,
  type ReceiverTarget,
} from "@countersign/contract-kit";
import { providerOf } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Command } from "commander";
import { filterNote, readDocument, withEvents } from "../documents.ts";
import { signingSecret } from "../environment.ts";
import { badArgument, Failure } from "../failure.ts";
import { integer, providerOption } from "../options.ts";
import { chosenProvider, loadProfile } from "../profile.ts";
import { badSecret, claimsFor, requireSignable } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";
import { optionWords, targetUrl } from "../verify/arguments.ts";
import { restartBy } from "../verify/restart-command.ts";
import { openSqlEffects } from "../verify/sql-effects.ts";
import { verifyHelp, withVerifyOptions, type VerifyOptions } from "../verify/verify-options.ts";
import { verifyTarget } from "../verify/verify-target.ts";

const help = `
Sends genuine and forged webhooks to a receiver in any language and reports which requirements hold, with the bytes of both sides.
Every generated id begins with cstest_ where the provider's ids allow it. Redirects are not followed.

Attempts are those of --provider: its headers, signatures, ids and clock; without it, those of the payment interface (--profile).
What a provider's scheme cannot show, such as the age of an attempt whose time it does not sign, is not applicable.

The report names what the run could see:
  no effects   answers only: forged attempts, raw bytes, sizes, media types, deadlines. Takes less than 10 s; the one for CI
  effects      what handlers did, too: --effects-url lists it, or --effects 'sql:SELECT id, type, count FROM …' reads your own table
  samples      bodies like yours, with new ids: --samples, one JSON body a file (TYPE.json if a header has the type), or --openapi

--effects-url: GET returns a list of {"eventId", "type", "count"}, and PUT {"failNext": n} makes the next n handlers fail. --effects
reads rows of event id, type and count with a query of your own.

With --restart-command, events are sent again after a restart; the command must exit with 0 within 60 s.

A target on another machine needs --i-own HOST and gets at most 50 requests per second.
${verifyHelp}

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET                  signing secret of the receiver, or several separated by spaces: the first one signs, and each must
                                      be accepted. A private key in PEM where the receiver verifies with a public one
  COUNTERSIGN_EFFECTS_DATABASE_URL    of --effects: postgres://USER:PASSWORD@HOST/DATABASE, or sqlite:FILE
  COUNTERSIGN_API_KEY                 of providers that sign one, such as LiveKit

Examples:
  countersign verify receiver --provider stripe --url http://localhost:3000/webhooks
  countersign verify receiver --provider github --url http://localhost:3000/hooks --samples test/events
  countersign verify receiver --provider stripe --url http://localhost:3000/webhooks --effects 'sql:SELECT event_id, type, runs FROM done'
  countersign verify receiver --url http://localhost:3000/webhooks --effects-url http://localhost:3000/effects
  countersign verify receiver --url https://staging.example/hooks --i-own staging.example --slow
  countersign verify receiver --url http://localhost:3000/webhooks --report junit=receiver.xml,html=receiver.html
  countersign verify receiver --url http://localhost:3000/webhooks --thorough --restart-command "docker restart shop"
  countersign verify receiver --url http://localhost:3000/webhooks --only R-VERIFY-RAW --profile x-signature`;

/** The options of the command line. */
interface ReceiverOptions extends VerifyOptions {
  readonly url: string;
  readonly effectsUrl?: string;
  readonly effects?: string;
  readonly iOwn?: string;
  readonly slow?: boolean;
  readonly nonce?: string;
  readonly types?: readonly string[];
  readonly rate?: number;
  readonly samples?: string;
  readonly openapi?: string;
  readonly provider?: string;
  readonly restartCommand?: string;
  readonly thorough?: boolean;
}

/** `countersign verify receiver`. */
export function declareVerifyReceiver(command: Command, surroundings: Surroundings): void {
  command
    .requiredOption("--url <url>", "URL of the receiver")
    .addOption(providerOption())
    .option("--effects-url <url>", "URL that lists what the handlers did")
    .option("--effects <sql:query>", "query that lists what the handlers did")
    .option("--samples <dir>", "folder of your events' bodies as *.json")
    .option("--openapi <file>", "document of the events, to make bodies of")
    .option("--i-own <host>", "confirm that you own this remote host")
    .option("--types <type...>", "event types that it handles (default: all)")
    .option(
      "--rate <number>",
      "requests per second (default: 50; local: no limit)",
      integer(1, 1000),
    )
    .option("--restart-command <cmd>", "shell command that restarts the receiver")
    .option("--thorough", "search ten times as long, and judge strictly")
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
  const { url, effectsUrl, effects, iOwn, types, slow, samples, restartCommand, thorough } =
    options;
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
          "--provider": options.provider,
          "--effects-url": effectsUrl,
          "--effects": effects,
          "--i-own": iOwn,
          "--types": types,
          "--slow": slow,
          "--samples": samples,
          "--openapi": options.openapi,
          "--restart-command": restartCommand,
          "--thorough": thorough,
        }),
      ],
      open: async () => {
        const secrets = secretsFrom(await signingSecret(surroundings));
        const { target, close } = await openTarget(options, secrets, surroundings);
        try {
          await requireListening(target);
        } catch (error) {
          await close();
          throw error;
        }
        surroundings.terminal.err(announcement(target));
        const notes = (): readonly string[] => [...tierNotes(target), ...target.notes()];
        return { target, secrets, notes, close };
      },
    },
    options,
    surroundings,
  );
}

/** Requests of a run, measured: without effects, with them, and for each further type. */
const ATTEMPTS = { answers: 900, effects: 300, type: 45, rounds: 9 };

/** Says before the first attempt how many are sent, and that handlers run. */
function announcement({ events, effects, effort, url }: ReceiverTarget): string {
  const { answers, effects: more, type, rounds } = ATTEMPTS;
  const once = answers + (effects === undefined ? 0 : more) + type * events.rows.length;
  const count = Math.ceil((once * (effort > 1 ? rounds : 1)) / 100) * 100;
  // A query may be a secret of the endpoint.
  const [address = ""] = url.split(/[?#]/, 1);
  return `sends about ${count} requests to ${address}; genuine ones run your handlers`;
}

/** What the run could see of the receiver. */
function tierNotes({ effects, events, provider }: ReceiverTarget): readonly string[] {
  const isReal =
    events.samples.size > 0 ||
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

async function openTarget(
  options: ReceiverOptions,
  secrets: readonly string[],
  surroundings: Surroundings,
): Promise<{ readonly target: ReceiverTarget; readonly close: () => Promise<void> }> {
  const { url, effectsUrl, effects, iOwn, slow, nonce, types, rate } = options;
  const { samples, restartCommand, thorough, only } = options;
  targetUrl(url, "--url");
  if (effectsUrl !== undefined) targetUrl(effectsUrl, "--effects-url");
  if (effectsUrl !== undefined && effects !== undefined)
    throw badArgument("--effects and --effects-url are two sources of effects: choose one");
  if (nonce !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(nonce))
    throw badArgument("--nonce must be 1 to 64 characters of [A-Za-z0-9_-]");
  if (restartCommand?.trim() === "") throw badArgument("--restart-command must not be empty");
  const chosen = (await chosenProvider(options)) ?? providerOf(await loadProfile(options.profile));
  requireSignable(chosen);
  const document = options.openapi === undefined ? undefined : await readDocument(options.openapi);
  const note = document && filterNote(document);
  if (note !== undefined) surroundings.terminal.err(`${options.openapi ?? ""}: ${note}`);
  const provider = document === undefined ? chosen : withEvents(chosen, document, false);
  requireKnownTypes(provider, types);
  const bodies = samples === undefined ? undefined : samplesIn(samples, provider);
  const sql = effects === undefined ? undefined : await openSqlEffects(effects, surroundings.env);
  const close = async (): Promise<void> => sql?.close();
  try {
    const source: string | EffectsSource | undefined = effectsUrl ?? sql?.source;
    const target: ReceiverTarget = receiverTarget({
      url,
      provider,
      claims: await claimsFor(provider, surroundings.env),
      samples: bodies,
      thorough,
      // A requirement that is asked for by name is judged.
      strict: thorough === true || only !== undefined,
      restart: restartCommand === undefined ? undefined : () => restartBy(restartCommand, target),
      effects: source,
      secrets,
      slow,
      nonce,
      types,
      perSecond: rate,
      owned: iOwn,
    });
    return {
      target,
      close: async () => {
        target.close();
        await close();
      },
    };
  } catch (cause) {
    await close();
    if (cause instanceof TargetNotOwnedError)
      throw new Failure("CS_CLI_TARGET_NOT_OWNED", cause.message, { cause });
    if (!(cause instanceof TypeError)) throw cause;
    throw badSecret(cause);
  }
}

/** @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the catalogue does not have a type. */
function requireKnownTypes(
  { catalogue = [], name }: ProviderDocument,
  types: readonly string[] = [],
): void {
  const known = catalogue.map(({ type }) => type);
  const unknown = types.find((type) => known.length > 0 && !known.includes(type));
  if (unknown !== undefined)
    throw badArgument(
      `${name} has no event ${JSON.stringify(unknown)}; it has ${known.slice(0, 20).join(", ")}`,
    );
}

/** Milliseconds that a receiver may take to accept a connection. */
const LISTENING_MS = 10_000;

/** Every check of a mistyped port, or of another protocol's, would fail with the same message. */
async function requireListening({ url, sockets }: ReceiverTarget): Promise<void> {
  // The target's own connection: it refuses a `localhost` that is another machine.
  const connection = sockets.open();
  const isLate = await Promise.race([
    connection.ready.then(() => false),
    setTimeout(LISTENING_MS, true, { ref: false }),
  ]);
  if (connection.isReady()) {
    connection.close();
    const headers = [["Content-Type", "application/json"]] as const;
    const answer = await sockets.send({ method: "POST", headers, body: Buffer.from("{}") });
    if (answer.kind !== "none" || answer.why !== "garbled") return;
    throw new Failure("CS_CLI_UNVERIFIED", `${url} does not speak HTTP: ${answer.detail}`);
  }
  // Nothing arrives: the read returns the reason of the failure.
  const received = await connection.read({ method: "GET", deadlineMs: 0 });
  const reason =
    received.kind === "none" && !isLate
      ? received.detail
      : `no connection within ${LISTENING_MS / 1000} s`;
  throw new Failure("CS_CLI_UNVERIFIED", `${url} does not answer: ${reason}`);
}

/** @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the samples cannot be used. */
function samplesIn(folder: string, provider: ProviderDocument): ReturnType<typeof readSamples> {
  try {
    return readSamples(folder, provider);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw badArgument(`invalid --samples: ${cause.message}`, cause);
  }
}

/** One secret or several: while one is replaced, a receiver has two. A key in PEM has spaces in it. */
function secretsFrom(text: string): readonly string[] {
  const keys = text.match(/-----BEGIN [^-]+-----.+?-----END [^-]+-----/gs);
  return keys ?? text.split(/\s+/).filter((one) => one !== "");
}
