import { bodyVariants, explained, secretVariants } from "@countersign/signatures/explain";
import type { Attempt } from "../harness/attempt-maker.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { Header, Reply } from "../harness/message.ts";
import { isRecord, parseJson } from "../values.ts";
import { withoutEach } from "./forged-bodies.ts";

/** A genuine attempt with one change. */
interface Trial extends Attempt {
  /** The cause of the refusals if it is accepted, and the fix: whole sentences. */
  readonly cause: string;
}

const NO_CAUSE =
  "No change of clock, secret, body or media type is accepted either: check that COUNTERSIGN_SECRET is the receiver's secret, and that the receiver is for this provider.";
const EXPLAIN =
  "This receiver is Countersign's: create it with `explain: true`, and its log names the cause.";

/** Finds out why a receiver refuses genuine attempts, by changing one thing at a time: a sentence with the fix. */
export async function diagnose(
  kit: KitSender,
  refused: readonly [Reply, ...Reply[]],
): Promise<string> {
  const [first] = refused;
  const answers = [...new Set(refused.map(({ summary }) => summary))].join(", ");
  const all = refused.length === 1 ? "The attempt is" : `All ${refused.length} types are`;
  const cause = fromAnswer(first, kit) ?? (await fromTrials(kit, first));
  const body = first.text.trim().replaceAll(/\s+/g, " ").slice(0, 160);
  const quoted = body === "" || /[<{]/.test(body[0] ?? "") ? "" : ` It answers: ${body}.`;
  return `${all} answered by ${answers}. ${cause}${quoted}`;
}

/** The cause that an answer names: bytes that are not HTTP, a redirect, or the explanation of our own receiver. */
function fromAnswer(reply: Reply, { target }: KitSender): string | undefined {
  if (reply.failure === "garbled")
    return "Its answer is not HTTP: is Content-Length the body's number of bytes, not of characters?";
  const { status = 0 } = reply;
  const location = reply.header("location");
  if (status >= 300 && status < 400 && location !== undefined) {
    const to = URL.parse(location, target.url)?.href ?? location;
    return `It redirects to ${to}, and senders follow no redirect: register that address.`;
  }
  const { fix, explanation } = membersOf(reply);
  if (Array.isArray(explanation) && explanation.length > 0)
    return `It explains: ${explanation.map(String).join(" ")}`;
  return typeof fix === "string" ? `Its fix: ${fix}.` : undefined;
}

function membersOf({ text }: Reply): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isRecord(value) ? value : {};
}

async function fromTrials(kit: KitSender, first: Reply): Promise<string> {
  const { status } = first;
  const trials =
    status === 404 || status === 405
      ? [otherSlash(kit)]
      : [secretTrials, clockTrials, bodyTrials, formTrials, eventTrials].flatMap((of) => of(kit));
  const isFound = (reply: Reply): boolean => reply.isAcknowledged;
  const sent = await kit.postAll(trials, { retriesOnly429: true, isFound });
  const accepted = sent.find(({ reply }) => reply.isAcknowledged);
  if (accepted !== undefined) return accepted.cause;
  if (status === 403)
    return "It forbids all of them: is a CSRF protection in front of the route? Exempt the route from it.";
  if (status === 404) return "Nothing is there: check the path of the URL.";
  if (status === 405) return "The address takes no POST: check the path of the URL.";
  if (membersOf(first)["code"] === "CS_SIGNATURE_REFUSED") return `${NO_CAUSE} ${EXPLAIN}`;
  const stranger = await kit.post(kit.foreign(), { retriesOnly429: true });
  return stranger.isAcknowledged || stranger.status === status
    ? NO_CAUSE
    : `It takes their signatures, since one by another secret is answered by ${stranger.summary}: it refuses the events.`;
}

/** A trial whose sentence names the change. */
const changed = (attempt: Attempt, change: string, fix: string): Trial => ({
  ...attempt,
  cause: `With ${change} it is accepted: ${fix}`,
});

function otherSlash(kit: KitSender): Trial {
  const { pathname } = kit.url;
  const path = pathname.endsWith("/") ? pathname.slice(0, -1) || "/" : `${pathname}/`;
  const fix = "register the address with exactly this path.";
  return changed(kit.attempt({ path }), `the path ${path}`, fix);
}

const HOURS = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 5.5, 6, -6, 7, -7, 8, -8, 9, 10, 11, 12, -12];

function clockTrials(kit: KitSender): readonly Trial[] {
  const { signing, target, key } = kit;
  if (!signing.covers.timestamp) return [];
  const { aheadSeconds = 0 } = target.sockets;
  const measured = Math.abs(aheadSeconds) > 30 ? [aheadSeconds] : [];
  const skews = [...measured, ...HOURS.map((hours) => hours * 3600)];
  const late = signing.withTime?.(kit.attempt(), () => String(kit.now()));
  // No scheme signs such a time, so it is signed here.
  const milliseconds = key && late && kit.signedBy(late, key);
  const multiply =
    "the timestamp is in seconds; multiply it by 1000 before you compare it with a clock in milliseconds.";
  return [
    ...skews.map((seconds) => {
      const hours = Math.abs(seconds) === 3600 ? "an hour" : `${Math.abs(seconds) / 3600} hours`;
      const off = seconds % 1800 === 0 ? hours : `${Math.abs(seconds)} s`;
      const change = `the time moved by ${seconds > 0 ? "+" : ""}${seconds} s`;
      const fix = `the receiver's clock is ${off} ${seconds > 0 ? "ahead" : "behind"}; set it, and compare with UTC, not with local time.`;
      return changed(kit.attempt({ timestamp: kit.seconds() + seconds }), change, fix);
    }),
    ...(milliseconds ? [changed(milliseconds, "the time in milliseconds", multiply)] : []),
  ];
}

/** Keys that usual mistakes make of the secret; the receiver makes the mistake, so it is the one to name. */
function secretTrials(kit: KitSender): readonly Trial[] {
  const { signing, secrets } = kit;
  const [secret, ...others] = secrets;
  if (typeof secret !== "string" || !signing.isShared) return [];
  return [
    ...others.map((other, index) => {
      const change = `secret ${index + 2} of COUNTERSIGN_SECRET`;
      const attempt = kit.attempt({ secrets: [other] });
      return changed(attempt, change, "the receiver does not have the first secret.");
    }),
    ...secretVariants(secret, "the secret").flatMap(({ value, mistake }): readonly Trial[] => {
      if (mistake === undefined) return [];
      const key = Buffer.from(typeof value === "string" ? value : value.raw);
      const signed = key.length === 0 ? undefined : kit.signedBy(kit.attempt(), key);
      const statement = mistake.statement.replace(/^the sender(?:'s own)?/, (own) =>
        own.replace("the sender", "The receiver").replace(" own", ""),
      );
      const { fix } = explained(mistake.cause, "");
      return signed === undefined ? [] : [{ ...signed, cause: `${statement}: ${fix}` }];
    }),
  ];
}

const MAX_BODIES = 60;

/** Signatures of what a receiver makes of the body that arrives, if it does not verify its bytes. */
function bodyTrials(kit: KitSender): readonly Trial[] {
  if (!kit.signing.covers.body) return [];
  const event = kit.event();
  const body = Buffer.from(event.text);
  return bodyVariants(body)
    .slice(0, MAX_BODIES)
    .map(({ value, mistake }) => {
      const { fix } = explained(mistake?.cause ?? "body-reserialized", "");
      const cause = `The receiver does not verify the bytes that arrive but a text made of them: ${fix}`;
      return { ...kit.attempt({ event, body: value }), body, cause };
    });
}

const MAX_TYPES = 60;

/** Other types, and bodies without one member: a receiver may refuse what it does not know. */
function eventTrials(kit: KitSender): readonly Trial[] {
  const { events, signing } = kit;
  const others = events.allRows.filter((row) => !events.rows.includes(row)).slice(0, MAX_TYPES);
  const types = others.map((row) => {
    const fix = "acknowledge events of types that you do not handle, too.";
    return changed(kit.attempt({ row }), `the type ${row.type}`, fix);
  });
  const bodies = signing.covers.body ? withoutEach(kit.event().text) : [];
  const members = bodies.map(([name, body]) => {
    const fix = "accept members that you do not know: providers add some at any time.";
    return changed(kit.attempt({ body }), `a body without ${name}`, fix);
  });
  return [...types, ...members];
}

/** Other media types, names of headers and encodings of the signature. */
function formTrials(kit: KitSender): readonly Trial[] {
  const { signing, events } = kit;
  const given = (name: string, value: string, fix: string): Trial =>
    changed(kit.attempt({ headers: [[name, value]] }), `${name}: ${value}`, fix);
  const plain = kit.attempt();
  const svix = {
    ...plain,
    headers: plain.headers.map(([name, value]): Header => [
      name.replace(/^webhook-/i, "svix-"),
      value,
    ]),
  };
  const { encoding } = signing;
  const other = encoding === "hex" ? "base64" : "hex";
  const written = { hex: "in hexadecimal", base64: "in base64", base64url: "in base64url" };
  const recoded = signing.withSignature(kit.attempt(), (text) =>
    Buffer.from(text, encoding).toString(other),
  );
  const bare = signing.withCarrier(kit.attempt(), (text) => text.replace(/^\w+[,=]/, ""));
  return [
    ...["application/json; charset=utf-8", "text/plain", "application/octet-stream"].map((type) =>
      given("Content-Type", type, `accept ${events.mediaType}.`),
    ),
    given("User-Agent", "Mozilla/5.0", "something in front of the receiver blocks the kit's."),
    changed(
      svix,
      "svix- in the names of its headers",
      "read the headers webhook-id, webhook-timestamp and webhook-signature.",
    ),
    changed(recoded, `the signature ${written[other]}`, `the signature is ${written[encoding]}.`),
    changed(
      bare,
      "the signature without its version",
      "read the signature after its version's name.",
    ),
  ];
}
