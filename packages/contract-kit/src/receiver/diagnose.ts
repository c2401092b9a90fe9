import { bodyVariants, explained, secretVariants } from "@countersign/signatures/explain";
import type { Attempt, AttemptOptions } from "../harness/attempt-maker.ts";
import { type Header, type Reply, without } from "../harness/message.ts";
import type { Sender } from "../harness/sender.ts";
import { isRecord, parseJson } from "../values.ts";

/** A genuine attempt with one change, and its meaning if it is accepted. */
interface Trial extends Attempt {
  /** After "With", or a whole sentence if it is the cause itself. */
  readonly change: string;
  readonly fix: string;
  readonly isCause?: true;
}

/**
 * Finds out why a receiver refuses genuine attempts, by changing one thing at a time.
 *
 * @returns A sentence with the cause and what to change; `undefined` if genuine attempts are accepted.
 */
export async function diagnose(sender: Sender): Promise<string | undefined> {
  const { rows } = sender.events;
  const sent = await sender.postAll(rows.map((row) => sender.attempt(sender.event({ row }))));
  const refused = sent.map(({ reply }) => reply).filter((reply) => !reply.isAcknowledged);
  const [first] = refused;
  // A receiver that accepts some types has the right clock, secret and path: each refused type is a separate finding.
  if (first === undefined || refused.length < sent.length) return undefined;
  const answers = [...new Set(refused.map(({ summary }) => summary))].join(", ");
  const all = sent.length === 1 ? "The attempt is" : `All ${sent.length} types are`;
  const isOurs = jsonMembers(first)["code"] === "CS_SIGNATURE_REFUSED";
  const cause =
    fromAnswer(first, sender) ??
    (await fromTrials(sender, first.status)) ??
    (isOurs ? `${NO_CAUSE} ${EXPLAIN}` : NO_CAUSE);
  const body = first.text.trim().replaceAll(/\s+/g, " ").slice(0, 160);
  const quoted = body === "" || /[<{]/.test(body[0] ?? "") ? "" : ` It answers: ${body}.`;
  return `${all} answered by ${answers}. ${cause}${quoted}`;
}

const NO_CAUSE =
  "No change of clock, secret, body, path, header or media type is accepted either: check that COUNTERSIGN_SECRET is the receiver's secret, and that the receiver is for this provider.";

const EXPLAIN =
  "This receiver is Countersign's: create it with `explain: true`, and its log names the cause.";

function fromAnswer(reply: Reply, { target }: Sender): string | undefined {
  const { status } = reply;
  const location = reply.header("location");
  if (status !== undefined && status >= 300 && status < 400 && location !== undefined) {
    const to = URL.parse(location, target.url)?.href ?? location;
    return `It redirects to ${to}, and senders follow no redirect: register that address.`;
  }
  const { fix, explanation } = jsonMembers(reply);
  if (Array.isArray(explanation) && explanation.every((one) => typeof one === "string"))
    return explanation.length === 0 ? undefined : `It explains: ${explanation.join(" ")}`;
  return typeof fix === "string" ? `Its fix: ${fix}.` : undefined;
}

/** The members of an answer in JSON: our own receiver's has `code` and sometimes `fix`, and may explain. */
function jsonMembers({ text }: Reply): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isRecord(value) ? value : {};
}

async function fromTrials(sender: Sender, status = 0): Promise<string | undefined> {
  const isAbsent = status === 404 || status === 405;
  const trials = isAbsent
    ? pathTrials(sender)
    : [
        ...secretTrials(sender),
        ...clockTrials(sender),
        ...bodyTrials(sender),
        ...formTrials(sender),
      ];
  const isAccepted = (replies: readonly Reply[]): boolean =>
    replies.some((reply) => reply.isAcknowledged);
  const sent = await sender.postAll(trials, { isOnce: true, isEnough: isAccepted });
  const accepted = sent.find(({ reply }) => reply.isAcknowledged);
  if (accepted?.isCause === true) return `${accepted.change}: ${accepted.fix}`;
  if (accepted !== undefined) return `With ${accepted.change} it is accepted: ${accepted.fix}`;
  const elsewhere = sent.find(({ reply }) => ![undefined, 404, 405].includes(reply.status));
  if (isAbsent && elsewhere !== undefined)
    return `With ${elsewhere.change} ${elsewhere.reply.summary} comes: is that the receiver?`;
  if (status === 403)
    return "It forbids all of them: is a CSRF protection in front of the route? Exempt the route from it.";
  if (status === 404) return "Nothing is there: check the path of the URL.";
  if (status === 405) return "The address takes no POST: check the path of the URL.";
  return undefined;
}

function trial(sender: Sender, change: string, fix: string, options?: AttemptOptions): Trial {
  return { ...sender.genuine(options), change, fix };
}

const HOURS = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 5.5, 6, -6, 7, -7, 8, -8, 9, 10, 11, 12, -12];

function clockTrials(sender: Sender): readonly Trial[] {
  const { signing, target, secrets } = sender;
  if (!signing.covers.timestamp) return [];
  const { aheadSeconds = 0 } = target.sockets;
  const skews = [
    ...(Math.abs(aheadSeconds) > 30 ? [aheadSeconds] : []),
    ...HOURS.map((hours) => hours * 3600),
  ];
  const whole = sender.genuine();
  const key = secrets[0] === undefined ? undefined : signing.keyOf(secrets[0]);
  // No scheme signs such a time, so it is signed here.
  const milliseconds =
    key && sender.signedBy(signing.withTime?.(whole, () => String(sender.now())) ?? whole, key);
  return [
    ...skews.map((seconds) => {
      const hours = Math.abs(seconds) === 3600 ? "an hour" : `${Math.abs(seconds) / 3600} hours`;
      const off = seconds % 1800 === 0 ? hours : `${Math.abs(seconds)} s`;
      const change = `the time moved by ${seconds > 0 ? "+" : ""}${seconds} s`;
      const fix = `the receiver's clock is ${off} ${seconds > 0 ? "ahead" : "behind"}; set it, and compare with UTC, not with local time.`;
      return trial(sender, change, fix, { timestamp: sender.seconds() + seconds });
    }),
    ...(milliseconds === undefined
      ? []
      : [
          {
            ...milliseconds,
            change: "the time in milliseconds",
            fix: "the timestamp is in seconds; multiply it by 1000 before you compare it with a clock in milliseconds.",
          },
        ]),
  ];
}

/** Keys that usual mistakes make of the secret; the receiver makes the mistake, so it is the one to name. */
function secretTrials(sender: Sender): readonly Trial[] {
  const { signing, secrets } = sender;
  const [secret, ...others] = secrets;
  if (typeof secret !== "string" || !signing.isShared) return [];
  return [
    ...others.map((other, index) => {
      const change = `secret ${index + 2} of COUNTERSIGN_SECRET`;
      const fix = "the receiver does not have the first secret.";
      return trial(sender, change, fix, { secrets: [other] });
    }),
    ...secretVariants(secret, "the secret").flatMap(({ value, mistake }): readonly Trial[] => {
      if (mistake === undefined) return [];
      const key = Buffer.from(typeof value === "string" ? value : value.raw);
      const signed = key.length === 0 ? undefined : sender.signedBy(sender.genuine(), key);
      const change = mistake.statement.replace(/^the sender(?:'s own)?/, (own) =>
        own.replace("the sender", "The receiver").replace(" own", ""),
      );
      const { fix } = explained(mistake.cause, "");
      return signed === undefined ? [] : [{ ...signed, change, fix, isCause: true }];
    }),
  ];
}

/** The most likely printings of a body. */
const MAX_BODIES = 60;

/** Signatures of what a receiver makes of the body that arrives, if it does not verify its bytes. */
function bodyTrials(sender: Sender): readonly Trial[] {
  if (!sender.signing.covers.body) return [];
  const event = sender.event();
  const body = Buffer.from(event.text);
  return bodyVariants(body)
    .slice(0, MAX_BODIES)
    .map(({ value, mistake }) => {
      const { fix } = explained(mistake?.cause ?? "body-reserialized", "");
      const change = "The receiver does not verify the bytes that arrive but a text made of them";
      return { ...sender.attempt(event, { body: value }), body, change, fix, isCause: true };
    });
}

const PATHS = ["/webhook", "/webhooks", "/hook", "/hooks", "/api/webhook", "/api/webhooks"];

function pathTrials(sender: Sender): readonly Trial[] {
  const { pathname } = sender.url;
  const slashed = pathname.endsWith("/") ? pathname.slice(0, -1) : `${pathname}/`;
  return [slashed, ...PATHS]
    .filter((path) => path !== pathname && path !== "")
    .map((path) => {
      const fix = "register the address with exactly this path.";
      return trial(sender, `the path ${path}`, fix, { path });
    });
}

type Headers = readonly Header[];

function formTrials(sender: Sender): readonly Trial[] {
  const { url, signing } = sender;
  const headed = (change: string, fix: string, to: (headers: Headers) => Headers): Trial => {
    const whole = trial(sender, change, fix);
    return { ...whole, headers: to(whole.headers) };
  };
  const given = (name: string, value: string, fix: string): Trial =>
    trial(sender, `${name}: ${value}`, fix, { headers: [[name, value]] });
  const { encoding } = signing;
  const other = encoding === "hex" ? "base64" : "hex";
  const written = { hex: "in hexadecimal", base64: "in base64", base64url: "in base64url" };
  return [
    ...["application/json; charset=utf-8", "text/plain", "application/octet-stream"].map((type) =>
      given("Content-Type", type, `accept ${sender.events.mediaType}.`),
    ),
    ...["localhost", `localhost:${url.port}`, url.hostname].map((host) =>
      given("Host", host, "allow the host name that the URL has."),
    ),
    given("Accept", "application/json", "accept attempts without an Accept header."),
    headed(
      "svix- in the names of its headers",
      "read the headers webhook-id, webhook-timestamp and webhook-signature.",
      (headers) => headers.map(([name, value]) => [name.replace(/^webhook-/i, "svix-"), value]),
    ),
    {
      ...signing.withSignature(
        trial(sender, `the signature ${written[other]}`, `the signature is ${written[encoding]}.`),
        (text) => Buffer.from(text, encoding).toString(other),
      ),
    },
    signing.withCarrier(
      trial(
        sender,
        "the signature without its version",
        "read the signature after its version's name.",
      ),
      (text) => text.replace(/^\w+[,=]/, ""),
    ),
    headed("no User-Agent", BLOCKED, (headers) => without(headers, ["user-agent"])),
    given("User-Agent", "Mozilla/5.0", BLOCKED),
  ];
}

const BLOCKED = "something in front of the receiver blocks the User-Agent of this kit.";
