import { isRecord, parseJson } from "../values.ts";
import type { Attempt, Bench } from "./bench.ts";
import { type Reply, type Header, without, withHeader, withSignature } from "./message.ts";

/** One change to a genuine attempt, and its meaning if the changed attempt is accepted. */
interface Trial {
  /** After "With". */
  readonly change: string;
  readonly fix: string;
  readonly attempt: Attempt;
}

/**
 * Finds out why a receiver refuses genuine attempts, by changing one thing at a time.
 *
 * @returns A sentence with the cause and what to change; `undefined` if genuine attempts are accepted.
 */
export async function diagnose(bench: Bench): Promise<string | undefined> {
  const { catalogue } = bench.target.profile;
  const replies = await bench.postAll(catalogue.map((row) => bench.attempt(bench.event({ row }))));
  const refused = replies.filter((reply) => !reply.isAcknowledged);
  const [first] = refused;
  // A receiver that accepts some types has the right clock, secret and path: each refused type is a separate finding.
  if (first === undefined || refused.length < replies.length) return undefined;
  const answers = [...new Set(refused.map(({ said }) => said))].join(", ");
  const all = replies.length === 1 ? "The attempt is" : `All ${replies.length} types are`;
  const cause = fromAnswer(first, bench) ?? (await fromTrials(bench, first.status));
  const isOurs = answerOf(first)["code"] === "CS_SIGNATURE_REFUSED";
  const body = first.text.trim().replaceAll(/\s+/g, " ").slice(0, 160);
  const told = body === "" || /[<{]/.test(body[0] ?? "") ? "" : ` It answers: ${body}.`;
  return `${all} answered by ${answers}. ${cause ?? (isOurs ? `${NO_CAUSE} ${EXPLAIN}` : NO_CAUSE)}${told}`;
}

const NO_CAUSE =
  "No change of clock, secret, body, path, header or media type is taken either: check that COUNTERSIGN_SECRET is the receiver's secret, and the profile its signature scheme.";

const EXPLAIN =
  "This receiver is Countersign's: create it with `explain: true`, and its log names the cause.";

function fromAnswer(reply: Reply, { target }: Bench): string | undefined {
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

async function fromTrials(bench: Bench, status = 0): Promise<string | undefined> {
  const trials =
    status === 404 || status === 405
      ? pathTrials(bench)
      : [...clockTrials(bench), ...secretTrials(bench), ...formTrials(bench)];
  const replies = await bench.postAll(
    trials.map(({ attempt }) => attempt),
    { isOnce: true },
  );
  const taken = trials.find((_, index) => replies[index]?.isAcknowledged === true);
  if (taken !== undefined) return `With ${taken.change} it is taken: ${taken.fix}`;
  const elsewhere = trials.findIndex(
    (_, index) => ![undefined, 404, 405].includes(replies[index]?.status),
  );
  if ((status === 404 || status === 405) && elsewhere !== -1)
    return `With ${trials[elsewhere]?.change ?? ""} ${replies[elsewhere]?.said ?? ""} comes: is that the receiver?`;
  if (status === 403)
    return "It forbids all of them: is a CSRF protection in front of the route? Exempt the route from it.";
  if (status === 404) return "Nothing is there: check the path of the URL.";
  if (status === 405) return "The address takes no POST: check the path of the URL.";
  return undefined;
}

const HOURS = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 5.5, 6, -6, 7, -7, 8, -8, 9, 10, 11, 12, -12];

function clockTrials(bench: Bench): readonly Trial[] {
  if (!bench.signing.covers.timestamp) return [];
  const at = (timestamp: number): Attempt => bench.attempt(bench.event(), { timestamp });
  const ahead = bench.target.wire.aheadSeconds() ?? 0;
  const skews = [...(Math.abs(ahead) > 30 ? [ahead] : []), ...HOURS.map((hours) => hours * 3600)];
  const moved = skews.map((seconds): Trial => {
    const said = Math.abs(seconds) === 3600 ? "an hour" : `${Math.abs(seconds) / 3600} hours`;
    const off = seconds % 1800 === 0 ? said : `${Math.abs(seconds)} s`;
    return {
      change: `the time moved by ${seconds > 0 ? "+" : ""}${seconds} s`,
      fix: `the receiver's clock is ${off} ${seconds > 0 ? "ahead" : "behind"}; set it, and compare with UTC, not with local time.`,
      attempt: at(bench.seconds() + seconds),
    };
  });
  return [
    ...moved,
    {
      change: "the time in milliseconds",
      fix: "the timestamp is in seconds; multiply it by 1000 before you compare it with a clock in milliseconds.",
      attempt: at(Math.min(999_999_999_999, bench.target.wire.clock.now())),
    },
  ];
}

function secretTrials(bench: Bench): readonly Trial[] {
  const [secret, ...others] = bench.target.secrets;
  if (typeof secret !== "string") return [];
  const bare = secret.replace(/^(?:whsec_|raw:)/, "");
  const decoded = "the key is the base64 after whsec_, decoded.";
  const by = (change: string, key: string | Uint8Array, fix: string): readonly Trial[] =>
    key.length === 0 ? [] : [{ change, fix, attempt: signedBy(bench, key) }];
  return [
    ...others.map((other, index) => ({
      change: `secret ${index + 2} of COUNTERSIGN_SECRET`,
      fix: "the receiver does not have the first secret.",
      attempt: bench.attempt(bench.event(), { secrets: [other] }),
    })),
    ...by(
      "the secret's whole text as the key",
      secret,
      `the receiver uses the text of the secret; ${decoded}`,
    ),
    ...by(
      "the text after whsec_ as the key",
      bare,
      `the receiver does not decode the secret; ${decoded}`,
    ),
    ...by(
      "the whole text decoded from base64 as the key",
      Buffer.from(secret, "base64"),
      "the receiver decodes the secret with its prefix; remove whsec_ first.",
    ),
    ...by(
      "the secret's base64 decoded",
      Buffer.from(bare, "base64"),
      "the receiver decodes the secret as base64; this profile uses its text.",
    ),
    ...by(
      "the secret decoded from hexadecimal",
      Buffer.from(bare, "hex"),
      "the receiver decodes the secret as hexadecimal.",
    ),
    ...by(
      "a line break after the secret",
      `${secret}\n`,
      "the receiver's secret ends with a line break, perhaps from a file; trim it.",
    ),
  ];
}

/** Signed with key bytes that the scheme may not allow. */
function signedBy(bench: Bench, key: string | Uint8Array): Attempt {
  const { signing } = bench;
  const { id, body, ...event } = bench.event();
  const timestamp = bench.seconds();
  const mac = signing.mac({ id, timestamp, body }, { key: Buffer.from(key) });
  const one = bench.attempt({ id, body, ...event }, { timestamp });
  const headers = withHeader(one.headers, signing.names.signature, (value) =>
    withSignature(value.replace(/^v1a,/, "v1,"), () => mac),
  );
  return { ...one, headers };
}

const PATHS = ["/webhook", "/webhooks", "/hook", "/hooks", "/api/webhook", "/api/webhooks"];

function pathTrials(bench: Bench): readonly Trial[] {
  const { pathname } = bench.target.wire.url;
  const slashed = pathname.endsWith("/") ? pathname.slice(0, -1) : `${pathname}/`;
  return [slashed, ...PATHS]
    .filter((path) => path !== pathname && path !== "")
    .map((path) => ({
      change: `the path ${path}`,
      fix: "register the address with exactly this path.",
      attempt: { ...bench.attempt(bench.event()), path },
    }));
}

type Headers = readonly Header[];

function formTrials(bench: Bench): readonly Trial[] {
  const { signing, target } = bench;
  const { url } = target.wire;
  const printed = (change: string, print: (event: object) => string): Trial => {
    const event = bench.event();
    const body = Buffer.from(print(JSON.parse(event.body.toString()) as object));
    return { change, fix: AGAIN, attempt: bench.attempt({ ...event, body }) };
  };
  const headed = (change: string, to: (headers: Headers) => Headers, fix: string): Trial => {
    const attempt = bench.attempt(bench.event());
    return { change, fix, attempt: { ...attempt, headers: to(attempt.headers) } };
  };
  const valued = (change: string, [name, to]: Valued, fix: string): Trial =>
    headed(change, (headers) => withHeader(headers, name, to), fix);
  const { signature } = signing.names;
  const inHex = (one: string): string => Buffer.from(one, "base64").toString("hex");
  const svix = ([name, value]: Header): Header => [name.replace(/^webhook-/i, "svix-"), value];
  return [
    printed("a space after each comma and colon of the body", spaced),
    printed("the body indented", (event) => JSON.stringify(event, null, 2)),
    printed("the body's members sorted", sorted),
    printed("slashes of the body escaped", (event) =>
      JSON.stringify(event).replaceAll("/", String.raw`\/`),
    ),
    ...["application/json; charset=utf-8", "text/plain", "application/octet-stream"].map((type) =>
      valued(`Content-Type: ${type}`, ["content-type", () => type], "accept application/json."),
    ),
    ...["localhost", `localhost:${url.port}`, url.hostname].map((host) =>
      headed(
        `Host: ${host}`,
        (headers) => [...headers, ["Host", host]],
        "allow the host name that the URL has.",
      ),
    ),
    headed(
      "Accept: application/json",
      (headers) => [...headers, ["Accept", "application/json"]],
      "accept attempts without an Accept header.",
    ),
    headed(
      "svix- in the names of its headers",
      (headers) => headers.map(svix),
      "read the headers webhook-id, webhook-timestamp and webhook-signature.",
    ),
    valued(
      "the signature in hexadecimal",
      [signature, (value) => withSignature(value, inHex)],
      "the signature is base64.",
    ),
    valued(
      "the signature without its version",
      [signature, (value) => value.replace(/^\w+,/, "")],
      "read the signature after the comma of v1,…",
    ),
    headed("no User-Agent", (headers) => without(headers, ["user-agent"]), BLOCKED),
    valued("a browser's User-Agent", ["user-agent", () => "Mozilla/5.0"], BLOCKED),
  ];
}

type Valued = readonly [name: string, to: (value: string) => string];

const AGAIN =
  "the receiver verifies what its JSON library prints again; verify the bytes that arrived, before any parser.";
const BLOCKED = "something in front of the receiver blocks the User-Agent of this kit.";

/** As Python's `json.dumps` prints it. */
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
