import type { ReceiverCheck } from "../../check.ts";
import type { Bench, BenchEvent } from "../../harness/bench.ts";
import { mustRefuse, type Forgery, receiverCheck } from "../../harness/play.ts";
import { sleep } from "../../harness/clock.ts";

const RAW = "R-VERIFY-RAW";

/** Bodies that no program prints again as they came. */
export const rawBytes: ReceiverCheck = receiverCheck({
  id: "receiver/raw-bytes",
  title: "the signature is verified over the bytes that arrived, not over what was made of them",
  requirements: [RAW],
  play: async (bench) => {
    const { docket } = bench;
    const cases = genuineTraps(bench);
    const replies = await bench.postAll(cases.map(({ event }) => bench.attempt(event)));
    cases.forEach(({ what }, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      docket.judge(
        RAW,
        reply.isAcknowledged,
        () => `${what}: it is genuine, and ${reply.said} came`,
        () => [reply.exchange()],
      );
    });
    await inPieces(bench);
    const secrets = [bench.signing.stranger("raw")];
    const forged = await bench.post(bench.attempt(bench.event(), { secrets }));
    // Of a receiver that takes what is forged, other bytes say nothing more.
    if (!forged.isAcknowledged) await mustRefuse(bench, RAW, misread(bench));
  },
});

/** Names and values of the body that are text of any kind. */
const TEXT = "cstest-text";

function bodyWith(bench: Bench, print: (event: object) => string): BenchEvent {
  const row = bench.target.profile.catalogue.find(({ kind }) => kind === "payment.created");
  const data =
    row === undefined
      ? {}
      : { clientReferenceId: TEXT, amount: { currency: "USD", value: "cstest-amount" } };
  const event = bench.event({ row, data });
  const text = print(JSON.parse(event.body.toString()) as object);
  return { ...event, body: Buffer.from(text.replace('"cstest-amount"', "1.10")) };
}

function genuineTraps(bench: Bench): readonly { what: string; event: BenchEvent }[] {
  const trap = (what: string, change: (text: string) => string, indent?: number | string) => ({
    what,
    event: bodyWith(bench, (event) => change(JSON.stringify(event, null, indent))),
  });
  const text = (what: string, value: string) =>
    trap(what, (body) => body.replace(TEXT, () => value));
  const amount = (value: string) =>
    trap(`an amount of ${value}`, (body) => body.replace('"cstest-amount"', value));
  return [
    amount("1.10"),
    amount("1.0"),
    amount("20"),
    trap("members in another order", (body) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body) as object).toReversed())),
    ),
    trap("spaces between members", (body) => body, 2),
    trap("tabs between members", (body) => body, "\t"),
    trap("a line break at the end", (body) => `${body}\n`),
    trap("line breaks of two characters", (body) => body.replaceAll("\n", "\r\n"), 1),
    trap("a space before the first brace", (body) => ` ${body}`),
    text("an escaped letter", String.raw`\u0041`),
    text("an escaped slash", String.raw`a\/b`),
    text("an escaped letter that is not ASCII", String.raw`caf\u00e9`),
    text("a letter that is not ASCII", "café"),
    text("a character beyond 16 bits", "🎉"),
    text("an escaped character beyond 16 bits", String.raw`\ud83c\udf89`),
    text("a letter and its accent apart", "cafe\u0301"),
    text("characters that HTML would escape", "<a&b>'"),
    text("a separator of lines", "a\u2028b"),
  ];
}

/** A sender whose packets end anywhere, also inside a character. */
async function inPieces(bench: Bench): Promise<void> {
  const { wire } = bench.target;
  const event = bodyWith(bench, (one) => JSON.stringify(one).replace(TEXT, "é🎉é"));
  const attempt = bench.attempt(event);
  const at = event.body.indexOf("é") + 1;
  const cuts = at > 0 ? [1, at, at + 3, event.body.length] : [1, event.body.length];
  await wire.pace();
  const connection = wire.open();
  const head = wire.head(attempt);
  connection.write(head);
  let from = 0;
  for (const to of cuts) {
    // oxlint-disable-next-line no-await-in-loop -- a packet after the other
    await sleep(wire.clock, 15);
    connection.write(event.body.subarray(from, to));
    from = to;
  }
  const received = await wire.read(connection, "POST");
  connection.close();
  const reply = bench.reply([head, event.body], received);
  bench.docket.judge(
    RAW,
    reply.isAcknowledged,
    () => `a body that came in pieces: it is genuine, and ${reply.said} came`,
    () => [reply.exchange()],
  );
}

/** Other bytes, of which a decoder makes the text that was signed. */
function misread(bench: Bench): readonly Forgery[] {
  const sent = (what: string, value: string, change: (body: Buffer) => Buffer): Forgery => {
    const event = bodyWith(bench, (one) => JSON.stringify(one).replace(TEXT, value));
    const attempt = bench.attempt(event);
    return { what, attempt: { ...attempt, body: change(event.body) } };
  };
  const instead = (from: Buffer, to: number[]) => (body: Buffer) => {
    const at = body.indexOf(from);
    if (at === -1) return Buffer.concat([body, Buffer.from(to)]);
    return Buffer.concat([body.subarray(0, at), Buffer.from(to), body.subarray(at + from.length)]);
  };
  const replacement = Buffer.from("\uFFFD");
  return [
    sent("a space at the end that was not signed", TEXT, (body) =>
      Buffer.concat([body, Buffer.from(" ")]),
    ),
    sent("a line break at the end that was not signed", TEXT, (body) =>
      Buffer.concat([body, Buffer.from("\n")]),
    ),
    sent("a space at the beginning that was not signed", TEXT, (body) =>
      Buffer.concat([Buffer.from(" "), body]),
    ),
    sent("spaces between members that were not signed", TEXT, (body) =>
      Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 2)),
    ),
    sent("a byte order mark that was not signed", TEXT, (body) =>
      Buffer.concat([Buffer.from("\uFEFF"), body]),
    ),
    sent("a byte that is no UTF-8 for a signed U+FFFD", "\uFFFD", instead(replacement, [0xff])),
    sent("a lone continuation byte for a signed U+FFFD", "\uFFFD", instead(replacement, [0x80])),
    sent("the byte of latin-1 for a signed letter", "é", instead(Buffer.from("é"), [0xe9])),
  ];
}
