import { writeFile } from "node:fs/promises";
import {
  httpSend,
  jsonReport,
  junitReport,
  markdownReport,
  PactMissingError,
  readPacts,
  receiverProvider,
  reportOfPacts,
  serviceProvider,
  standardPacts,
  verifyPacts,
  type Pact,
  type PactBroker,
  type PactInteraction,
  type PactProvider,
  type ReportDocument,
  type ReportEntry,
} from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas/profiles";
import type { ReportFormat, WantedReport } from "../declare/verify.ts";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import { loadProfile } from "../load-profile.ts";
import { printable } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";

/** As the command line names them. */
export interface PactsOptions {
  readonly providerUrl: string;
  readonly provider: string;
  readonly pacts?: readonly string[];
  readonly brokerUrl?: string;
  readonly providerVersion?: string;
  readonly providerBranch?: string;
  readonly publish?: boolean;
  readonly sandboxUrl?: string;
  readonly listen: string;
  readonly profile: string;
  readonly report?: readonly WantedReport[];
  readonly only?: readonly string[];
  readonly skip?: Readonly<Record<string, string>>;
  readonly strict?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
}

/**
 * `countersign verify pacts`: a line for each interaction, and reports.
 *
 * @returns Whether all MUSTs hold.
 * @throws {Failure} Nothing could be verified; reports are written all the same.
 */
export async function runVerifyPacts(
  options: PactsOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  const { terminal } = surroundings;
  const broker = await brokerOf(options, surroundings);
  const paths = broker === undefined ? (options.pacts ?? [standardPacts()]) : [];
  const pacts = read(paths).filter(({ provider }) => provider === options.provider);
  if (options.list === true) {
    for (const pact of pacts)
      for (const one of pact.interactions) terminal.out(printable(listed(pact, one)));
    return true;
  }
  const { only, skip = {} } = options;
  const wanted = ({ requirement = "" }: PactInteraction): boolean =>
    (only === undefined || only.includes(requirement)) && !Object.hasOwn(skip, requirement);
  const isPart = only !== undefined || options.skip !== undefined || options.pacts !== undefined;

  const provider = await openProvider(options, surroundings);
  try {
    const result = await verifyPacts({
      provider,
      ...(broker === undefined ? { pacts: paths } : { broker }),
      ...((only ?? options.skip) !== undefined && { wanted }),
      mayLeaveStates: isPart,
    });
    const skipped = pacts.flatMap(({ consumer, provider: named, interactions }) =>
      interactions.flatMap((one) => {
        const reason = skip[one.requirement ?? ""];
        return reason === undefined ? [] : [{ row: { ...one, consumer, provider: named }, reason }];
      }),
    );
    const report = reportOfPacts(result, { strict: options.strict ?? false, skipped });
    await tell(report, options, surroundings);
    if (report.exitCode === 2) throw new Failure("CS_CLI_UNVERIFIED", report.problems.join("; "));
    return report.exitCode === 0;
  } catch (cause) {
    if (!(cause instanceof PactMissingError)) throw cause;
    throw new Failure("CS_CLI_PACT_MISSING", cause.message, { cause });
  } finally {
    provider.close();
  }
}

async function tell(
  report: ReportDocument,
  { json, report: wanted = [] }: PactsOptions,
  { terminal }: Surroundings,
): Promise<void> {
  if (json === true) terminal.out(JSON.stringify(report));
  else {
    for (const entry of report.entries) for (const line of linesOf(entry)) terminal.out(line);
    const failed = report.entries.filter(({ status }) => status === "fail").length;
    terminal.err(`${report.entries.length} interactions, ${failed} failed`);
  }
  for (const { format, file } of wanted) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one or two files
      await writeFile(file, formats[format](report));
    } catch (cause) {
      throw unusable(`the report cannot be written: ${file}`, cause);
    }
  }
}

const formats: Readonly<Record<ReportFormat, (report: ReportDocument) => string>> = {
  junit: junitReport,
  json: jsonReport,
  markdown: markdownReport,
};

function linesOf({ status, requirement = "-", name, message }: ReportEntry): readonly string[] {
  const told = message === "" ? [] : message.split("\n").map((one) => `       ${one}`);
  return [`${status.padEnd(5)}  ${requirement.padEnd(26)}  ${name}`, ...told].map(printable);
}

function listed(pact: Pact, { requirement = "-", level, description }: PactInteraction): string {
  return `${requirement.padEnd(26)}  ${level.padEnd(6)}  ${pact.consumer}  ${description}`;
}

function read(paths: readonly string[]): readonly Pact[] {
  try {
    return readPacts(paths);
  } catch (cause) {
    throw unusable(`a pact cannot be read: ${cause instanceof Error ? cause.message : ""}`, cause);
  }
}

async function brokerOf(
  { brokerUrl: url, providerVersion, providerBranch, publish = false, pacts }: PactsOptions,
  { env }: Surroundings,
): Promise<PactBroker | undefined> {
  if (url === undefined) {
    if (publish) throw unusable("--publish needs --broker-url");
    return undefined;
  }
  if (pacts !== undefined) throw unusable("pacts come from --pacts or from --broker-url, not both");
  if (publish && providerVersion === undefined)
    throw unusable("--publish needs --provider-version");
  const token = await secretFrom(env, "COUNTERSIGN_BROKER_TOKEN");
  const username = await secretFrom(env, "COUNTERSIGN_BROKER_USERNAME");
  const password = await secretFrom(env, "COUNTERSIGN_BROKER_PASSWORD");
  return { url, token, username, password, providerVersion, providerBranch, publish };
}

type Opened = PactProvider & { readonly close: () => void };

async function openProvider(options: PactsOptions, surroundings: Surroundings): Promise<Opened> {
  const profile = await loadProfile(options.profile);
  const url = urlOf(options.providerUrl, "--provider-url");
  switch (options.provider) {
    case "countersign-service":
      return openService({ ...options, url, profile }, surroundings);
    case "merchant-receiver":
      return openReceiver({ url, profile }, surroundings);
    default:
      throw unusable(`no provider is called ${JSON.stringify(options.provider)}`);
  }
}

async function openService(
  {
    url,
    profile,
    sandboxUrl,
    listen,
  }: Pick<PactsOptions, "sandboxUrl" | "listen"> & { url: URL; profile: Profile },
  { env }: Surroundings,
): Promise<Opened> {
  const token = await secretFrom(env, "COUNTERSIGN_TOKEN");
  if (token === undefined) throw missing("COUNTERSIGN_TOKEN");
  const { send, close } = httpSend(url.href);
  const controls =
    sandboxUrl === undefined ? undefined : httpSend(urlOf(sandboxUrl, "--sandbox-url").href);
  const moved = controls === undefined ? {} : { controls: controls.send };
  const provider = await serviceProvider({ send, token, profile, listen, ...moved });
  const closeAll = (): void => {
    provider.close();
    controls?.close();
    close();
  };
  return { ...provider, close: closeAll };
}

async function openReceiver(
  { url, profile }: { readonly url: URL; readonly profile: Profile },
  { env }: Surroundings,
): Promise<Opened> {
  const text = await secretFrom(env, "COUNTERSIGN_SECRET");
  if (text === undefined) throw missing("COUNTERSIGN_SECRET");
  const isRaw =
    profile.signature.scheme === "standard-webhooks" && !/^(whsec_|whsk_|raw:)/.test(text);
  const { send, close } = httpSend(url.origin);
  const secret = isRaw ? { raw: text } : text;
  return { ...receiverProvider({ send, path: url.pathname + url.search, secret, profile }), close };
}

function urlOf(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw unusable(`${option} must be an http or https address`);
}

function missing(name: string): Failure {
  return new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", `${name} is not set`);
}

function unusable(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message, { cause });
}
