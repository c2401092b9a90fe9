import type { Secret } from "@countersign/signatures";
import type { ReceiverCheck } from "../check.ts";
import type { Sender } from "../harness/attempt-sender.ts";
import type { TestEvent } from "../harness/events.ts";
import { sleep } from "../harness/clock.ts";
import { type Genuine, expectAccepted, receiverCheck } from "./receiver-check.ts";
import { transports, withHeader, withSignature } from "../harness/message.ts";

const EACH = "R-VERIFY-EACH";
const VERSION = "R-VERIFY-VERSION";
const ROTATION = "R-VERIFY-ROTATION";

/** A version's name and the separator before its signature. */
const VERSIONED = /[A-Za-z0-9]+([,=])[A-Za-z0-9+/]{38,}={0,2}/;

export const signatureLists: ReceiverCheck = receiverCheck({
  id: "receiver/signature-lists",
  title: "each signature of a header is tried with each secret, and unknown versions are skipped",
  requirements: [EACH, VERSION, ROTATION],
  run: async (sender) => {
    const { verdicts, signing, target } = sender;
    const { separator } = signing;
    const { secrets } = target;
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
    if (separator === undefined || own === undefined) {
      verdicts.notApplicable(EACH, "the profile's scheme has one signature a header");
      return;
    }
    const strangers = ["one", "two", "three"].map((name) => signing.stranger(name));
    const [one = "", two = ""] = strangers;
    await expectAccepted(sender, EACH, [
      by("the genuine signature after another", [one, own]),
      by("the genuine signature before another", [own, one]),
      by("the genuine signature between two others", [one, own, two]),
      by("the genuine signature after three others", [...strangers, own]),
    ]);
    const listed = (
      what: string,
      list: (value: string, version: string) => readonly string[],
    ): Genuine => {
      const attempt = sender.genuine({ what });
      const headers = withHeader(attempt.headers, signing.names.signature, (value) =>
        list(value, VERSIONED.exec(value)?.[0] ?? value).join(separator),
      );
      return { ...attempt, headers };
    };
    const short = (version: string): string => withSignature(version, (mac) => mac.slice(0, 20));
    const long = (version: string): string => withSignature(version, (mac) => `AAAA${mac}`);
    await expectAccepted(sender, EACH, [
      listed("the genuine signature after a shorter one", (value, version) => [
        short(version),
        value,
      ]),
      listed("the genuine signature after a longer one", (value, version) => [
        long(version),
        value,
      ]),
    ]);
    const next = (version: string): string =>
      version
        .replace(/^\w+/, "v9")
        .replace(/(?<=[,=]).*/, "Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=");
    await expectAccepted(sender, VERSION, [
      listed("a genuine signature after one of a version v9", (value, old) => [next(old), value]),
      listed("a genuine signature before one of a version v9", (value, old) => [value, next(old)]),
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
    const { catalogue } = sender.target.profile;
    const attempts = Object.entries(transports).map(([form, change], index): Genuine => {
      const event = sender.event({ row: catalogue[(sender.seed + index) % catalogue.length] });
      const attempt = sender.attempt(event, { what: `an attempt ${form}` });
      return { ...attempt, ...change(attempt) };
    });
    await expectAccepted(sender, FORMS, attempts);
    await expectAccepted(sender, RAW, spellings(sender));
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
    spelt("members in another order", (body) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body) as object).toReversed())),
    ),
    spelt("spaces between members", (body) => body, 2),
    spelt("tabs between members", (body) => body, "\t"),
    spelt("spaces after commas and colons", (body) =>
      body.replaceAll('","', '", "').replaceAll('":', '": '),
    ),
    spelt("a line break at the end", (body) => `${body}\n`),
    spelt("line breaks of two characters", (body) => body.replaceAll("\n", "\r\n"), 1),
    spelt("a space before the first brace", (body) => ` ${body}`),
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

function spellable(sender: Sender): TestEvent {
  const row = sender.target.profile.catalogue.find(({ kind }) => kind === "payment.created");
  const amount = { currency: "USD", value: "cstest-amount" };
  return sender.event({ row, data: row && { clientReferenceId: TEXT, amount } });
}

/** A sender whose packets end at arbitrary bytes, also inside a character. */
async function inPieces(sender: Sender): Promise<void> {
  const event = spellable(sender);
  const text = event.text.replace(TEXT, "é🎉é").replace(AMOUNT, "1.10");
  const attempt = sender.attempt(event, { body: text });
  const body = Buffer.from(text);
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
  const wanted = "a genuine body in pieces: expected an acknowledgement";
  sender.verdicts.expect(RAW, reply.isAcknowledged, () => reply.insteadOf(wanted), [reply]);
}
