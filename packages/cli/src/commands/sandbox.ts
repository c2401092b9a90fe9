import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Command } from "commander";
import { openNamespace, serveSandbox, subscribeAll } from "@countersign/sandbox/internal";
import type { Profile } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { endpointUrl } from "@countersign/service/internal";
import { schemeOf } from "@countersign/signatures";
import { attemptLine, exampleLines } from "../sandbox-lines.ts";
import { secretFrom } from "../environment.ts";
import { keptSecret, newEncryptionKey, vaultOf } from "../secrets.ts";
import { Failure } from "../failure.ts";
import { inspectorFolder, openInBrowser } from "../inspector-page.ts";
import { listenOn, portChoice, portOption } from "../port.ts";
import { loadProfile } from "../profile.ts";
import { asFailure, DEFAULT_FOLDER, openDatabase } from "../database.ts";
import { profileOption, seed } from "../options.ts";
import { printable, printableJson } from "../printable.ts";
import { receiverCheckRunner } from "../receiver-check-runner.ts";
import type { Surroundings, Terminal } from "../terminal.ts";

const help = `
Prints "ready http://127.0.0.1:4010" on stdout when it accepts requests, and everything else on stderr: where things are, then one
line per webhook. On a terminal, press o to open the inspector, n to move the clock to the next due item, r to start over with
sample data, q to quit.

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_TOKEN    API token; default: created and stored next to the database
  COUNTERSIGN_SECRET   signing secret of --deliver-to; default: created and stored next to the database

Examples:
  countersign sandbox
  countersign sandbox --deliver-to http://localhost:3000/webhooks --open
  countersign sandbox --port 5000 --database ./tmp/sandbox.db --seed 7
  countersign sandbox --listen 0.0.0.0 --allow-host sandbox.test:4010`;

interface SandboxOptions {
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly profile: string;
  readonly seed: number;
  readonly deliverTo: string | undefined;
  readonly listen: string;
  readonly allowHost: readonly string[] | undefined;
  readonly examples: boolean | undefined;
  readonly open: boolean | undefined;
  readonly json: boolean | undefined;
}

/** `countersign sandbox`. */
export function declareSandbox(command: Command, surroundings: Surroundings): void {
  command
    .addOption(portOption())
    .option("--database <file>", "SQLite file (default: .countersign/sandbox.db)")
    .addOption(profileOption())
    .option("--seed <number>", "seed of the sample data's ids", seed, 1)
    .option("--deliver-to <url>", "send every event to this local address")
    .option("--listen <address>", "address to listen on", "127.0.0.1")
    .option("--allow-host <host...>", "host names that callers may use")
    .option("--examples", "print curl commands to try")
    .option("--open", "open the inspector in the browser")
    .option("--json", 'print one JSON object instead of the "ready" line')
    .addHelpText("after", help)
    .action((options: SandboxOptions) => sandbox(options, surroundings));
}

/** Runs the sandbox until the process is asked to end. Validates every option before it creates anything. */
async function sandbox(options: SandboxOptions, surroundings: Surroundings): Promise<void> {
  const { terminal, env } = surroundings;
  const { deliverTo, listen } = options;
  requireAllowedHost(options);
  const profile = await loadProfile(options.profile);
  const given = {
    token: await secretFrom(env, "COUNTERSIGN_TOKEN"),
    secret: await secretFrom(env, "COUNTERSIGN_SECRET"),
  };
  if (given.token !== undefined) requireTokenForm(given.token);
  if (deliverTo !== undefined) requireEndpoint(deliverTo);
  if (given.secret !== undefined) requireSecret(profile, given.secret);
  const port = portChoice(options.port);
  const file = options.database ?? join(DEFAULT_FOLDER, "sandbox.db");
  const folder = inspectorFolder();
  const key = randomBytes(16).toString("base64url");
  const kept = { token: given.token ?? "", secret: given.secret ?? "" };

  const running = await listenOn(port, async (number) => {
    const driver = await openDatabase(file);
    kept.token ||= (await keptSecret(`${file}.token`, newToken)).value;
    if (deliverTo !== undefined)
      kept.secret ||= (await keptSecret(`${file}.secret`, newWebhookSecret)).value;
    const target = deliverTo && { url: deliverTo, secret: kept.secret };
    return serveSandbox({
      driver,
      vault: vaultOf((await keptSecret(`${file}.keys`, newEncryptionKey)).value),
      profile,
      port: number,
      host: listen,
      allowedHosts: options.allowHost ?? [],
      userAgent: `Countersign/${surroundings.version}`,
      onAttempt: (completion) => terminal.err(attemptLine(completion, profile, new Date())),
      inspector: {
        folder,
        key,
        token: kept.token,
        ...(target && {
          target,
          checks: receiverCheckRunner({ ...target, profile, profileName: options.profile }),
        }),
      },
    });
  }).catch((error: unknown) => {
    throw asFailure(error);
  });

  const closing = new AbortController();
  const pages: (() => Promise<void>)[] = [];
  try {
    const { driver } = running.service;
    const seeding = { driver, profile, seed: options.seed, token: kept.token };
    const opened = await openNamespace(seeding);
    if (deliverTo !== undefined) {
      const order = { url: deliverTo, secret: kept.secret };
      const outcome = await subscribeAll(running, opened.merchant, order);
      if (!outcome.ok) throw deliverToFailure(outcome.code);
    }
    if (!port.isAskedFor && running.port !== port.port)
      terminal.err(`port ${port.port} is in use, listening on ${running.port}`);
    const url = openable(running.url);
    const page = folder === undefined ? undefined : `${url}/inspector/#key=${key}`;
    const keys = surroundings.keys;
    printPlaces(terminal, {
      inspector: page ?? NOT_BUILT,
      "sends to": deliverTo ?? "no endpoint yet: add one in the inspector, or use --deliver-to URL",
      "signing secret": secretShown(deliverTo, given.secret, kept.secret),
      "API token": given.token === undefined ? kept.token : "from COUNTERSIGN_TOKEN",
      data: `${file}${opened.seeded === undefined ? "" : `, new${withSamples(profile)}`}`,
    });
    const offered = `${page === undefined ? "" : "o open · "}n next due · r reset · q quit`;
    terminal.err(keys === undefined ? "Waiting for events…" : `Waiting for events… (${offered})`);
    if (options.examples === true) {
      const token = given.token === undefined ? `$(cat "${file}.token")` : "$COUNTERSIGN_TOKEN";
      const lines = await exampleLines(running, opened, {
        profile,
        url,
        token,
        isSubscribed: deliverTo !== undefined,
      });
      for (const line of lines) terminal.err(line);
    }
    const open = async (): Promise<void> => {
      if (page === undefined) return terminal.err(`inspector: ${NOT_BUILT}`);
      pages.push(await openInBrowser(page, (line) => terminal.err(line)));
    };
    if (options.open === true) await open();
    const call = caller(url, kept.token);
    keys?.(closing.signal, (pressed) => {
      if (pressed === "o") void open();
      if (pressed === "n") void printResult(moveToNextDue(call), terminal);
      if (pressed === "r") void printResult(startOver(call, profile), terminal);
      if (pressed === "q") closing.abort();
    });
    const ready = {
      ready: url,
      profile: profile.name,
      database: file,
      tokenFile: given.token === undefined ? `${file}.token` : null,
      secretFile: deliverTo !== undefined && given.secret === undefined ? `${file}.secret` : null,
    };
    terminal.out(options.json === true ? printableJson(ready) : `ready ${url}`);
    const quit = new Promise<void>((resolve) =>
      closing.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await Promise.race([surroundings.asked(), quit]);
  } finally {
    closing.abort();
    for (const remove of pages) await remove();
    await running.close();
  }
}

const NOT_BUILT = "not built in this checkout; run pnpm build";

/** Names loopback for a server that listens on every address: no client can call `0.0.0.0` or `[::]`. */
function openable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** Prints where things are: a label and a value a line, the labels bold. */
function printPlaces(terminal: Terminal, places: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(places).map((label) => label.length));
  for (const [label, value] of Object.entries(places))
    terminal.err(`${label.padEnd(width)}  ${value}`, "strong");
}

function secretShown(
  deliverTo: string | undefined,
  given: string | undefined,
  kept: string,
): string {
  if (deliverTo === undefined) return "one per endpoint, shown when you add it";
  return given === undefined ? kept : "from COUNTERSIGN_SECRET";
}

type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/** Calls the sandbox as any client does; a refusal is an error with its text. */
function caller(url: string, token: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    const parsed: unknown = JSON.parse(text);
    return parsed;
  };
}

async function printResult(result: Promise<string>, terminal: Terminal): Promise<void> {
  terminal.err(await result.catch((error: unknown) => printable(String(error))));
}

async function moveToNextDue(call: Call): Promise<string> {
  // The sandbox of this process answers it.
  const { next } = (await call("GET", "/sandbox/inspect/due")) as { next: { at: string } | null };
  if (next === null) return "nothing is due";
  await call("PUT", "/sandbox/clock", { now: next.at });
  return `sandbox time is ${next.at}`;
}

async function startOver(call: Call, profile: Profile): Promise<string> {
  await call("POST", "/sandbox/inspect/reset", { what: "samples" });
  return `started over${withSamples(profile)}`;
}

const withSamples = ({ payments }: Profile): string =>
  payments === true ? " with sample data" : "";

/** Callers on other machines reach the sandbox by a host name, which must be allowed. */
function requireAllowedHost({ listen, allowHost = [] }: SandboxOptions): void {
  if (["127.0.0.1", "::1", "localhost"].includes(listen) || allowHost.length > 0) return;
  throw new Failure(
    "CS_CLI_ALLOW_HOST_MISSING",
    `--listen ${listen} needs --allow-host with the name that callers use`,
  );
}

// RFC 6750, section 2.1, and too long to guess.
function requireTokenForm(token: string): void {
  if (/^[A-Za-z0-9._~+/-]{16,256}=*$/.test(token)) return;
  const message = "COUNTERSIGN_TOKEN must be 16 to 256 characters of [A-Za-z0-9._~+/-]";
  throw new Failure("CS_CLI_TOKEN_UNUSABLE", message);
}

function requireEndpoint(url: string): void {
  if (endpointUrl(url, { allowLoopback: true }) === undefined)
    throw deliverToFailure("INVALID_URL");
}

function requireSecret(profile: Profile, secret: string): void {
  try {
    schemeOf(providerOf(profile)).check([secret], "sign");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw deliverToFailure("WEAK_SECRET");
  }
}

function deliverToFailure(code: string): Failure {
  const messages: Readonly<Record<string, string>> = {
    INVALID_URL:
      "--deliver-to needs the full URL of a local receiver, e.g. http://localhost:3000/webhooks",
    WEAK_SECRET: "COUNTERSIGN_SECRET is not a secret that the profile's scheme accepts",
  };
  const message = messages[code] ?? `--deliver-to cannot be subscribed: ${code}`;
  return new Failure("CS_CLI_DELIVER_TO_REFUSED", message);
}

function newToken(): string {
  return `cst_${randomBytes(32).toString("base64url")}`;
}

function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
