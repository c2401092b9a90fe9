import { randomBytes } from "node:crypto";
import {
  attemptMaker,
  brokenAttempts,
  type BrokenKind,
  readEvent,
} from "@countersign/contract-kit/attempts";
import { type EventsDocument, withEvents } from "@countersign/contract-kit/documents";
import { stepsOf, withValueAt } from "@countersign/schemas";
import { type ProviderDocument, reference, standardWebhooks } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { excerptOf, type Sent, sentLines, shown, summaryOf } from "../attempt-lines.ts";
import { headersOf, poster } from "../attempts.ts";
import { define } from "../command.ts";
import { bodyOf, chosenDocument, requireEvent } from "../documents.ts";
import { signingSecret } from "../environment.ts";
import { badArgument, readJson } from "../failure.ts";
import * as option from "../options.ts";
import { checkSecret, claimsFor, loadProvider, requireSignable } from "../provider.ts";
import { isNumber, parseSetValue, readDigits, withValues } from "../set-values.ts";
import type { Surroundings } from "../terminal.ts";
import { targetUrl } from "../verify/arguments.ts";

const help = `
Examples:
  countersign send checkout.session.completed --provider stripe --url localhost:3000/webhooks
  countersign send charge.refunded --provider stripe --set data.object.amount=500 --url localhost:3000/webhooks
  countersign send issues.opened --provider github --data issue.json --url localhost:3000/webhooks
  countersign send refund.failed --broken stale --url localhost:3000/webhooks
  countersign send payment.created --times 1000 --concurrency 20 --url localhost:3000/webhooks

The body is, in this order: the file of --data (the event's data if the provider's document says where it is, else the
whole body), the example of the document of --openapi or one made from its schema, or what the provider's own document
knows. --set then changes members by their names.
Without --provider the event is one of the payment interface, or, with --openapi, signed by Standard Webhooks.

Exits with 0 if every genuine attempt is answered 2xx, or no broken one is; else with 1, and with 2 if nothing could be sent.

Environment (also as NAME_FILE, the path of a file with the value):
  COUNTERSIGN_SECRET   signs the event; prompted for at a terminal`;

const kinds = Object.keys(brokenAttempts) as readonly BrokenKind[];
const options = {
  url: option.required(option.text("<url>", "address of the receiver")),
  provider: option.provider,
  data: option.text("<file>", "JSON file of the event's data or body"),
  set: option.list("<name=value>", "change a member of the body; repeatable", parseSetValue),
  openapi: option.openapi,
  eventType: option.eventType,
  id: option.text("<id>", "send this event id each time (default: new ones)"),
  times: option.integer("<number>", "number of attempts", [1, 100_000], 1),
  concurrency: option.integer("<number>", "attempts in flight", [1, 500], 1),
  broken: option.choice("<kind>", "send it with one fault", kinds),
  json: option.json,
};
type Options = option.ValuesOf<typeof options>;

/** Milliseconds for one answer if the provider's document does not say. */
const DEADLINE_MS = 15_000;
/** Attempts of which each is printed; of more there is a summary. */
const MAX_LINES = 20;
/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 200;

export const definition = define({
  args: { "<event-type>": "event type, such as checkout.session.completed" },
  options,
  help,
  run: async (command, surroundings, { args: [type = ""] }) => {
    const { terminal, version } = surroundings;
    const { broken, times, json = false } = command;
    const url = targetUrl(command.url, "--url");
    const { provider, maker, order, values, fingerprint } = await prepare(
      type,
      command,
      url,
      surroundings,
    );
    const scheme = schemeOf(provider);
    const { answer: { deadlineSeconds } = {}, sending } = provider;
    const deadlineMs = sending?.timeoutMs ?? (deadlineSeconds ?? DEADLINE_MS / 1000) * 1000;
    const post = poster(deadlineMs);
    const isExpected = ({ answer: { status } }: Sent): boolean =>
      status !== null && (status >= 200 && status < 300) === (broken === undefined);
    const sendOne = async (): Promise<Sent> => {
      const made = maker.event(order);
      const event = { ...made, text: withValues(made.text, values, order.form) };
      const attempt =
        broken === undefined ? maker.attempt({ event }) : brokenAttempts[broken].make(maker, event);
      if (attempt === undefined)
        throw badArgument(
          `unsupported --broken ${String(broken)}: no ${type} of ${provider.title} has such a fault`,
        );
      const others = attempt.headers.filter(([name]) => name !== "User-Agent");
      const headers = [...others, ["User-Agent", `Countersign/${version}`] as const];
      const answer = await post.post(url, { ...attempt, headers });
      if (values.length === 0) return { id: event.id, answer: excerptOf(answer) };
      // They may have changed it.
      const request = { headers: headersOf(headers), body: attempt.body, url: url.href };
      const { id = event.id } = readEvent(provider, scheme, request);
      return { id, answer: excerptOf(answer) };
    };
    const sent: Sent[] = [];
    let [begun, wrong, shownAt] = [0, 0, 0];
    const sendNext = async (): Promise<void> => {
      while (begun < times) {
        begun += 1;
        // oxlint-disable-next-line no-await-in-loop -- each of the concurrent senders goes on when its attempt has ended
        const one = await sendOne();
        sent.push(one);
        const isGood = isExpected(one);
        if (!isGood) wrong += 1;
        if (!json && times <= MAX_LINES) {
          const [line = "", ...below] = sentLines(
            one,
            sent.length,
            broken,
            deadlineMs,
            fingerprint,
          );
          terminal.out(line, isGood ? "good" : "bad");
          for (const more of below) terminal.out(more);
        } else if (performance.now() - shownAt > PROGRESS_MS) {
          shownAt = performance.now();
          terminal.progress?.(`${sent.length} of ${times} sent, ${wrong} not as expected`);
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: command.concurrency }, sendNext));
    } finally {
      terminal.progress?.("");
      await post.close();
    }
    if (json) terminal.json({ type, broken, attempts: sent.map(shown) });
    else if (times > MAX_LINES) for (const line of summaryOf(sent)) terminal.out(line);
    return wrong === 0;
  },
});

/** Reads the options, and makes what makes the attempts. */
async function prepare(type: string, command: Options, url: URL, surroundings: Surroundings) {
  const { terminal, env } = surroundings;
  const { id, set = [] } = command;
  const chosen = command.provider === undefined ? undefined : await loadProvider(command.provider);
  const document = await chosenDocument(command);
  const provider = chosen ?? (document === undefined ? reference : plainSender(document, type));
  requireSignable(provider);
  if (id !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(id))
    throw badArgument("--id must be 1 to 64 characters of [A-Za-z0-9_-]");
  const described = document === undefined ? provider : withEvents(provider, document);
  requireEvent(described, type, command.openapi);
  const row = described.catalogue?.find((one) => one.type === type) ?? { type };
  const body = document && bodyOf(document, { type, provider: chosen });
  const data = command.data === undefined ? undefined : await readData(command.data);
  const secret = await signingSecret(surroundings);
  for (const warning of checkSecret(provider, secret, "sign")) terminal.err(`warning: ${warning}`);
  const maker = attemptMaker({
    provider,
    url,
    secrets: [secret],
    prefix: `evt_${randomBytes(9).toString("base64url")}`,
    rows: [row],
    claims: await claimsFor(provider, env),
  });
  const isDescribed = (body ?? data ?? row.sample ?? row.schema ?? row.kind) !== undefined;
  if (!isDescribed)
    terminal.err(
      `note: nothing describes ${type} of ${provider.title}, so its body has only the envelope; add --data FILE, --set NAME=VALUE or --openapi FILE`,
    );
  const form = maker.events.formOf(type);
  // A form's data are its fields, or the JSON in one of them.
  const dataAt = form.isForm ? [] : stepsOf(form.dataAt.replace(/^\w+:/, ""));
  const base = data === undefined ? body : withValueAt(undefined, dataAt, data);
  const keepsResource = data !== undefined || document !== undefined;
  return {
    provider,
    maker,
    order: {
      form,
      keepsResource,
      ...(id !== undefined && { id }),
      ...(base !== undefined && { base }),
    },
    // Changes of the body before it is signed.
    values: set,
    // A receiver's log names it too. A public key has another one than the private key.
    fingerprint: provider.signature.algorithm.startsWith("hmac")
      ? schemeOf(provider).check([secret], "sign")[0]?.fingerprint
      : undefined,
  };
}

/** Standard Webhooks, with the type where the document has it. A body without a type stays as it is described. */
function plainSender({ events }: EventsDocument, type: string): ProviderDocument {
  const { sample: _, event, ...others } = standardWebhooks;
  const found = events.find(({ name }) => name === type);
  const place = found === undefined ? event.type : (found.typeAt ?? [{ text: type }]);
  return { ...others, event: { type: place, ...(event.id !== undefined && { id: event.id }) } };
}

async function readData(file: string): Promise<object> {
  const unreadable = (): string => `the file of --data cannot be read: ${file}`;
  const data = await readJson(file, "CS_CLI_ARGUMENT_UNUSABLE", unreadable, readDigits);
  if (typeof data === "object" && data !== null && !isNumber(data)) return data;
  throw badArgument(`${file} is not a JSON object`);
}
