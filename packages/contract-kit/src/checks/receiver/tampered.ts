import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, Bench, BenchEvent } from "../../harness/bench.ts";
import { withHeader } from "../../harness/request.ts";
import { mustRefuse, type Forgery, receiverCheck } from "../../harness/play.ts";
import type { WithTime } from "../../harness/signing.ts";

const TAMPERED = "R-VERIFY-TAMPERED";

/** Places of the body that are changed, one an attempt. */
const PLACES = 8;
/** What Standard Webhooks calls usual, in bytes. */
const USUAL_BYTES = 20_000;

/** One change each, after the signature was made. */
export const tampered: ReceiverCheck = receiverCheck({
  id: "receiver/tampered",
  title: "what was changed after signing is refused: id, time, and each part of the body",
  requirements: [TAMPERED],
  play: async (bench) => {
    const { names, covers, withTime } = bench.signing;
    const forged = (
      what: string,
      change: (attempt: Attempt, event: BenchEvent) => Partial<Attempt>,
    ): Forgery => {
      const event = bench.event();
      const attempt = bench.attempt(event);
      return { what, attempt: { ...attempt, ...change(attempt, event) } };
    };
    const body = (what: string, change: (text: string) => string | Buffer): Forgery =>
      forged(what, (attempt) => ({ body: Buffer.from(change(attempt.body.toString())) }));
    /** Receivers that take a part of the body for the whole take its end unseen. */
    const atTheEnd = (what: string, bytes: number): Forgery => {
      const attempt = largeAttempt(bench, bytes);
      return { what, attempt: { ...attempt, body: changedAtItsEnd(attempt) } };
    };
    await mustRefuse(bench, TAMPERED, [
      body("a body without its last byte", (text) => text.slice(0, -1)),
      body("an empty body", () => ""),
      body("a body with other data", (text) => text.replace(/"(\w+)":"/, '"$1":"x')),
      body("a body with a digit changed in its middle", (text) => changedDigit(text)),
      body("a body with a member more", (text) => text.replace(/\}$/, ',"cstest":1}')),
      body("a body with the last letter's case changed", (text) =>
        text.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase()),
      ),
      ...Array.from({ length: PLACES }, (_, place) =>
        body("a body with one letter changed", (text) =>
          // Steps that have no divisor in common with most lengths, so that places are far apart.
          withOtherLetter(text, (letters) => ((bench.seed * PLACES + place) * 7919) % letters),
        ),
      ),
      ...[USUAL_BYTES, bench.target.profile.limits.bodyBytes].map((bytes) =>
        atTheEnd(`a body of ${bytes} bytes with its last letter changed`, bytes),
      ),
      body("another event's body", () => bench.event().body),
      body("a body with a zero byte and more after it", (text) => `${text}\0 `),
      ...(covers.id && names.id !== undefined
        ? [
            forged("another id in its header", (attempt, { id }) => ({
              headers: withHeader(attempt.headers, names.id, () => `${id}x`),
              ids: [id, `${id}x`],
            })),
            forged("an id whose case was changed", (attempt, { id }) => ({
              headers: withHeader(attempt.headers, names.id, (value) => value.toUpperCase()),
              ids: [id, id.toUpperCase()],
            })),
          ]
        : []),
      ...(covers.timestamp && withTime !== undefined ? times(withTime) : []),
    ]);
    await replayed();
    if (covers.id && covers.timestamp) await spliced();

    function times(change: WithTime): readonly Forgery[] {
      const later = (by: number) => (value: string) => String(Number(value) + by);
      const spellings: readonly (readonly [string, (value: string) => string])[] = [
        ["a time that is a second later", later(1)],
        ["a time that is a second earlier", later(-1)],
        ["a time with a letter after it", (value) => `${value}a`],
        ["a time with a fraction", (value) => `${value}.0`],
        ["a time with a zero before it", (value) => `0${value}`],
        ["a time with a sign", (value) => `+${value}`],
        ["a time in milliseconds", (value) => `${value}000`],
        ["a time as a power of ten", (value) => `${value}e0`],
        ["a time in hexadecimal digits", (value) => `0x${Number(value).toString(16)}`],
      ];
      return spellings.map(([what, spell]) =>
        forged(what, ({ headers }) => ({ headers: change(headers, spell) })),
      );
    }

    /** The signature of an attempt that was taken, over another body, under its id and under the other's. */
    async function replayed(): Promise<void> {
      const [taken, other, third] = [bench.attempt(bench.event()), bench.event(), bench.event()];
      const [large, alike] = [largeAttempt(bench, USUAL_BYTES), largeAttempt(bench, USUAL_BYTES)];
      await bench.postAll([taken, large]);
      await mustRefuse(bench, TAMPERED, [
        {
          what: "another body under the headers of an attempt that was taken",
          attempt: { ...taken, body: other.body, ids: [other.id] },
        },
        {
          what: "another event under the signature of an attempt that was taken",
          attempt: {
            ...taken,
            headers: withHeader(taken.headers, names.id, () => third.id),
            body: third.body,
            ids: [third.id],
          },
        },
        {
          what: "another event under the signature of a large body that begins alike",
          attempt: {
            ...alike,
            headers: withHeader(large.headers, names.id, () => alike.ids[0] ?? ""),
          },
        },
      ]);
    }

    /** The bytes that are signed are the same; what is id, time and body is not. */
    async function spliced(): Promise<void> {
      const event = bench.event();
      const now = bench.seconds();
      const text = `${String(now)}.${event.body.toString()}`;
      const whole = bench.attempt({ ...event, body: Buffer.from(text) });
      const moved = (headers: Attempt["headers"]): Attempt["headers"] =>
        withHeader(headers, names.id, (id) => `${id}.${String(now)}`);
      const attempt = { ...whole, headers: moved(whole.headers), body: event.body };
      const what = "a body whose beginning was moved into the id's header";
      await mustRefuse(bench, TAMPERED, [
        { what, attempt: { ...attempt, ids: [event.id, `${event.id}.${String(now)}`] } },
      ]);
    }
  },
});

function largeAttempt(bench: Bench, bytes: number): Attempt {
  const event = bench.event();
  const text = event.body.toString();
  // Spaces, since a member more would be another requirement's affair.
  const long = text.replace("{", `{${" ".repeat(Math.max(0, bytes - text.length))}`);
  return bench.attempt({ ...event, body: Buffer.from(long) });
}

function changedAtItsEnd({ body }: Attempt): Buffer {
  return Buffer.from(withOtherLetter(Buffer.from(body).toString(), (letters) => letters - 1));
}

/** A letter of a text in the body changed, so that it is as good JSON as before. */
function withOtherLetter(body: string, choose: (letters: number) => number): string {
  const letters = [...body.matchAll(/(?<=:"[^"]*)[a-z]/g)];
  const letter = letters[choose(letters.length)];
  if (letter === undefined) return `${body} `;
  return body.slice(0, letter.index) + otherLetter(letter[0]) + body.slice(letter.index + 1);
}

function otherLetter(letter: string): string {
  return letter === "z" ? "a" : String.fromCodePoint((letter.codePointAt(0) ?? 0) + 1);
}

function changedDigit(text: string): string {
  const digits = [...text.matchAll(/\d/g)];
  const middle = digits[digits.length >> 1];
  if (middle === undefined) return `${text.slice(0, -1)},"1":1}`;
  const other = middle[0] === "9" ? "8" : String(Number(middle[0]) + 1);
  return text.slice(0, middle.index) + other + text.slice(middle.index + 1);
}
