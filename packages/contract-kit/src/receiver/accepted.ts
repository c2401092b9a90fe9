import type { Secret } from "@countersign/signatures";
import type { ReceiverCheck } from "../check.ts";
import { sleep } from "../harness/clock.ts";
import { transports } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { Sender } from "../harness/sender.ts";
import { reversed } from "./forged-bodies.ts";
import { expectAccepted, type Genuine, receiverCheck } from "./receiver-check.ts";

const EACH = "R-VERIFY-EACH";
const VERSION = "R-VERIFY-VERSION";
const ROTATION = "R-VERIFY-ROTATION";

/** A signature that nobody made, of the usual length. */
const NEXT_VERSION = "Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";

export const signatureLists: ReceiverCheck = receiverCheck({
  id: "receiver/signature-lists",
  title: "each signature of a header is tried with each secret, and unknown versions are skipped",
  requirements: [EACH, VERSION, ROTATION],
  run: async (sender) => {
    const { verdicts, signing, secrets, target } = sender;
    const by = (what: string, signers: readonly Secret[]): Genuine =>
      sender.genuine({ what, secrets: signers });
    if (secrets.length < 2)
      verdicts.notApplicable(
        ROTATION,
        "one secret was given: a second one in COUNTERSIGN_SECRET shows it",
      );
    else
      await expectAccepted(
        sender,
        ROTATION,
        secrets.map((secret, index) =>
          by(`an attempt that secret ${index + 1} of ${secrets.length} signed`, [secret]),
        ),
      );
    const [own] = secrets;
    const { separator } = signing;
    if (separator === undefined || own === undefined || signing.isToken) {
      for (const one of [EACH, VERSION])
        verdicts.notApplicable(one, `${target.provider.title} sends one signature, of one version`);
      return;
    }
    // With a time in the same header, only the signatures are listed.
    const entry = (text: string): string => text.split(separator).at(-1) ?? "";
    const listed = (what: string, list: (entry: string) => readonly string[]): Genuine =>
      signing.withCarrier(sender.genuine({ what }), (text) => {
        const [last, others] = [entry(text), text.split(separator).slice(0, -1)];
        return [...others, ...list(last)].join(separator);
      });
    const foreign = ["one", "two", "three"].map((name) => {
      const attempt = sender.genuine({ secrets: [signing.stranger(name)] });
      let found = "";
      signing.withCarrier(attempt, (text) => (found = entry(text)));
      return found;
    });
    const [one = "", two = ""] = foreign;
    const respelt = (text: string, spell: (mac: string) => string): string => {
      const [label = "", mac = ""] = text.split(/(?<=^\w+[,=])/);
      return label + spell(mac);
    };
    // What the vendor's own library cannot read, no receiver that uses it can.
    const others =
      target.provider.sdk?.reads === "last"
        ? []
        : [
            listed("the genuine signature before another", (text) => [text, one]),
            listed("the genuine signature between two others", (text) => [one, text, two]),
          ];
    await expectAccepted(sender, EACH, [
      ...others,
      listed("the genuine signature after another", (text) => [one, text]),
      listed("the genuine signature after three others", (text) => [...foreign, text]),
      listed("the genuine signature after a shorter one", (text) => [
        respelt(text, (mac) => mac.slice(0, 20)),
        text,
      ]),
      listed("the genuine signature after a longer one", (text) => [
        respelt(text, (mac) => `AAAA${mac}`),
        text,
      ]),
    ]);
    const next = (text: string): string => respelt(text, () => NEXT_VERSION).replace(/^\w+/, "v9");
    await expectAccepted(sender, VERSION, [
      listed("a genuine signature after one of a version v9", (text) => [next(text), text]),
      listed("a genuine signature before one of a version v9", (text) => [text, next(text)]),
    ]);
  },
});

const FORMS = "R-HTTP-FORMS";
const RAW = "R-VERIFY-RAW";

export const forms: ReceiverCheck = receiverCheck({
  id: "receiver/forms",
  title: "genuine attempts are accepted in every form of HTTP, and with every spelling of JSON",
  requirements: [FORMS, RAW],
  isSearch: true,
  run: async (sender) => {
    const { rows, isForm } = sender.events;
    const attempts = Object.entries(transports).map(([form, change], index): Genuine => {
      const event = sender.event({ row: rows[(sender.seed + index) % rows.length] });
      const attempt = sender.attempt(event, { what: `an attempt ${form}` });
      return { ...attempt, ...change(attempt) };
    });
    await expectAccepted(sender, FORMS, attempts);
    // A body whose values are signed one by one may be printed in any way.
    if (isForm || !sender.signing.covers.body) {
      const { title } = sender.target.provider;
      sender.verdicts.notApplicable(RAW, `${title} does not sign the bytes of a JSON body`);
      return;
    }
    const { hasId } = sender.events;
    // Without an id, the bytes of an item within the body identify its event.
    const isUnhandled = !hasId && sender.target.provider.batch !== undefined;
    const spelled = spellings(sender).map((attempt): Genuine => ({ ...attempt, isUnhandled }));
    await expectAccepted(sender, RAW, spelled);
    await inPieces(sender);
  },
});

/** Names and values of the body that are text of any kind. */
const TEXT = "cstest-text";
const AMOUNT = '"cstest-amount"';

/** Bodies that no program reproduces after parsing them. */
function spellings(sender: Sender): readonly Genuine[] {
  const spelt = (
    what: string,
    change: (text: string) => string,
    indent?: number | string,
  ): Genuine => {
    const event = spellable(sender);
    const printed = JSON.stringify(JSON.parse(event.text), null, indent);
    const text = change(printed).replace(AMOUNT, "1.10");
    return sender.attempt({ ...event, text }, { what });
  };
  const text = (what: string, value: string): Genuine =>
    spelt(what, (body) => body.replace(TEXT, () => value));
  const amount = (value: string): Genuine =>
    spelt(`an amount of ${value}`, (body) => body.replace(AMOUNT, value));
  return [
    amount("1.10"),
    amount("1.0"),
    amount("20"),
    spelt("members in another order", (body) => JSON.stringify(reversed(JSON.parse(body)))),
    spelt("spaces between members", (body) => body, 2),
    spelt("tabs between members", (body) => body, "\t"),
    spelt("spaces after commas and colons", (body) =>
      body.replaceAll('","', '", "').replaceAll('":', '": '),
    ),
    spelt("a line break at the end", (body) => `${body}\n`),
    spelt("line breaks of two characters", (body) => body.replaceAll("\n", "\r\n"), 1),
    // Behind a signed URL, a space could belong to either.
    ...(sender.signing.signsUrl
      ? []
      : [spelt("a space before the first brace", (body) => ` ${body}`)]),
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

/** An event with a text and an amount: those of the payment interface where it has them, else additional members. */
function spellable(sender: Sender): TestEvent {
  const row = sender.events.rows.find(({ kind }) => kind === "payment.created");
  const amount = { currency: "USD", value: "cstest-amount" };
  const data =
    row === undefined
      ? { cstest: TEXT, cstestAmount: amount }
      : { clientReferenceId: TEXT, amount };
  return sender.event({ row, data });
}

/** A sender whose packets end at arbitrary bytes, also inside a character. */
async function inPieces(sender: Sender): Promise<void> {
  const event = spellable(sender);
  const text = event.text.replace(TEXT, "é🎉é").replace(AMOUNT, "1.10");
  const attempt = sender.attempt(event, { body: text });
  const body = Buffer.from(attempt.body);
  const at = body.indexOf("é") + 1;
  const cuts = at > 0 ? [1, at, at + 3, body.length] : [1, body.length];
  const { connection, end } = await sender.begin(attempt);
  let from = 0;
  for (const to of cuts) {
    await sleep(sender.target.sockets.clock, 15);
    connection.write(body.subarray(from, to));
    from = to;
  }
  let reply = await end();
  // A receiver may be busy: the whole attempt is retried, as senders do.
  if (reply.isBusy) reply = await sender.post(attempt);
  const expected = "a genuine body in pieces: expected an acknowledgement";
  sender.verdicts.expect(RAW, reply.isAcknowledged, () => reply.insteadOf(expected), [reply]);
}
