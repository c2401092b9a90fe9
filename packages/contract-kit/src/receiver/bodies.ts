import { parsePlace } from "@countersign/signatures/places";
import type { ReceiverCheck } from "../check.ts";
import type { Header, Reply } from "../harness/message.ts";
import type { Connection } from "../harness/connection.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { idleConnection, sendNextTo } from "./survey.ts";
import { DOCUMENTED_BYTES, USUAL_BYTES } from "./forged-bodies.ts";
import type { ReceiverTarget } from "../harness/receiver-target.ts";
import { expectAccepted, expectRefusedThenGenuine, receiverCheck } from "./receiver-check.ts";

const DOCUMENTED = "R-BODY-DOCUMENTED";
const SIZE = "R-BODY-SIZE";

/** The largest genuine body, also of a provider that sends larger ones. */
const LARGEST_BYTES = 900_000;
/** A body that few gateways let through. */
const HUGE_BYTES = 8 * 1_048_576;
/** More than any vendor sends: GitHub's largest body has 25 MB. */
const ENDLESS_BYTES = 32 * 1_048_576;
const CHUNK_BYTES = 262_144;
/** Milliseconds that a receiver has to refuse before the next piece is sent. */
const PATIENCE_MS = 2;
const LAST_PATIENCE_MS = 5000;

export const sizes: ReceiverCheck = receiverCheck({
  id: "receiver/sizes",
  title:
    "bodies of every documented size are accepted, and a far larger one is refused without harm",
  requirements: [DOCUMENTED, SIZE],
  run: async (kit) => {
    const { bodyBytes = DOCUMENTED_BYTES } = kit.target.provider.answer ?? {};
    const largest = Math.min(bodyBytes, LARGEST_BYTES);
    const bytes = [...new Set([1000, 4200, USUAL_BYTES, DOCUMENTED_BYTES, largest])];
    const long = bytes.flatMap((length) => [
      longEvent(kit, length, (room) => " ".repeat(room)),
      longEvent(kit, length, (room) => `"cstest":"${"é".repeat(Math.max(0, room - 13) >> 1)}",`),
    ]);
    await expectAccepted(kit, DOCUMENTED, long);
    if (bodyBytes > LARGEST_BYTES) await warnOfLimit(kit, Math.min(bodyBytes, HUGE_BYTES));
    kit.blamedIfLost = SIZE;
    await endless(kit, "with its length announced", ["Content-Length", String(ENDLESS_BYTES)]);
    await endless(kit, "in chunks", ["Transfer-Encoding", "chunked"]);
    const what = "an attempt after a stranger's large bodies";
    await expectAccepted(kit, SIZE, [kit.attempt({ what })]);
  },
});

/** A gateway in front of a correct receiver may have a lower limit than the provider. */
async function warnOfLimit(kit: KitSender, bytes: number): Promise<void> {
  const attempt = longEvent(kit, bytes, (room) => " ".repeat(room));
  const reply = await kit.post(attempt, { retriesOnly429: true });
  // A timeout shows a slow connection, not a limit.
  if (reply.isAcknowledged || reply.failure === "timeout") return;
  const message = `${attempt.what}, which ${kit.target.provider.title} documents, is answered by ${reply.summary}: such events are lost`;
  kit.verdicts.warn(DOCUMENTED, message, [reply]);
}

/** An event whose body is filled up to a number of bytes: by spaces or an unknown member, or an unknown field. */
function longEvent(kit: KitSender, bytes: number, fill: (room: number) => string) {
  const body = (text: string): string => {
    const room = Math.max(0, bytes - Buffer.byteLength(text));
    return kit.events.isForm
      ? `${text}&cstest=${"1".repeat(room)}`
      : text.replace("{", `{${fill(room)}`);
  };
  return kit.attempt({ what: `a genuine body of ${bytes} bytes`, body });
}

/**
 * A stranger's body, which stops once the receiver answers: it must refuse it before it has read all of it, and answer
 * other senders.
 */
async function endless(kit: KitSender, how: string, framing: Header): Promise<void> {
  const unsigned = kit.unsigned();
  const isChunked = framing[0] === "Transfer-Encoding";
  const size = isChunked ? `${CHUNK_BYTES.toString(16)}\r\n` : "";
  const piece = Buffer.from(`${size}${" ".repeat(CHUNK_BYTES)}${isChunked ? "\r\n" : ""}`);
  const headers = [...unsigned.headers, framing];
  const { connection, end } = await kit.begin({ ...unsigned, headers, body: Buffer.alloc(0) });
  const deadline = kit.clock.elapsed() + LAST_PATIENCE_MS;
  let sent = 0;
  let hasAnswered = await connection.hasBytesWithin(PATIENCE_MS);
  const goesOn = (): boolean =>
    !hasAnswered && connection.isOpen() && kit.clock.elapsed() < deadline;
  while (goesOn() && (sent < ENDLESS_BYTES || connection.unsentBytes() > 0)) {
    if (sent < ENDLESS_BYTES && connection.unsentBytes() < CHUNK_BYTES) {
      connection.write(piece);
      sent += CHUNK_BYTES;
    }
    // A large body that is being read leaves at once: only one that is not is waited for.
    const isStuck = connection.unsentBytes() > 0;
    hasAnswered = await connection.hasBytesWithin(isStuck ? PATIENCE_MS : 0);
  }
  // The machine's buffers hold less than that.
  const isRead = sent >= ENDLESS_BYTES && connection.unsentBytes() === 0 && !hasAnswered;
  if (isChunked && connection.isOpen()) connection.write(Buffer.from("0\r\n\r\n"));
  hasAnswered ||= await connection.hasBytesWithin(isRead ? 1000 : PATIENCE_MS);
  const isCutOff = !connection.isOpen();
  const reply = await end(Buffer.from(`[${sent} bytes of spaces]`), hasAnswered ? 1000 : 1);
  // Some servers read what they have refused, and keep none of it.
  const isLimited = !isRead || reply.status === 413;
  const isRefused = (hasAnswered || isCutOff) && isLimited && !reply.isAcknowledged;
  const outcome = isRead ? "was read to its end" : `was not refused within ${LAST_PATIENCE_MS} ms`;
  const message = `a stranger's body of ${sent} bytes, ${how}, ${outcome}: got ${reply.summary}`;
  kit.expect(SIZE, isRefused, message, reply);
}

const IN_TIME = "R-ACK-IN-TIME";
const SLOW = "R-BODY-SLOW";

const HANGING = 3;
/** A receiver's limit for the rest of a body, as a multiple of a sender's timeout. */
const PATIENCE = 2;

export const slowBodies: ReceiverCheck = receiverCheck({
  id: "receiver/slow-bodies",
  title: "an unfinished body is refused, and delays no other attempt",
  requirements: [IN_TIME, SLOW],
  run: async (kit) => {
    await stalled(kit);
    if (!kit.target.slow)
      return kit.verdicts.notApplicable(
        SLOW,
        "only a slow run (--slow) waits for the receiver's own limit",
      );
    const hanging = [];
    for (let count = 0; count < HANGING; count += 1)
      hanging.push(await kit.beginHalf(kit.attempt()));
    const what = `an attempt next to ${HANGING} whose bodies stopped half-way`;
    await expectAccepted(
      kit,
      SLOW,
      hanging.map(() => kit.attempt({ what })),
    );
    const deadlineMs = PATIENCE * kit.target.sockets.deadlineMs;
    const replies = await Promise.all(hanging.map(({ end }) => end(undefined, deadlineMs)));
    for (const reply of replies) {
      const isEnded = reply.failure === undefined || reply.failure === "closed";
      const message = reply.insteadOf("half a body, and then nothing: expected a refusal");
      kit.expect(SLOW, isEnded && !reply.isAcknowledged, message, reply);
    }
    return undefined;
  },
});

/** Connections of strangers, which must delay no attempt. */
const STRANGERS: Readonly<Record<string, (kit: KitSender) => Promise<Connection>>> = {
  "an unsigned one whose body stopped half-way": async (kit) =>
    (await kit.beginHalf(kit.unsigned())).connection,
  "an idle connection": idleConnection,
};

/** Times that an attempt has to wait for a stranger: once, a busy machine may be slow by chance. */
const WAITS = 3;

async function stalled(kit: KitSender): Promise<void> {
  for (const [what, open] of Object.entries(STRANGERS)) {
    const replies: Reply[] = [];
    for (let turn = 0; turn < WAITS; turn += 1) {
      const { delay, reply } = await sendNextTo(kit, open);
      if (delay === "none") break;
      if (delay === "other")
        return kit.verdicts.notApplicable(IN_TIME, "it is slow without a stranger, too");
      replies.push(reply);
    }
    const message = `an attempt next to ${what}: ${WAITS} times answered only when that one's connection was closed`;
    kit.expect(IN_TIME, replies.length < WAITS, message, replies[0]);
  }
  return undefined;
}

const JSON_ONLY = "R-BODY-JSON";

type Changes = Readonly<Record<string, (body: string) => string>>;

const NOT_JSON: Changes = {
  "an empty body": () => "",
  "half a body": (body) => body.slice(0, body.length >> 1),
  "a body and more after it": (body) => `${body}x`,
  "two bodies": (body) => body + body,
  "a body in apostrophes": (body) => body.replaceAll('"', "'"),
  "a body with a comma too many": (body) => body.replace(/[}\]]$/, ",$&"),
  "a form": () => "id=evt_1&type=cstest.form",
  "a document of XML": () => "<event><id>evt_1</id></event>",
};

/** JSON that is not one object, where an event is one. */
const OTHER_VALUES: Changes = {
  null: () => "null",
  "a number": () => "1",
  "a text": () => '"cstest"',
  "a list": (body) => `[${body}]`,
};

export const bodies: ReceiverCheck = receiverCheck({
  id: "receiver/bodies",
  title: "a body that is not a JSON object is refused",
  requirements: [JSON_ONLY],
  needs: ["json", "bytes"],
  run: async (kit) => {
    const changes = { ...NOT_JSON, ...(hasTypeInBody(kit.target) && OTHER_VALUES) };
    const signed = Object.entries(changes).map(([what, body]) => kit.attempt({ what, body }));
    await expectRefusedThenGenuine(kit, JSON_ONLY, signed);
  },
});

/** True if the body is one object that names its type: an event has no other form. */
function hasTypeInBody({ provider: { event, batch } }: ReceiverTarget): boolean {
  const [place] = [event.type].flat();
  if (batch !== undefined || typeof place !== "string") return false;
  const { kind, members } = parsePlace(place);
  return (kind === "body" || kind === "item") && members.length > 0;
}
