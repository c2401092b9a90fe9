import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type EventsDocument, withEvents } from "@countersign/contract-kit/documents";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { listen } from "@countersign/service";
import { schemeOf } from "@countersign/signatures";
import { causeLines, clockTime } from "../attempt-lines.ts";
import { poster } from "../attempts.ts";
import { define } from "../command.ts";
import { badDatabase, DEFAULT_FOLDER, makeFolderOf } from "../database.ts";
import { chosenDocument } from "../documents.ts";
import { secretFrom } from "../environment.ts";
import { badArgument } from "../failure.ts";
import { inspectorFolder, NOT_BUILT, openInBrowser } from "../inspector-page.ts";
import { AttemptLog } from "../listen/attempt-log.ts";
import { ListenPage } from "../listen/page.ts";
import { ProviderAttempts } from "../listen/provider-attempts.ts";
import { Relay, type Relayed } from "../listen/relay.ts";
import * as option from "../options.ts";
import { listenOn } from "../port.ts";
import { checkSecret, claimsFor, loadProvider } from "../provider.ts";
import { inRows, type Surroundings, type Terminal } from "../terminal.ts";
import { targetUrl } from "../verify/arguments.ts";

const help = `
Examples:
  countersign listen --provider stripe --forward-to localhost:3000/webhooks/stripe
  countersign listen --provider github --forward-to localhost:3000/hooks --forward-to localhost:4000/hooks
  countersign listen --provider twilio --forward-to localhost:3000/sms --url https://abc.example.dev/sms

Point your tunnel at the port, and the provider at your tunnel. Relays each request with its bytes and signature unchanged, answers
what the app answers (of several apps: the first refusal, else the first answer), and prints one line each, with the cause and the
fix of a refusal. Any path is relayed to the path of --forward-to, with the query that arrived.

The inspector runs on a port of its own, on this machine only and with a key.

The latest events are kept in .countersign/listen.db, readable by you only, so that they can be sent again; with --keep 0 nothing is
written to disk. Authorization headers and cookies are never kept, and personal members of bodies are masked until you show them.

Prints "ready http://127.0.0.1:4020" on stdout when it accepts requests. Exits with 0 when it is ended, and with 2 if it cannot run.

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET   the endpoint's secret, to name causes and to sign again; prompted for at a terminal (optional)
  COUNTERSIGN_KEY      public key that attempts name, for providers such as PayPal (optional)`;

const DEFAULT_PORT = 4020;
/** Milliseconds for an app's answer if the provider's document does not say. */
const DEADLINE_MS = 30_000;
/** Events that are kept in memory if none is kept on disk. */
const IN_MEMORY = 1000;

const options = {
  provider: option.required(option.provider),
  forwardTo: option.required(
    option.list("<url>", "your app's route; repeatable", (url) => targetUrl(url, "--forward-to")),
  ),
  port: option.port(DEFAULT_PORT),
  url: option.text("<url>", "public URL, if the provider signs it"),
  openapi: option.text("<file>", "document of the events, to validate bodies"),
  keep: option.integer("<number>", "events to keep; 0 writes nothing", [0, 10_000], 1000),
  database: option.text("<file>", "file of the events", join(DEFAULT_FOLDER, "listen.db")),
  open: option.flag("open the inspector in the browser"),
  json: option.flag("print one JSON object for each request"),
};
type Options = option.ValuesOf<typeof options>;

/** `countersign listen`: relays until the process is asked to end. */
export const definition = define({ options, help, run: relayRequests });

async function relayRequests(command: Options, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings;
  const { forwardTo: apps, json = false, keep, database } = command;
  const document = await chosenDocument(command);
  const known = await loadProvider(command.provider);
  const provider = document === undefined ? known : withEvents(known, document);
  const attempts = await attemptsOf({ provider, document }, command, surroundings);
  const { deadlineSeconds = DEADLINE_MS / 1000 } = provider.answer ?? {};
  const deadlineMs = deadlineSeconds * 1000;
  const log = await openLog(command);
  const post = poster(deadlineMs);
  const folder = inspectorFolder();
  const key = randomBytes(16).toString("base64url");
  let address = "";
  const shared = { attempts, apps, log, deadlineMs, now: Date.now };
  const relay = new Relay({
    ...shared,
    poster: post,
    onRelayed: (relayed) => {
      page.tell();
      if (json) terminal.json(asJson(relayed));
      else printRelayed(relayed, terminal);
    },
    onUnlogged: (error) =>
      terminal.err(`warning: not kept in ${database}: ${String(error)}`, "mild"),
  });
  const isBuiltIn = providersByName.has(command.provider);
  const page = new ListenPage({ ...shared, folder, key, relay, isBuiltIn, address: () => address });
  const undo: (() => Promise<void>)[] = [];
  try {
    const { port = DEFAULT_PORT } = command;
    const requests = await listenOn({ port, isAskedFor: command.port !== undefined }, (number) =>
      listen(relay.receive, { port: number }),
    );
    undo.push(() => requests.close({ graceMs: 0 }));
    address = requests.url;
    const free = { port: port === 0 ? 0 : requests.port + 1, isAskedFor: false };
    const inspector = await listenOn(free, (number) => listen(page.receive, { port: number }));
    undo.push(() => inspector.close({ graceMs: 0 }));
    const inspectorAt = `${inspector.url}/inspector/#key=${key}`;
    const { fingerprint } = attempts;
    const rows = {
      [`${provider.title} to`]: address,
      "relayed to": apps.map(({ href }) => href).join(", "),
      secret:
        fingerprint === undefined
          ? "none: signatures are not verified here"
          : `fingerprint ${fingerprint}`,
      inspector: folder === undefined ? NOT_BUILT : inspectorAt,
      events: keep === 0 ? "in memory only" : `${database}, the latest ${keep}`,
    };
    for (const line of inRows(rows)) terminal.err(line, "strong");
    if (command.open === true)
      undo.push(await openInBrowser(inspectorAt, (line) => terminal.err(line)));
    if (json) terminal.json({ ready: address });
    else terminal.out(`ready ${address}`);
    await surroundings.asked();
  } finally {
    page.close();
    for (const close of undo) await close();
    await post.close();
    log.close();
  }
}

/** @throws {Failure} The secret is not the provider's, or its document needs what no variable or option gives. */
async function attemptsOf(
  {
    provider,
    document,
  }: { readonly provider: ProviderDocument; readonly document: EventsDocument | undefined },
  { url: given, forwardTo: [first] }: Options,
  { env, askSecret }: Surroundings,
): Promise<ProviderAttempts> {
  const question = `Secret of the ${provider.title} endpoint (empty: relay without verifying): `;
  const asked = (await secretFrom(env, "COUNTERSIGN_SECRET")) ?? (await askSecret(question));
  const secret = asked?.trim() === "" ? undefined : asked;
  if (schemeOf(provider).needsUrl && secret !== undefined && given === undefined)
    throw badArgument(
      `${provider.title} signs the public URL: name it with --url https://YOUR-TUNNEL/PATH`,
    );
  const url = given === undefined ? first : targetUrl(given, "--url");
  if (url === undefined) throw badArgument("--forward-to needs the URL of your app");
  if (secret !== undefined) checkSecret(provider, secret, "verify");
  const key = await secretFrom(env, "COUNTERSIGN_KEY");
  const claims = secret === undefined ? {} : await claimsFor(provider, env);
  return new ProviderAttempts(provider, { secret, key, claims, url, document });
}

async function openLog({ database, keep }: Options): Promise<AttemptLog> {
  if (keep === 0) return new AttemptLog(":memory:", IN_MEMORY);
  try {
    await makeFolderOf(database);
    // SQLite gives the files next to it the same mode.
    await writeFile(database, "", { mode: 0o600, flag: "a" });
    return new AttemptLog(database, keep);
  } catch (cause) {
    throw badDatabase(database, cause);
  }
}

const asJson = ({ event, url, method, answer, diagnosis }: Relayed): object => ({
  ...event,
  method,
  url: url.href,
  ...(answer.status === null ? { error: answer.error } : { status: answer.status }),
  durationMs: answer.durationMs,
  ...diagnosis,
});

/** One line a request, and below a failure its cause and fix. */
function printRelayed({ event, url, answer, diagnosis }: Relayed, terminal: Terminal): void {
  const { name, isGood } = diagnosis;
  const columns = [
    String(answer.status ?? "no answer"),
    clockTime(),
    event.type,
    `${url.host}${url.pathname}`,
    `${answer.durationMs} ms`,
    name ?? "",
  ];
  const line = columns.join("  ").trimEnd();
  terminal.out(line, isGood ? (name === null ? "good" : "mild") : "bad");
  if (name !== null) for (const below of causeLines(diagnosis)) terminal.out(below);
}
