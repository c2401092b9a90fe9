import { isRecord, parseJson } from "../values.ts";
import { resigned } from "./forged-parts.ts";
import type { Attempt, AttemptOptions, Sender } from "../harness/attempt-sender.ts";
import { type Reply, type Header, without, withHeader, withSignature } from "../harness/message.ts";

/** A genuine attempt with one change, and its meaning if it is accepted. */
interface Trial extends Attempt {
  /** After "With". */
  readonly change: string;
  readonly fix: string;
}

/**
 * Finds out why a receiver refuses genuine attempts, by changing one thing at a time.
 *
 * @returns A sentence with the cause and what to change; `undefined` if genuine attempts are accepted.
 */
export async function diagnose(sender: Sender): Promise<string | undefined> {
  const { catalogue } = sender.target.profile;
  const sent = await sender.postAll(catalogue.map((row) => sender.attempt(sender.event({ row }))));
  const refused = sent.map(({ reply }) => reply).filter((reply) => !reply.isAcknowledged);
  const [first] = refused;
  // A receiver that accepts some types has the right clock, secret and path: each refused type is a separate finding.
  if (first === undefined || refused.length < sent.length) return undefined;
  const answers = [...new Set(refused.map(({ summary }) => summary))].join(", ");
  const all = sent.length === 1 ? "The attempt is" : `All ${sent.length} types are`;
  const isOurs = answerOf(first)["code"] === "CS_SIGNATURE_REFUSED";
  const cause =
    fromAnswer(first, sender) ??
    (await fromTrials(sender, first.status)) ??
    (isOurs ? `${NO_CAUSE} ${EXPLAIN}` : NO_CAUSE);
  const body = first.text.trim().replaceAll(/\s+/g, " ").slice(0, 160);
  const told = body === "" || /[<{]/.test(body[0] ?? "") ? "" : ` It answers: ${body}.`;
  return `${all} answered by ${answers}. ${cause}${told}`;
}

const NO_CAUSE =
  "No change of clock, secret, body, path, header or media type is taken either: check that COUNTERSIGN_SECRET is the receiver's secret, and the profile its signature scheme.";

const EXPLAIN =
  "This receiver is Countersign's: create it with `explain: true`, and its log names the cause.";

function fromAnswer(reply: Reply, { target }: Sender): string | undefined {
  const { status } = reply;
  const location = reply.header("location");
  if (status !== undefined && status >= 300 && status < 400 && location !== undefined) {
    const to = URL.parse(location, target.url)?.href ?? location;
    return `It redirects to ${to}, and senders follow no redirect: register that address.`;
  }
  const { fix, explanation } = answerOf(reply);
  if (Array.isArray(explanation) && explanation.every((one) => typeof one === "string"))
    return explanation.length === 0 ? undefined : `It explains: ${explanation.join(" ")}`;
  return typeof fix === "string" ? `Its fix: ${fix}.` : undefined;
}

/** The members of an answer in JSON: our own receiver's has `code` and sometimes `fix`, and may explain. */
function answerOf({ text }: Reply): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isRecord(value) ? value : {};
}

async function fromTrials(sender: Sender, status = 0): Promise<string | undefined> {
  const isAbsent = status === 404 || status === 405;
  const trials = isAbsent
    ? pathTrials(sender)
    : [...clockTrials(sender), ...secretTrials(sender), ...formTrials(sender)];
  const sent = await sender.postAll(trials, { isOnce: true });
  const taken = sent.find(({ reply }) => reply.isAcknowledged);
  if (taken !== undefined) return `With ${taken.change} it is taken: ${taken.fix}`;
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
  if (!sender.signing.covers.timestamp) return [];
  const { aheadSeconds = 0 } = sender.target.sockets;
  const skews = [
    ...(Math.abs(aheadSeconds) > 30 ? [aheadSeconds] : []),
    ...HOURS.map((hours) => hours * 3600),
  ];
  return [
    ...skews.map((seconds) => {
      const hours = Math.abs(seconds) === 3600 ? "an hour" : `${Math.abs(seconds) / 3600} hours`;
      const off = seconds % 1800 === 0 ? hours : `${Math.abs(seconds)} s`;
      const change = `the time moved by ${seconds > 0 ? "+" : ""}${seconds} s`;
      const fix = `the receiver's clock is ${off} ${seconds > 0 ? "ahead" : "behind"}; set it, and compare with UTC, not with local time.`;
      return trial(sender, change, fix, { timestamp: sender.seconds() + seconds });
    }),
    ...inMilliseconds(sender),
  ];
}

/** No scheme signs such a time, so it is signed here. */
function inMilliseconds(sender: Sender): readonly Trial[] {
  const { signing, target } = sender;
  const [secret] = target.secrets;
  const key = secret === undefined ? undefined : signing.keyOf(secret);
  const { withTime } = signing;
  if (key === undefined || withTime === undefined) return [];
  const fix =
    "the timestamp is in seconds; multiply it by 1000 before you compare it with a clock in milliseconds.";
  const whole = trial(sender, "the time in milliseconds", fix);
  const time = String(target.sockets.clock.now());
  const text = signing.textOf({ id: whole.event.id, timestamp: time, body: whole.body });
  const mac = signing.mac(text, key).toString(signing.encoding);
  return [{ ...whole, headers: withTime(resigned(sender, whole, mac), () => time) }];
}

const DECODED = "the key is the base64 after whsec_, decoded.";

/** Keys that receivers make of a secret's text by mistake. */
const KEYS: readonly (readonly [
  change: string,
  keyOf: (secret: string, bare: string) => string | Uint8Array,
  fix: string,
])[] = [
  [
    "the secret's whole text as the key",
    (secret) => secret,
    `the receiver uses the text of the secret; ${DECODED}`,
  ],
  [
    "the text after whsec_ as the key",
    (_secret, bare) => bare,
    `the receiver does not decode the secret; ${DECODED}`,
  ],
  [
    "the whole text decoded from base64 as the key",
    (secret) => Buffer.from(secret, "base64"),
    "the receiver decodes the secret with its prefix; remove whsec_ first.",
  ],
  [
    "the secret's base64 decoded",
    (_secret, bare) => Buffer.from(bare, "base64"),
    "the receiver decodes the secret as base64; this profile uses its text.",
  ],
  [
    "the secret decoded from hexadecimal",
    (_secret, bare) => Buffer.from(bare, "hex"),
    "the receiver decodes the secret as hexadecimal.",
  ],
  [
    "a line break after the secret",
    (secret) => `${secret}\n`,
    "the receiver's secret ends with a line break, perhaps from a file; trim it.",
  ],
];

function secretTrials(sender: Sender): readonly Trial[] {
  const { signing, target } = sender;
  const [secret, ...others] = target.secrets;
  if (typeof secret !== "string") return [];
  const bare = secret.replace(/^(?:whsec_|raw:)/, "");
  return [
    ...others.map((other, index) => {
      const change = `secret ${index + 2} of COUNTERSIGN_SECRET`;
      return trial(sender, change, "the receiver does not have the first secret.", {
        secrets: [other],
      });
    }),
    ...KEYS.flatMap(([change, keyOf, fix]) => {
      const key = keyOf(secret, bare);
      if (key.length === 0) return [];
      const timestamp = sender.seconds();
      const whole = trial(sender, change, fix, { timestamp });
      const text = signing.textOf({ id: whole.event.id, timestamp, body: whole.body });
      const mac = signing.mac(text, key).toString(signing.encoding);
      return { ...whole, headers: resigned(sender, whole, mac) };
    }),
  ];
}

const PATHS = ["/webhook", "/webhooks", "/hook", "/hooks", "/api/webhook", "/api/webhooks"];

function pathTrials(sender: Sender): readonly Trial[] {
  const { pathname } = sender.target.sockets.url;
  const slashed = pathname.endsWith("/") ? pathname.slice(0, -1) : `${pathname}/`;
  return [slashed, ...PATHS]
    .filter((path) => path !== pathname && path !== "")
    .map((path) => {
      const fix = "register the address with exactly this path.";
      return { ...trial(sender, `the path ${path}`, fix), path };
    });
}

type Headers = readonly Header[];

function formTrials(sender: Sender): readonly Trial[] {
  const { url } = sender.target.sockets;
  const { signature } = sender.signing.names;
  const printed = (change: string, print: (event: object) => string): Trial => {
    const event = sender.event();
    const body = print(JSON.parse(event.text) as object);
    return { ...sender.attempt(event, { body }), change, fix: AGAIN };
  };
  const headed = (change: string, fix: string, to: (headers: Headers) => Headers): Trial => {
    const whole = trial(sender, change, fix);
    return { ...whole, headers: to(whole.headers) };
  };
  const signed = (change: string, fix: string, to: (value: string) => string): Trial =>
    headed(change, fix, (headers) => withHeader(headers, signature, to));
  const given = (name: string, value: string, fix: string): Trial =>
    trial(sender, `${name}: ${value}`, fix, { headers: [[name, value]] });
  return [
    printed("a space after each comma and colon of the body", spaced),
    printed("the body indented", (event) => JSON.stringify(event, null, 2)),
    printed("the body's members sorted", sorted),
    printed("slashes of the body escaped", (event) =>
      JSON.stringify(event).replaceAll("/", String.raw`\/`),
    ),
    ...["application/json; charset=utf-8", "text/plain", "application/octet-stream"].map((type) =>
      given("Content-Type", type, "accept application/json."),
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
    signed("the signature in hexadecimal", "the signature is base64.", (value) =>
      withSignature(value, (mac) => Buffer.from(mac, "base64").toString("hex")),
    ),
    signed(
      "the signature without its version",
      "read the signature after the comma of v1,…",
      (value) => value.replace(/^\w+,/, ""),
    ),
    headed("no User-Agent", BLOCKED, (headers) => without(headers, ["user-agent"])),
    given("User-Agent", "Mozilla/5.0", BLOCKED),
  ];
}

const AGAIN =
  "the receiver verifies what its JSON library prints again; verify the bytes that arrived, before any parser.";
const BLOCKED = "something in front of the receiver blocks the User-Agent of this kit.";

/** Prints JSON as Python's `json.dumps` does. */
function spaced(event: object): string {
  return JSON.stringify(event, null, 1)
    .replaceAll(/\n\s*/g, " ")
    .replaceAll(/([[{]) /g, "$1")
    .replaceAll(/ ([\]}])/g, "$1");
}

function sorted(event: object): string {
  return JSON.stringify(event, (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value,
  );
}
