import type { Secret } from "@countersign/signatures";
import { isRecord } from "../derive/faults.ts";
import type { Attempt, Bench, BenchEvent } from "./bench.ts";
import type { Reply } from "./reply.ts";
import { type Header, without, withHeader, withSignature } from "./request.ts";

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
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
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
  const ahead = bench.target.wire.aheadSeconds() ?? 0;
  const skews = [...(Math.abs(ahead) > 30 ? [ahead] : []), ...HOURS.map((hours) => hours * 3600)];
  const moved = skews.map((seconds): Trial => {
    const said = Math.abs(seconds) === 3600 ? "an hour" : `${Math.abs(seconds) / 3600} hours`;
    const off = seconds % 1800 === 0 ? said : `${Math.abs(seconds)} s`;
    return {
      change: `the time moved by ${seconds > 0 ? "+" : ""}${seconds} s`,
      fix: `the receiver's clock is ${off} ${seconds > 0 ? "ahead" : "behind"}; set it, and compare with UTC, not with local time.`,
      attempt: bench.attempt(bench.event(), { timestamp: bench.seconds() + seconds }),
    };
  });
  const inMs = bench.attempt(bench.event(), {
    timestamp: Math.min(999_999_999_999, bench.target.wire.clock.now()),
  });
  return [
    ...moved,
    {
      change: "the time in milliseconds",
      fix: "the timestamp is in seconds; multiply it by 1000 before you compare it with a clock in milliseconds.",
      attempt: inMs,
    },
  ];
}

/** Other readings of the secret's text. */
function secretTrials(bench: Bench): readonly Trial[] {
  const [secret, ...others] = bench.target.secrets;
  if (typeof secret !== "string") return [];
  const bare = secret.replace(/^(?:whsec_|raw:)/, "");
  const forms: readonly (readonly [change: string, key: Secret, fix: string])[] = [
    [
      "the secret's whole text as the key",
      { raw: secret },
      "the receiver uses the text of the secret; the key is the base64 after whsec_, decoded.",
    ],
    [
      "the text after whsec_ as the key",
      { raw: bare },
      "the receiver does not decode the secret; the key is the base64 after whsec_, decoded.",
    ],
    [
      "the whole text decoded from base64 as the key",
      { raw: Buffer.from(secret, "base64") },
      "the receiver decodes the secret with its prefix; remove whsec_ first.",
    ],
    [
      "the secret's base64 decoded",
      { raw: Buffer.from(bare, "base64") },
      "the receiver decodes the secret as base64; this profile uses its text.",
    ],
    [
      "the secret decoded from hexadecimal",
      { raw: Buffer.from(bare, "hex") },
      "the receiver decodes the secret as hexadecimal.",
    ],
    [
      "a line break after the secret",
      { raw: `${secret}\n` },
      "the receiver's secret ends with a line break, perhaps from a file; trim it.",
    ],
  ];
  const asKeys = forms.flatMap(([change, key, fix]): Trial[] => {
    const attempt = signedBy(bench, key);
    return attempt === undefined ? [] : [{ change, fix, attempt }];
  });
  return [
    ...others.map((other, index) => ({
      change: `secret ${index + 2} of COUNTERSIGN_SECRET`,
      fix: "the receiver does not have the first secret.",
      attempt: bench.attempt(bench.event(), { secrets: [other] }),
    })),
    ...asKeys,
  ];
}

/** Signed with key bytes that the scheme may not allow, or `undefined`. */
function signedBy({ attempt, event, signing, ...bench }: Bench, key: Secret): Attempt | undefined {
  const own = event();
  const bytes = typeof key === "object" && "raw" in key ? Buffer.from(key.raw) : Buffer.alloc(0);
  if (bytes.length === 0) return undefined;
  const timestamp = bench.seconds();
  const mac = signing.mac({ id: own.id, timestamp, body: own.body }, { key: bytes });
  const one = attempt(own, { timestamp });
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

/** Other forms of the body and the headers. */
function formTrials(bench: Bench): readonly Trial[] {
  const { signing, target } = bench;
  const { url } = target.wire;
  const { names } = signing;
  const printed = (change: (event: object) => string): Attempt => {
    const event: BenchEvent = bench.event();
    const body = Buffer.from(change(JSON.parse(event.body.toString()) as object));
    return bench.attempt({ ...event, body });
  };
  const again =
    "the receiver verifies what its JSON library prints again; verify the bytes that arrived, before any parser.";
  const changed = (change: (headers: readonly Header[]) => readonly Header[]): Attempt => {
    const attempt = bench.attempt(bench.event());
    return { ...attempt, headers: change(attempt.headers) };
  };
  const trial = (change: string, attempt: Attempt, fix: string): Trial => ({
    change,
    fix,
    attempt,
  });
  const signature = (change: (value: string) => string): Attempt =>
    changed((headers) => withHeader(headers, names.signature, change));
  return [
    trial("a space after each comma and colon of the body", printed(spaced), again),
    trial(
      "the body indented",
      printed((event) => JSON.stringify(event, null, 2)),
      again,
    ),
    trial("the body's members sorted", printed(sorted), again),
    trial(
      "slashes of the body escaped",
      printed((event) => JSON.stringify(event).replaceAll("/", String.raw`\/`)),
      again,
    ),
    ...["application/json; charset=utf-8", "text/plain", "application/octet-stream"].map((type) =>
      trial(
        `Content-Type: ${type}`,
        changed((headers) => withHeader(headers, "content-type", () => type)),
        "accept application/json.",
      ),
    ),
    ...["localhost", `localhost:${url.port}`, url.hostname].map((host) =>
      trial(
        `Host: ${host}`,
        changed((headers) => [...headers, ["Host", host]]),
        "allow the host name that the URL has.",
      ),
    ),
    trial(
      "Accept: application/json",
      changed((headers) => [...headers, ["Accept", "application/json"]]),
      "accept attempts without an Accept header.",
    ),
    trial(
      "svix- in the names of its headers",
      changed((headers) =>
        headers.map(([name, value]) => [name.replace(/^webhook-/i, "svix-"), value]),
      ),
      "read the headers webhook-id, webhook-timestamp and webhook-signature.",
    ),
    trial(
      "the signature in hexadecimal",
      signature((value) =>
        withSignature(value, (one) => Buffer.from(one, "base64").toString("hex")),
      ),
      "the signature is base64.",
    ),
    trial(
      "the signature without its version",
      signature((value) => value.replace(/^\w+,/, "")),
      "read the signature after the comma of v1,…",
    ),
    trial(
      "no User-Agent",
      changed((headers) => without(headers, ["user-agent"])),
      "something in front of the receiver blocks the User-Agent of this kit.",
    ),
    trial(
      "a browser's User-Agent",
      changed((headers) => withHeader(headers, "user-agent", () => "Mozilla/5.0")),
      "something in front of the receiver blocks the User-Agent of this kit.",
    ),
  ];
}

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
