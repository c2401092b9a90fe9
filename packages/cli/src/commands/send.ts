import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import {
  type AttemptMaker,
  attemptMaker,
  brokenAttempts,
  type BrokenKind,
  type TestEvent,
} from "@countersign/contract-kit/attempts";
import type { EventsDocument } from "@countersign/contract-kit/documents";
import { sampleEvent } from "@countersign/sandbox/internal";
import { stepsOf } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { type ProviderDocument, standardWebhooks } from "@countersign/schemas/providers";
import { systemRandom } from "@countersign/service";
import { schemeOf } from "@countersign/signatures";
import { bodyOf, chosenDocument } from "../documents.ts";
import {
  choice,
  didYouMean,
  integer,
  openApiOptions,
  profileOption,
  providerOption,
} from "../options.ts";
import { signingSecret } from "../environment.ts";
import { badArgument } from "../failure.ts";
import { chosenProvider, loadProfile } from "../profile.ts";
import { badSecret, claimsFor, requireSignable } from "../provider.ts";
import { printable, printableJson } from "../printable.ts";
import { type Answer, poster } from "../attempts.ts";
import type { Surroundings } from "../terminal.ts";

interface SendOptions {
  readonly url: string;
  readonly data: string | undefined;
  readonly openapi: string | undefined;
  readonly eventType: string | undefined;
  readonly profile: string;
  readonly provider: string | undefined;
  readonly id: string | undefined;
  readonly times: number;
  readonly broken: BrokenKind | undefined;
  readonly json: boolean | undefined;
}

const help = `
Signs as the provider does, without any service. Attempts of --times carry one id and a time of their own each. Without --provider the
event is one of the payment interface (--profile).

--openapi takes the body from a document: the event's example, or one made from its schema. Without --provider the event is then signed
by Standard Webhooks.

Prints one line an attempt. Ends with 0 where every genuine attempt was answered 2xx, or every broken one
was not; with 1 otherwise.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_SECRET   signs the event; a terminal is asked for it

Examples:
  countersign send refund.authorized --url http://localhost:3000/webhooks
  countersign send payment.created --url http://localhost:3000/webhooks --id evt_1 --times 2
  countersign send refund.failed --url http://localhost:3000/webhooks --broken stale --json
  countersign send charge.refunded --provider stripe --url http://localhost:3000/webhooks --data refund.json
  countersign send issues.opened --provider github --openapi github.json --url http://localhost:3000/webhooks`;
/** `countersign send`. */
export function declareSend(command: Command, surroundings: Surroundings): void {
  command
    .argument("<event-type>", "event type, such as refund.authorized")
    .requiredOption("--url <url>", "address of the receiver")
    .option("--data <file>", "JSON file of the event's data (default: a sample)")
    .addOption(profileOption())
    .addOption(providerOption());
  for (const option of openApiOptions()) command.addOption(option);
  command
    .option("--id <id>", "event id (default: a new one)")
    .option("--times <number>", "number of attempts, one after another", integer(1, 1000), 1)
    .addOption(choice("--broken <kind>", "send it with one fault", Object.keys(brokenAttempts)))
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action(async (type: string, options: SendOptions) => {
      if (!(await send({ ...options, type }, surroundings))) surroundings.unmet();
    });
}

/** Milliseconds for one answer if the provider's document does not say. */
const DEADLINE_MS = 15_000;

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
  const profile = await loadProfile(command.profile);
  const chosen = await chosenProvider(command);
  const document = await chosenDocument(command);
  const provider = chosen ?? (document === undefined ? providerOf(profile) : plainSender(document));
  requireSignable(provider);
  const id = checkedId(command.id);
  const data = command.data === undefined ? undefined : await readData(command.data);
  const rows = document === undefined ? rowsFor(provider, command.type) : [{ type: command.type }];
  const body = document && bodyOf(document, { type: command.type, provider: chosen });
  const secret = await secretFor(provider, surroundings);
  const maker = attemptMaker({
    provider,
    url,
    secrets: [secret],
    prefix: `evt_${randomBytes(9).toString("base64url")}`,
    rows,
    claims: await claimsFor(provider, surroundings.env),
  });
  const event =
    provider.sending === undefined || document !== undefined
      ? maker.event({
          ...(id !== undefined && { id }),
          base: baseFrom(data, maker, command.data) ?? body,
          keepsResource: document !== undefined,
        })
      : referenceEvent({ profile: { ...profile, provider }, command, id, data, url });

  const { answer: { deadlineSeconds } = {}, sending } = provider;
  const documentedMs = deadlineSeconds === undefined ? DEADLINE_MS : deadlineSeconds * 1000;
  const post = poster({
    deadlineMs: sending?.timeoutMs ?? documentedMs,
    userAgent: `Countersign/${surroundings.version}`,
  });
  const attempts: Answer[] = [];
  try {
    for (let attempt = 1; attempt <= command.times; attempt += 1) {
      const made =
        broken === undefined ? maker.attempt(event) : brokenAttempts[broken].make(maker, event);
      if (made === undefined)
        throw badArgument(`provider ${provider.name} knows no --broken ${String(broken)}`);
      // oxlint-disable-next-line no-await-in-loop -- attempts of one delivery never overlap
      const answer = await post.post(url, made);
      attempts.push(answer);
      if (command.json !== true) terminal.out(lineOf(answer, { attempt, id: event.id }));
    }
  } finally {
    await post.close();
  }
  if (command.json === true)
    terminal.out(printableJson({ id: event.id, type: command.type, broken, attempts }));
  const isExpected = ({ status }: { readonly status: number }): boolean =>
    (status >= 200 && status < 300) === (broken === undefined);
  return attempts.every((answer) => "status" in answer && isExpected(answer));
}

/** Standard Webhooks, with the type where the document has it. */
function plainSender({ events }: EventsDocument): ProviderDocument {
  const { id, type } = standardWebhooks.event;
  const [{ typeAt = type } = {}] = events;
  return { ...standardWebhooks, event: { type: typeAt, ...(id !== undefined && { id }) } };
}

/** @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the catalogue does not have the type. */
function rowsFor(
  { catalogue = [], name }: ProviderDocument,
  type: string,
): NonNullable<ProviderDocument["catalogue"]> {
  const types = catalogue.map((row) => row.type);
  if (types.length > 0 && !types.includes(type))
    throw badArgument(
      `${name} has no event ${JSON.stringify(type)}${didYouMean(type, types) || `; it has ${types.slice(0, 20).join(", ")}`}`,
    );
  return [catalogue.find((row) => row.type === type) ?? { type }];
}

/** The body with the user's data at its place. */
function baseFrom(text: string | undefined, { events }: AttemptMaker, file = ""): unknown {
  if (text === undefined) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw badArgument(`${file} is not JSON`, cause);
  }
  if (typeof data !== "object" || data === null) throw badArgument(`${file} is not a JSON object`);
  return stepsOf(events.dataAt.replace(/^\w+:/, "")).reduceRight<unknown>(
    (inner, step) => ({ [step]: inner }),
    data,
  );
}

/** An event of the payment interface, with a sample of its resource. */
function referenceEvent({
  profile,
  command,
  id,
  data,
  url,
}: {
  readonly profile: Profile;
  readonly command: SendOptions & { readonly type: string };
  readonly id: string | undefined;
  readonly data: string | undefined;
  readonly url: URL;
}): TestEvent {
  const { type } = command;
  const event = sampleEvent({ profile, type, at: Date.now(), random: systemRandom, id, data });
  if (!event.ok) throw badArgument(`${String(command.data)} is not a JSON object`);
  return {
    id: event.id,
    type,
    resource: event.id,
    text: event.body,
    headers: [],
    path: `${url.pathname}${url.search}`,
    ids: [event.id],
    types: [type],
  };
}

async function secretFor(provider: ProviderDocument, surroundings: Surroundings): Promise<string> {
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

function lineOf(
  answer: Answer,
  { attempt, id }: { readonly attempt: number; readonly id: string },
): string {
  const result = "status" in answer ? String(answer.status) : answer.error;
  const body = "status" in answer && answer.body !== "" ? `  ${printable(answer.body)}` : "";
  return `${id}  attempt ${String(attempt)}  ${result}  ${String(answer.durationMs)} ms${body}`;
}
