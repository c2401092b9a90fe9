import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openNamespace, serveSandbox, subscribeAll } from "@countersign/service/sandbox";
import { providerOf, sendingProviderOf } from "@countersign/schemas/provider-of";
import { endpointUrl } from "@countersign/service";
import { sandboxLine } from "../attempt-lines.ts";
import { define } from "../command.ts";
import { asFailure, DEFAULT_FOLDER, openDatabase } from "../database.ts";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import { inspectorFolder, NOT_BUILT, openInBrowser } from "../inspector-page.ts";
import * as option from "../options.ts";
import { DEFAULT_PORT, listenOn } from "../port.ts";
import { inRows } from "../terminal.ts";
import { checkSecret, loadProfile } from "../provider.ts";
import { receiverCheckRunner } from "../receiver-check-runner.ts";
import { keptSecret, newEncryptionKey, vaultOf } from "../secrets.ts";
import type { Surroundings } from "../terminal.ts";
import { targetUrl } from "../verify/arguments.ts";

const help = `
Prints "ready http://127.0.0.1:4010" on stdout when it accepts requests, and everything else on stderr: where things are, then one
line per webhook.

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_TOKEN    API token; default: created and stored next to the database
  COUNTERSIGN_SECRET   signing secret of --deliver-to; default: created and stored next to the database

Examples:
  countersign sandbox
  countersign sandbox --deliver-to http://localhost:3000/webhooks --open
  countersign sandbox --port 5000 --database ./tmp/sandbox.db --seed 7
  countersign sandbox --listen 0.0.0.0 --allow-host sandbox.test:4010`;

const options = {
  port: option.port(DEFAULT_PORT),
  database: option.text("<file>", "SQLite file", join(DEFAULT_FOLDER, "sandbox.db")),
  profile: option.profile,
  seed: option.seed("seed of the sample data's ids"),
  deliverTo: option.text("<url>", "send every event to this local address"),
  listen: option.text("<address>", "address to listen on", "127.0.0.1"),
  allowHost: option.words("<host...>", "host names that callers may use"),
  open: option.flag("open the inspector in the browser"),
  json: option.flag('print one JSON object instead of the "ready" line'),
};
type Options = option.ValuesOf<typeof options>;

/** `countersign sandbox`. Runs until the process is asked to end. */
export const definition = define({ options, help, run: runSandbox });

/** Validates every option before it creates anything. */
async function runSandbox(command: Options, surroundings: Surroundings): Promise<void> {
  const { terminal, env } = surroundings;
  const { listen, database: file } = command;
  const deliverTo = command.deliverTo && targetUrl(command.deliverTo, "--deliver-to").href;
  const token = await secretFrom(env, "COUNTERSIGN_TOKEN");
  const secret = await secretFrom(env, "COUNTERSIGN_SECRET");
  requireForms(command, token);
  const profile = await loadProfile(command.profile);
  if (deliverTo !== undefined && endpointUrl(deliverTo, { allowLoopback: true }) === undefined)
    throw refused(
      "--deliver-to must be a URL of this machine, e.g. http://localhost:3000/webhooks, or https",
    );
  if (secret !== undefined) checkSecret(providerOf(profile), secret, "sign");
  const port = { port: command.port ?? DEFAULT_PORT, isAskedFor: command.port !== undefined };
  const typeAt = sendingProviderOf(profile).envelope.type;
  const folder = inspectorFolder();
  const key = randomBytes(16).toString("base64url");
  const kept = { token: token ?? "", secret: secret ?? "" };

  const running = await listenOn(port, async (number) => {
    const driver = await openDatabase(file);
    kept.token ||= await keptSecret(`${file}.token`, newToken);
    if (deliverTo !== undefined)
      kept.secret ||= await keptSecret(`${file}.secret`, newWebhookSecret);
    const target = deliverTo && { url: deliverTo, secret: kept.secret };
    return serveSandbox({
      driver,
      vault: vaultOf(await keptSecret(`${file}.keys`, newEncryptionKey)),
      profile,
      port: number,
      host: listen,
      allowedHosts: command.allowHost ?? [],
      userAgent: `Countersign/${surroundings.version}`,
      onAttempt: (completion) => terminal.err(sandboxLine(completion, typeAt)),
      inspector: {
        folder,
        key,
        token: kept.token,
        ...(target && {
          target,
          checks: receiverCheckRunner({ ...target, profile, profileName: command.profile }),
        }),
      },
    });
  }).catch((error: unknown) => {
    throw asFailure(error);
  });

  let closePage: (() => Promise<void>) | undefined;
  try {
    const { context } = running.service;
    const { seed } = command;
    const opened = await openNamespace(context, { seed, token: kept.token });
    if (deliverTo !== undefined) {
      const order = { url: deliverTo, secret: kept.secret };
      const outcome = await subscribeAll({ context, vault: running.vault }, opened.merchant, order);
      if (!outcome.ok) throw refused(`--deliver-to cannot be subscribed: ${outcome.code}`);
    }
    if (!port.isAskedFor && running.port !== port.port)
      terminal.err(`port ${port.port} is in use, listening on ${running.port}`);
    const url = openable(running.url);
    const page = folder === undefined ? undefined : `${url}/inspector/#key=${key}`;
    const keptSecretShown = secret === undefined ? kept.secret : "from COUNTERSIGN_SECRET";
    const places = {
      inspector: page ?? NOT_BUILT,
      "sends to": deliverTo ?? "no endpoint yet: add one in the inspector, or use --deliver-to URL",
      "signing secret":
        deliverTo === undefined ? "one per endpoint, shown when you add it" : keptSecretShown,
      "API token": token === undefined ? kept.token : "from COUNTERSIGN_TOKEN",
      ...(opened.seeded && {
        "API client": `${opened.seeded.clientId} ${opened.seeded.clientSecret} (shown only once)`,
      }),
      data: `${file}${opened.seeded === undefined ? "" : ", new with sample data"}`,
    };
    for (const line of inRows(places)) terminal.err(line, "strong");
    terminal.err("Waiting for events…");
    if (command.open === true) {
      if (page === undefined) terminal.err(`inspector: ${NOT_BUILT}`);
      else closePage = await openInBrowser(page, (line) => terminal.err(line));
    }
    const ready = {
      ready: url,
      profile: profile.name,
      database: file,
      tokenFile: token === undefined ? `${file}.token` : null,
      secretFile: deliverTo !== undefined && secret === undefined ? `${file}.secret` : null,
    };
    if (command.json === true) terminal.json(ready);
    else terminal.out(`ready ${url}`);
    await surroundings.asked();
  } finally {
    await closePage?.();
    await running.close();
  }
}

/** Names loopback for a server that listens on every address: no client can call `0.0.0.0` or `[::]`. */
function openable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** Checks the values that need no other one. */
function requireForms({ listen, allowHost = [] }: Options, token: string | undefined): void {
  // Callers on other machines reach the sandbox by a host name.
  if (!["127.0.0.1", "::1", "localhost"].includes(listen) && allowHost.length === 0)
    throw new Failure(
      "CS_CLI_ALLOW_HOST_MISSING",
      `--listen ${listen} needs --allow-host with the name that callers use`,
    );
  // RFC 6750, section 2.1, and too long to guess.
  if (token === undefined || /^[A-Za-z0-9._~+/-]{16,256}=*$/.test(token)) return;
  const message = "COUNTERSIGN_TOKEN must be 16 to 256 characters of [A-Za-z0-9._~+/-]";
  throw new Failure("CS_CLI_TOKEN_UNUSABLE", message);
}

const refused = (message: string): Failure => new Failure("CS_CLI_DELIVER_TO_REFUSED", message);
const newToken = (): string => `cst_${randomBytes(32).toString("base64url")}`;
const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
