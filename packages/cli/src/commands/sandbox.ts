import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openNamespace, startSandbox, subscribeAll } from "@countersign/sandbox";
import { listPayments, type Merchant, type Queryable } from "@countersign/service/internal";
import { newEncryptionKey, vaultOf } from "../encryption-keys.ts";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import { firstCalls } from "../first-calls.ts";
import { keptSecret } from "../kept-secret.ts";
import { listenOn, type PortChoice } from "../listen-on.ts";
import { loadProfile } from "../load-profile.ts";
import { DEFAULT_FOLDER, openDatabase } from "../open-database.ts";
import { inspectorFolder } from "../inspector-folder.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { receiverCheckRunner } from "../receiver-check-runner.ts";
import { printableJson } from "../printable.ts";
import { asFailure } from "../service-failure.ts";
import type { Surroundings } from "../terminal.ts";

export interface SandboxCommand {
  readonly port: PortChoice;
  readonly database: string | undefined;
  readonly profile: string;
  readonly seed: number;
  readonly deliverTo: string | undefined;
  /** Address to listen on. */
  readonly listen: string;
  readonly allowHosts: readonly string[];
  /** Whether the inspector is opened in a browser. */
  readonly open: boolean;
  /** Whether `ready` is told as JSON. */
  readonly json: boolean;
}

/** `countersign sandbox`: serves until somebody asks it to end. */
export async function runSandbox(
  command: SandboxCommand,
  surroundings: Surroundings,
): Promise<void> {
  const { terminal, env } = surroundings;
  requireAllowedHost(command);
  const profile = await loadProfile(command.profile);
  const given = {
    token: await secretFrom(env, "COUNTERSIGN_TOKEN"),
    secret: await secretFrom(env, "COUNTERSIGN_SECRET"),
  };
  if (given.token !== undefined) requireTokenForm(given.token);
  const file = command.database ?? join(DEFAULT_FOLDER, "sandbox.db");
  const folder = inspectorFolder();
  const key = randomBytes(16).toString("base64url");
  const kept = { token: given.token ?? "", secret: given.secret ?? "" };
  const sandbox = await listenOn(command.port, async (port) => {
    const driver = await openDatabase(file);
    kept.token ||= (await keptSecret(`${file}.token`, newToken)).value;
    if (command.deliverTo !== undefined) {
      kept.secret ||= (await keptSecret(`${file}.secret`, newWebhookSecret)).value;
    }
    const target = command.deliverTo && { url: command.deliverTo, secret: kept.secret };
    return startSandbox({
      driver,
      vault: vaultOf((await keptSecret(`${file}.keys`, newEncryptionKey)).value),
      profile,
      port,
      host: command.listen,
      allowedHosts: command.allowHosts,
      userAgent: `Countersign/${surroundings.version}`,
      ...(folder !== undefined && {
        inspector: {
          folder,
          key,
          token: kept.token,
          ...(target && {
            target,
            checks: receiverCheckRunner({ ...target, profile, profileName: command.profile }),
          }),
        },
      }),
    });
  }).catch((error: unknown) => {
    throw asFailure(error);
  });
  let removePage: (() => Promise<void>) | undefined;
  try {
    const { token, secret } = kept;
    const { driver } = sandbox.service;
    const opened = await openNamespace({ driver, profile, seed: command.seed, token });
    if (!command.port.isAskedFor && sandbox.port !== command.port.port) {
      terminal.err(`port ${command.port.port} is taken, listening on ${sandbox.port}`);
    }
    terminal.err(`database  ${file}`);
    terminal.err(`token     ${given.token === undefined ? token : "from the environment"}`);
    if (opened.seeded !== undefined) {
      const { clientId, clientSecret, customers, payments } = opened.seeded;
      terminal.err(`client    ${clientId}`);
      terminal.err(`          ${clientSecret} (seen here once)`);
      terminal.err(`customer  ${customers.active}`);
      terminal.err(`payment   ${payments.settled}`);
    }
    if (command.deliverTo !== undefined) {
      const order = { url: command.deliverTo, secret };
      const outcome = await subscribeAll(sandbox, opened.merchant, order);
      if (!outcome.ok) throw deliverToFailure(outcome.code);
      terminal.err(`delivers  every event to ${command.deliverTo}`);
      terminal.err(`secret    ${given.secret === undefined ? secret : "from the environment"}`);
    }
    const source = given.token === undefined ? `$(cat "${file}.token")` : "$COUNTERSIGN_TOKEN";
    const calls = firstCalls({
      url: sandbox.url,
      token: source,
      paymentId: await refundablePayment(driver, opened.merchant),
      isSubscribed: command.deliverTo !== undefined,
    });
    for (const line of calls) terminal.err(line);
    if (folder !== undefined) {
      const page = `${sandbox.url}/inspector/#key=${key}`;
      terminal.err(`inspector ${page}`);
      if (command.open) removePage = await openInBrowser(page, (line) => terminal.err(line));
    } else if (command.open) {
      terminal.err("inspector is not built here; --open has nothing to open");
    }
    terminal.out(
      command.json
        ? printableJson({
            ready: sandbox.url,
            profile: profile.name,
            database: file,
            tokenFile: given.token === undefined ? `${file}.token` : null,
            secretFile:
              given.secret === undefined && command.deliverTo !== undefined
                ? `${file}.secret`
                : null,
          })
        : `ready ${sandbox.url}`,
    );
    await surroundings.asked();
  } finally {
    await removePage?.();
    await sandbox.close();
  }
}

/** Whoever reaches the sandbox beyond this machine does it by a name that has been allowed. */
function requireAllowedHost({ listen, allowHosts }: SandboxCommand): void {
  if (["127.0.0.1", "::1", "localhost"].includes(listen) || allowHosts.length > 0) return;
  throw new Failure(
    "CS_CLI_ALLOW_HOST_MISSING",
    `--listen ${listen} needs --allow-host with the name that callers use`,
  );
}

// RFC 6750, section 2.1, and long enough that nobody guesses it.
function requireTokenForm(token: string): void {
  if (/^[A-Za-z0-9._~+/-]{16,256}=*$/.test(token)) return;
  const message = "COUNTERSIGN_TOKEN must be 16 to 256 characters of [A-Za-z0-9._~+/-]";
  throw new Failure("CS_CLI_TOKEN_UNUSABLE", message);
}

function newToken(): string {
  return `cst_${randomBytes(32).toString("base64url")}`;
}

function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

function deliverToFailure(code: string): Failure {
  const message =
    code === "WEAK_SECRET"
      ? "COUNTERSIGN_SECRET is no secret that this profile's scheme can sign with"
      : `--deliver-to cannot be subscribed: ${code}`;
  return new Failure("CS_CLI_DELIVER_TO_REFUSED", message);
}

/** The newest SUCCEEDED payment of which a dollar can be refunded. */
async function refundablePayment(db: Queryable, merchant: Merchant): Promise<string | undefined> {
  const payments = await listPayments(db, { merchantId: merchant.id, limit: 1000 });
  return payments.find(
    (payment) =>
      payment.direction === "DEBIT" &&
      payment.status === "SUCCEEDED" &&
      !payment.covered &&
      payment.amountCents - payment.reservedCents >= 100n,
  )?.id;
}
