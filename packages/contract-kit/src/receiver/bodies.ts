import { parsePlace } from "@countersign/signatures/places";
import type { ReceiverCheck } from "../check.ts";
import type { Header } from "../harness/message.ts";
import type { Sender } from "../harness/sender.ts";
import type { ReceiverTarget } from "../target.ts";
import { appended, DOCUMENTED_BYTES, USUAL_BYTES } from "./forged-bodies.ts";
import { expectAccepted, expectRefused, type Forgery, receiverCheck } from "./receiver-check.ts";

const JSON_ALONE = "R-BODY-JSON";
const STRICT = "R-BODY-STRICT";

const DEPTH = 10_000;

export const bodies: ReceiverCheck = receiverCheck({
  id: "receiver/bodies",
  title: "a body that is not a JSON object, or that parsers read differently, is refused",
  requirements: [JSON_ALONE, STRICT],
  strict: [STRICT],
  inapplicable: signsNoJson,
  run: async (sender) => {
    const signed: Sign = (what, change) => sender.rewritten(what, change);
    await expectRefused(sender, JSON_ALONE, [
      signed("an empty body", () => ""),
      signed("half a body", (body) => body.slice(0, body.length >> 1)),
      signed("a body and more after it", (body) => `${body}x`),
      signed("two bodies", (body) => body + body),
      signed("a body in apostrophes", (body) => body.replaceAll('"', "'")),
      signed("a body with a comma too many", (body) => body.replace(/[}\]]$/, ",$&")),
      signed("a form", () => "id=evt_1&type=cstest.form"),
      signed("a document of XML", () => "<event><id>evt_1</id></event>"),
      ...(hasTypeInBody(sender.target) ? values(signed) : []),
    ]);
    if (sender.isSelected(STRICT))
      await expectRefused(sender, STRICT, [...doubled(sender, signed), ...unreadable(signed)]);
  },
});

/** True if the body is one object that names its type: any other value is no event. */
function hasTypeInBody({ provider: { event, batch } }: ReceiverTarget): boolean {
  return batch === undefined && memberOf([event.type].flat()[0]) !== undefined;
}

const values = (signed: Sign): readonly Forgery[] => [
  signed("null", () => "null"),
  signed("a number", () => "1"),
  signed("a text", () => '"cstest"'),
  signed("a list", (body) => `[${body}]`),
];

function signsNoJson({ events, signing, provider: { title } }: ReceiverTarget): string | undefined {
  if (events.isForm) return `${title} sends forms`;
  return signing.covers.body ? undefined : `${title} does not sign the bytes of the body`;
}

type Sign = (what: string, change: (body: string) => string | Buffer) => Forgery;

/** The last member of a JSON body's place; `undefined` for other places. */
function memberOf(place: unknown): string | undefined {
  const parsed = typeof place === "string" ? parsePlace(place) : undefined;
  return parsed?.kind === "body" || parsed?.kind === "item" ? parsed.members.at(-1) : undefined;
}

/** One member twice: parsers take the first, the last, or both. */
function doubled({ target }: Sender, signed: Sign): readonly Forgery[] {
  const { event } = target.provider;
  const again = (name: string, spelt: string) => (body: string) =>
    body.replace(new RegExp(`"${name}":("[^"]*")`), `"${name}":$1,"${spelt}":"cstest"`);
  const escape = (name: string): string =>
    `\\u${(name.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}${name.slice(1)}`;
  const type = memberOf([event.type].flat()[0]);
  const id = memberOf([event.id ?? "body:/id"].flat()[0]);
  return [
    ...(type === undefined
      ? []
      : [
          signed("the event's type twice", again(type, type)),
          signed("the event's type twice, once escaped", again(type, escape(type))),
        ]),
    ...(id === undefined ? [] : [signed("the event's id twice", again(id, id))]),
    signed("a member of the data twice", (body) =>
      body.replace(/"(\w+)":("[^"]*"|[a-z0-9.]+)([}\]]+)$/, '"$1":$2,"$1":$2$3'),
    ),
  ];
}

function unreadable(signed: Sign): readonly Forgery[] {
  const inside = (bytes: readonly number[]) => (body: string) => {
    const at = body.indexOf("{") + 1;
    // An unknown member, so that no schema restricts its name.
    return Buffer.concat([
      Buffer.from(`${body.slice(0, at)}"cstest`),
      Buffer.from(bytes),
      Buffer.from(`":"cstest",${body.slice(at)}`),
    ]);
  };
  const deep = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`;
  return [
    signed("a byte order mark", (body) => `\uFEFF${body}`),
    signed("a byte that is no UTF-8", inside([0xff])),
    signed("a character in more bytes than it needs", inside([0xc0, 0xaf])),
    signed("half of a pair as UTF-8", inside([0xed, 0xa0, 0x80])),
    signed(`lists in lists, ${DEPTH} deep`, (body) => appended(body, `"cstest":${deep}`)),
  ];
}

const DOCUMENTED = "R-BODY-DOCUMENTED";
const SIZE = "R-BODY-SIZE";

const ENDLESS_BYTES = 16 * 1_048_576;
const CHUNK_BYTES = 262_144;
/** Milliseconds that a receiver has to refuse before the next piece is sent. */
const PATIENCE_MS = 2;
const LAST_PATIENCE_MS = 5000;

export const sizes: ReceiverCheck = receiverCheck({
  id: "receiver/sizes",
  title:
    "bodies of every documented size are accepted, and a far larger one is refused without harm",
  requirements: [DOCUMENTED, SIZE],
  run: async (sender) => {
    const documented = [1000, 4200, USUAL_BYTES, DOCUMENTED_BYTES];
    // Spaces and an unknown member, since both lengthen an event.
    const fillers = [
      (room: number) => " ".repeat(room),
      (room: number) => `"cstest":"${"é".repeat(Math.max(0, room - 13) >> 1)}",`,
    ];
    const { isForm } = sender.events;
    const filled = documented.flatMap((bytes) =>
      (isForm ? fillers.slice(1) : fillers).map((fill) => {
        const event = sender.event();
        const room = Math.max(0, bytes - Buffer.byteLength(event.text));
        const text = isForm
          ? `${event.text}&cstest=${"1".repeat(room)}`
          : event.text.replace("{", `{${fill(room)}`);
        const what = `a genuine body of ${Buffer.byteLength(text)} bytes`;
        return sender.attempt({ ...event, text }, { what });
      }),
    );
    await expectAccepted(sender, DOCUMENTED, filled);
    sender.requirement = SIZE;
    await endless(sender, "with its length announced", ["Content-Length", String(ENDLESS_BYTES)]);
    await endless(sender, "in chunks", ["Transfer-Encoding", "chunked"]);
    await expectAccepted(sender, SIZE, [
      sender.genuine({ what: "an attempt after a stranger's large bodies" }),
    ]);
  },
});

/**
 * A stranger's body, which stops once the receiver answers: it must refuse it before it has read all of it, and answer
 * other senders.
 */
async function endless(sender: Sender, how: string, framing: Header): Promise<void> {
  const unsigned = sender.unsigned();
  const isChunked = framing[0] === "Transfer-Encoding";
  const size = isChunked ? `${CHUNK_BYTES.toString(16)}\r\n` : "";
  const piece = Buffer.from(`${size}${" ".repeat(CHUNK_BYTES)}${isChunked ? "\r\n" : ""}`);
  const { connection, end } = await sender.begin({
    ...unsigned,
    headers: [...unsigned.headers, framing],
    body: Buffer.alloc(0),
  });
  const deadline = sender.now() + LAST_PATIENCE_MS;
  let sent = 0;
  let hasAnswered = await connection.hasBytesWithin(PATIENCE_MS);
  const goesOn = (): boolean => !hasAnswered && connection.isOpen() && sender.now() < deadline;
  while (goesOn() && (sent < ENDLESS_BYTES || connection.unsentBytes() > 0)) {
    if (sent < ENDLESS_BYTES && connection.unsentBytes() < CHUNK_BYTES) {
      connection.write(piece);
      sent += CHUNK_BYTES;
    }
    hasAnswered = await connection.hasBytesWithin(PATIENCE_MS);
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
  sender.verdicts.expect(
    SIZE,
    isRefused,
    () => `a stranger's body of ${sent} bytes, ${how}, ${outcome}: got ${reply.summary}`,
    [reply],
  );
}

const SLOW = "R-BODY-SLOW";

const HANGING = 3;
/** A receiver's limit for the rest of a body, as a multiple of a sender's timeout. */
const PATIENCE = 2;

export const slowBodies: ReceiverCheck = receiverCheck({
  id: "receiver/slow-bodies",
  title: "an unfinished body is refused, and delays no other attempt",
  requirements: [SLOW],
  slow: true,
  run: async (sender) => {
    const what = `an attempt next to ${HANGING} whose bodies stopped half-way`;
    const hanging = [];
    for (let count = 0; count < HANGING; count += 1) {
      const attempt = sender.genuine();
      const half = attempt.body.subarray(0, attempt.body.length >> 1);
      const { connection, end } = await sender.begin(attempt);
      connection.write(half);
      hanging.push({ end, half });
    }
    await expectAccepted(
      sender,
      SLOW,
      hanging.map(() => sender.genuine({ what })),
    );
    const deadlineMs = PATIENCE * sender.target.sockets.deadlineMs;
    const replies = await Promise.all(hanging.map(({ end, half }) => end(half, deadlineMs)));
    for (const reply of replies) {
      const isEnded = reply.failure === undefined || reply.failure === "closed";
      const expected = "half a body, and then nothing: expected a refusal";
      sender.verdicts.expect(
        SLOW,
        isEnded && !reply.isAcknowledged,
        () => reply.insteadOf(expected),
        [reply],
      );
    }
  },
});
