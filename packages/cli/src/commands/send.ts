import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { sampleEvent } from "@countersign/sandbox/internal";
import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import { systemRandom } from "@countersign/service";
import { schemeOf } from "@countersign/signatures";
import { choice, didYouMean, integer, profileOption, providerOption } from "../options.ts";
import { signingSecret } from "../environment.ts";
import { badArgument, type Failure } from "../failure.ts";
import { loadChosen } from "../profile.ts";
import { badSecret } from "../provider.ts";
import { printable, printableJson } from "../printable.ts";
import {
  type Answer,
  type Breaking,
  type BrokenKind,
  brokenKinds,
  poster,
  signed,
} from "../attempts.ts";
import type { Surroundings } from "../terminal.ts";

interface SendOptions {
  readonly url: string;
  readonly data: string | undefined;
  readonly profile: string;
  readonly provider: string | undefined;
  readonly id: string | undefined;
  readonly times: number;
  readonly broken: BrokenKind | undefined;
  readonly json: boolean | undefined;
}

const help = `
Signs by the profile, without any service. Attempts of --times carry one id and a time of their own each.

Prints one line an attempt. Ends with 0 where every genuine attempt was answered 2xx, or every broken one
was not; with 1 otherwise.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_SECRET   signs the event; a terminal is asked for it

Examples:
  countersign send refund.authorized --url http://localhost:3000/webhooks
  countersign send payment.created --url http://localhost:3000/webhooks --id evt_1 --times 2
  countersign send refund.failed --url http://localhost:3000/webhooks --broken stale --json`;
/** `countersign send`. */
export function declareSend(command: Command, surroundings: Surroundings): void {
  command
    .argument("<event-type>", "event type of the profile, such as refund.authorized")
    .requiredOption("--url <url>", "address of the receiver")
    .option("--data <file>", "JSON file of the event's data (default: a sample)")
    .addOption(profileOption())
    .addOption(providerOption())
    .option("--id <id>", "event id (default: a new one)")
    .option("--times <number>", "number of attempts, one after another", integer(1, 1000), 1)
    .addOption(choice("--broken <kind>", "send it with one fault", Object.keys(brokenKinds)))
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async (type: string, options: SendOptions) => {
      if (!(await send({ ...options, type }, surroundings))) surroundings.unmet();
    });
}

/**
 * Signs an event and posts it `times` times, one attempt after another.
 *
 * @returns True if each genuine attempt was answered 2xx, or each broken one was not.
 */
async function send(
  command: SendOptions & { readonly type: string },
  surroundings: Surroundings,
): Promise<boolean> {
  const { terminal } = surroundings;
  const url = checkedUrl(command.url);
  const { broken } = command;
  const chosen = await loadChosen(command);
  const profile = resolveProfile(chosen);
  const event = sampleEvent({
    profile: chosen,
    type: command.type,
    at: Date.now(),
    random: systemRandom,
    id: checkedId(command.id),
    data: command.data === undefined ? undefined : await readData(command.data),
  });
  if (!event.ok) throw eventFailure(event.code, command, profile);
  const secret = await secretFor(profile, surroundings);

  const body = new TextEncoder().encode(event.body);
  const post = poster({
    deadlineMs: profile.sending.timeoutMs,
    userAgent: `Countersign/${surroundings.version}`,
  });
  const attempts: Answer[] = [];
  try {
    for (let attempt = 1; attempt <= command.times; attempt += 1) {
      const message = { id: event.id, timestamp: Math.floor(Date.now() / 1000), body };
      const sent = signedBy(profile, { message, secret }, broken);
      // oxlint-disable-next-line no-await-in-loop -- attempts of one delivery never overlap
      const answer = await post.post(url, sent);
      attempts.push(answer);
      if (command.json !== true) terminal.out(lineOf(answer, { attempt, id: event.id }));
    }
  } finally {
    await post.close();
  }
  if (command.json === true)
    terminal.out(printableJson({ id: event.id, type: command.type, broken, attempts }));
  const owed = ({ status }: { readonly status: number }): boolean =>
    (status >= 200 && status < 300) === (broken === undefined);
  return attempts.every((answer) => "status" in answer && owed(answer));
}

function signedBy(
  { provider }: ResolvedProfile,
  { message, secret }: Pick<Breaking, "message"> & { readonly secret: string },
  broken: BrokenKind | undefined,
): ReturnType<typeof signed> & object {
  const scheme = schemeOf(provider);
  const isStandard = provider.signature.key === "whsec";
  const stranger = isStandard
    ? `whsec_${randomBytes(32).toString("base64")}`
    : randomBytes(32).toString("hex");
  const { toleranceSeconds = 0 } = provider.timestamp ?? {};
  const sent = signed({ scheme, toleranceSeconds, message, secret, stranger }, broken);
  if (sent !== undefined) return sent;
  throw badArgument(`provider ${provider.name} knows no --broken ${String(broken)}`);
}

async function secretFor(
  { provider }: ResolvedProfile,
  surroundings: Surroundings,
): Promise<string> {
  const secret = await signingSecret(surroundings);
  const named = (text: string): string => text.replace("secrets[0]", "COUNTERSIGN_SECRET");
  try {
    for (const { warning } of schemeOf(provider).check([secret], "sign")) {
      if (warning !== undefined) surroundings.terminal.err(`warning: ${named(warning)}`);
    }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw badSecret(cause);
  }
  return secret;
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  if (
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    url.username === "" &&
    url.password === ""
  )
    return url;
  throw badArgument("--url must be an http or https URL without a password");
}

/** Characters of an id that every scheme can sign. */
function checkedId(id: string | undefined): string | undefined {
  if (id === undefined || /^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  throw badArgument("--id must be 1 to 64 characters of [A-Za-z0-9_-]");
}

async function readData(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw badArgument(`the file of --data cannot be read: ${file}`, cause);
  }
}

function eventFailure(
  code: "UNKNOWN_EVENT" | "DATA_UNUSABLE",
  { type, data }: SendOptions & { readonly type: string },
  profile: ResolvedProfile,
): Failure {
  const types = profile.catalogue.map((row) => row.type);
  const message =
    code === "UNKNOWN_EVENT"
      ? `profile ${profile.name} has no event ${JSON.stringify(type)}${didYouMean(type, types) || `; it has ${types.join(", ")}`}`
      : `${String(data)} is not a JSON object`;
  return badArgument(message);
}

function lineOf(
  answer: Answer,
  { attempt, id }: { readonly attempt: number; readonly id: string },
): string {
  const said = "status" in answer ? String(answer.status) : answer.error;
  const body = "status" in answer && answer.body !== "" ? `  ${printable(answer.body)}` : "";
  return `${id}  attempt ${String(attempt)}  ${said}  ${String(answer.durationMs)} ms${body}`;
}
