import type { ReceiverCheck } from "../check.ts";
import { sleep } from "../harness/clock.ts";
import type { AttemptOrder } from "../harness/attempt-maker.ts";
import { transports } from "../harness/message.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { EventForm } from "../harness/event-forms.ts";
import { reversed } from "./forged-bodies.ts";
import { words } from "./forged-operation.ts";
import { ofForm } from "./variants.ts";
import { expectAccepted, receiverCheck, type ValidAttempt } from "./receiver-check.ts";

const EACH = "R-VERIFY-EACH";
const VERSION = "R-VERIFY-VERSION";
const ROTATION = "R-VERIFY-ROTATION";

/** A signature that nobody made, of the usual length. */
const NEXT_VERSION = "Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";

export const signatureLists: ReceiverCheck = receiverCheck({
  id: "receiver/signature-lists",
  title: "each signature of a header is tried with each secret, and unknown versions are skipped",
  requirements: [EACH, VERSION, ROTATION],
  run: async (kit) => {
    const { verdicts, signing, secrets, target } = kit;
    const total = secrets.length;
    const bySecret = secrets.map((secret, index) => {
      const what = `an attempt that secret ${index + 1} of ${total} signed`;
      return kit.attempt({ what, secrets: [secret] });
    });
    if (total > 1) await expectAccepted(kit, ROTATION, bySecret);
    else {
      const reason = "one secret was given: a second one in COUNTERSIGN_SECRET shows it";
      verdicts.notApplicable(ROTATION, reason);
    }
    const { separator } = signing;
    if (separator === undefined || total === 0 || signing.isToken) {
      for (const one of [EACH, VERSION])
        verdicts.notApplicable(one, `${target.provider.title} sends one signature, of one version`);
      return;
    }
    // With a time in the same header, only the signatures are listed.
    const entry = (text: string): string => text.split(separator).at(-1) ?? "";
    const listed = (what: string, list: (entry: string) => readonly string[]): ValidAttempt =>
      signing.withCarrier(kit.attempt({ what }), (text) =>
        [...text.split(separator).slice(0, -1), ...list(entry(text))].join(separator),
      );
    const foreign = ["one", "two", "three"].map((name) => {
      let found = "";
      const attempt = kit.attempt({ secrets: [signing.stranger(name)] });
      signing.withCarrier(attempt, (text) => (found = entry(text)));
      return found;
    });
    const [one = "", two = ""] = foreign;
    const respelt = (text: string, spell: (mac: string) => string): string => {
      const [label = "", mac = ""] = text.split(/(?<=^\w+[,=])/);
      return label + spell(mac);
    };
    const shorter = (text: string): string => respelt(text, (mac) => mac.slice(0, 20));
    const longer = (text: string): string => respelt(text, (mac) => `AAAA${mac}`);
    const next = (text: string): string => respelt(text, () => NEXT_VERSION).replace(/^\w+/, "v9");
    // A receiver that uses the vendor's library reads what the library reads.
    const readsLast = target.provider.sdk?.reads === "last";
    const notLast = [
      listed("the genuine signature before another", (text) => [text, one]),
      listed("the genuine signature between two others", (text) => [one, text, two]),
    ];
    await expectAccepted(kit, EACH, [
      ...(readsLast ? [] : notLast),
      listed("the genuine signature after another", (text) => [one, text]),
      listed("the genuine signature after three others", (text) => [...foreign, text]),
      listed("the genuine signature after a shorter one", (text) => [shorter(text), text]),
      listed("the genuine signature after a longer one", (text) => [longer(text), text]),
    ]);
    await expectAccepted(kit, VERSION, [
      listed("a genuine signature after one of a version v9", (text) => [next(text), text]),
      listed("a genuine signature before one of a version v9", (text) => [text, next(text)]),
    ]);
  },
});

const FORMS = "R-HTTP-FORMS";
const RAW = "R-VERIFY-RAW";
const GENUINE = "R-ACK-GENUINE";

/** Retries before the first attempt that arrives, of one hour each: the receiver was away. */
const EARLIER = [1, 2, 6];
const HOUR_MS = 3_600_000;

export const forms: ReceiverCheck = receiverCheck({
  id: "receiver/forms",
  title: "genuine attempts are accepted in every form of HTTP, and with every spelling of a body",
  requirements: [FORMS, RAW, GENUINE],
  run: async (kit) => {
    const { events, signing, verdicts, target } = kit;
    const attempts = Object.entries(transports).map(([form, change], index): ValidAttempt => {
      const attempt = kit.attempt({ row: kit.row(index), what: `an attempt ${form}` });
      return { ...attempt, ...change(attempt) };
    });
    await expectAccepted(kit, FORMS, attempts);
    const late = EARLIER.map((retries) => {
      const what = `an event of ${retries} h ago, whose first ${retries} attempts did not arrive`;
      return kit.attempt({ retries, at: kit.now() - retries * HOUR_MS, what });
    });
    await expectAccepted(kit, GENUINE, late);
    for (const form of events.forms.filter(({ isForm }) => isForm)) await expectFields(kit, form);
    if (events.isForm) return undefined;
    // A body whose values are signed one by one may be printed in any way.
    if (!signing.covers.body) {
      const { title } = target.provider;
      return verdicts.notApplicable(RAW, `${title} does not sign the bytes of a JSON body`);
    }
    // Without an id, the bytes of an item within the body identify its event.
    const isUnhandled = !events.hasId && target.provider.batch !== undefined;
    const spelled = spellings(kit).map((attempt) => ({ ...attempt, isUnhandled }));
    await expectAccepted(kit, RAW, spelled);
    return inPieces(kit);
  },
});

/** Fields that a receiver may lose or print otherwise before it computes the signature. */
const FIELDS = {
  "an empty field": "Cstest=",
  "a field with a plus, a space and an ampersand": "Cstest=a%2Bb+c%26d",
  "a space that is written as %20": "Cstest=a%20b",
  "signs that some programs escape": "Cstest=a*b~c-d_e.f!g'h(i)",
  "signs that some programs do not escape": "Cstest=%2A%7E%2D%5F%2E%21%27%28%29",
  "escapes in small letters": "Cstest=%c3%a9%2b",
  "a field with letters that are not ASCII": "Cstest=caf%C3%A9+%F0%9F%8E%89",
  "two fields whose names differ in case": "CSTEST=1&cstest=2",
};

/** A receiver that takes a form takes it with any field more, however that is written. */
async function expectFields(kit: KitSender, form: EventForm): Promise<void> {
  const isUsual = kit.events.isForm;
  const order: AttemptOrder = isUsual ? {} : ofForm(form);
  if (!isUsual && !(await kit.post(kit.attempt(order))).isAcknowledged) return;
  const fields = [
    ...Object.entries(FIELDS).map(([what, field]) => [what, field, RAW] as const),
    ...ATTACKS.map(
      (value) => [value, String(new URLSearchParams({ Cstest: value })), GENUINE] as const,
    ),
  ];
  const attempts = fields.map(([what, field, requirement]): ValidAttempt => {
    const body = (text: string): string => `${text}&${field}`;
    return {
      ...kit.attempt({ ...order, what: `a form with ${what}`, body }),
      isUnhandled: !isUsual,
      requirement,
    };
  });
  await expectAccepted(kit, RAW, attempts);
}

/** A text and an amount that are replaced by each spelling. */
const TEXT = "cstest-text";
const AMOUNT = '"cstest-amount"';

/** No text at all according to RFC 7493, which some readers therefore refuse. */
const HALF = "an escaped half of a character beyond 16 bits";
/** Spellings of a text in JSON. */
const TEXTS: Readonly<Record<string, string>> = {
  "an escaped letter": String.raw`\u0041`,
  "an escaped slash": String.raw`a\/b`,
  "an escaped letter that is not ASCII": String.raw`caf\u00e9`,
  "a letter that is not ASCII": "café",
  "a character beyond 16 bits": "🎉",
  "an escaped character beyond 16 bits": String.raw`\ud83c\udf89`,
  "a letter and its accent apart": "cafe\u0301",
  "characters that HTML would escape": "<a&b>'",
  "a separator of lines": "a\u2028b",
  "an escaped zero character": String.raw`a\u0000b`,
  [HALF]: String.raw`a\ud83cb`,
};
/** Texts of people that a firewall in front of the receiver may take for an attack. */
const ATTACKS = [
  "<script>alert(1)</script>",
  "' OR 1=1 --",
  "1 UNION SELECT name FROM users",
  "../../../etc/passwd",
  "javascript:alert(1)",
  "${jndi:ldap://localhost/a}",
  "; cat /etc/passwd",
];
/** Members of an event's data whose texts handlers often read. */
const MEMBERS = words("cstest name text description message title");

const indented = (text: string, by: number | string): string =>
  JSON.stringify(JSON.parse(text), null, by);

/** Printings of a whole body. */
const PRINTINGS: Readonly<Record<string, (body: string) => string>> = {
  "members in another order": (body) => JSON.stringify(reversed(JSON.parse(body))),
  "spaces between members": (body) => indented(body, 2),
  "tabs between members": (body) => indented(body, "\t"),
  "spaces after commas and colons": (body) =>
    body.replaceAll('","', '", "').replaceAll('":', '": '),
  "a line break at the end": (body) => `${body}\n`,
  "line breaks of two characters": (body) => indented(body, 1).replaceAll("\n", "\r\n"),
};
const SPACE_BEFORE = "a space before the first brace";

/** Bodies that no program reproduces after parsing them. */
function spellings(kit: KitSender): readonly ValidAttempt[] {
  const spelt = (what: string, change: (body: string) => string): ValidAttempt => {
    const printed = (text: string): string => change(JSON.stringify(JSON.parse(text)));
    const body = (text: string): string => printed(text).replace(AMOUNT, "1.10");
    return kit.attempt({ ...spellable(kit), what, body });
  };
  return [
    ...["1.10", "1.0", "20"].map((value) =>
      spelt(`an amount of ${value}`, (body) => body.replace(AMOUNT, value)),
    ),
    ...Object.entries(PRINTINGS).map(([what, print]) => spelt(what, print)),
    // Behind a signed URL, the space could belong to either.
    ...(kit.signing.signsUrl ? [] : [spelt(SPACE_BEFORE, (body) => ` ${body}`)]),
    ...Object.entries(TEXTS).map(([what, value]) => ({
      ...spelt(what, (body) => body.replaceAll(TEXT, () => value)),
      mayBeRefused: what === HALF,
    })),
    ...ATTACKS.map((value) => ({
      ...spelt(`the text ${value}`, (body) => body.replaceAll(TEXT, () => value)),
      requirement: GENUINE,
    })),
  ];
}

/** An event with a text and an amount: those of the payment interface where it has them, else additional members. */
function spellable({ events }: KitSender): AttemptOrder {
  const row = events.rows.find(({ kind }) => kind === "payment.created");
  const amount = { currency: "USD", value: "cstest-amount" };
  return row === undefined
    ? { data: { ...Object.fromEntries(MEMBERS.map((name) => [name, TEXT])), cstestAmount: amount } }
    : { row, data: { clientReferenceId: TEXT, amount } };
}

/** A sender whose packets end at arbitrary bytes, also inside a character. */
async function inPieces(kit: KitSender): Promise<void> {
  const attempt = kit.attempt({
    ...spellable(kit),
    body: (text) => text.replaceAll(TEXT, "é🎉é").replace(AMOUNT, "1.10"),
  });
  const body = Buffer.from(attempt.body);
  const at = body.indexOf("é") + 1;
  const cuts = at > 0 ? [1, at, at + 3, body.length] : [1, body.length];
  const { connection, end } = await kit.begin(attempt);
  let from = 0;
  for (const to of cuts) {
    await sleep(kit.clock, 15);
    connection.write(body.subarray(from, to));
    from = to;
  }
  let reply = await end();
  // A receiver may be busy: the whole attempt is retried, as senders do.
  if (reply.isBusy) reply = await kit.post(attempt);
  const expected = "a genuine body in pieces: expected an acknowledgement";
  kit.expect(RAW, reply.isAcknowledged, reply.insteadOf(expected), reply);
}
