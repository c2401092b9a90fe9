import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { unverified } from "../harness/broken-attempts.ts";
import { type Header, type Reply, secretTexts } from "../harness/message.ts";
import type { Sender } from "../harness/sender.ts";
import { keyOf } from "./forged-signatures.ts";
import { receiverCheck } from "./receiver-check.ts";

const LEAK = "R-LEAK-NOTHING";
const STACK = "R-LEAK-STACK";
const DETAILS = "R-LEAK-DETAILS";

/** Stands in payloads and in the message of a handler's failure. */
const CANARY = "cstestcanary";

export const leaks: ReceiverCheck = receiverCheck({
  id: "receiver/leaks",
  title: "no response contains a secret, an expected signature, a stack, a message or the payload",
  requirements: [LEAK, STACK, DETAILS],
  run: async (sender) => {
    const { verdicts, target } = sender;
    const found: (Provoked & { readonly reply: Reply })[] = [
      ...(await sender.postAll(provoked(sender))),
    ];
    const secrets = target.secrets.flatMap(secretTexts);
    if ((await target.effects?.failNext(1, CANARY)) === true) {
      const attempt = sender.genuine({ what: "a handler that fails" });
      found.push({ ...attempt, reply: await sender.post(attempt, { isOnce: true }) });
      await target.effects?.failNext(0);
    }
    for (const { reply, isStrangers = false, ...attempt } of found) {
      if (reply.failure !== undefined) continue;
      const whole = [...reply.headers.map((header) => header.join(": ")), "", reply.text].join(
        "\n",
      );
      const expectNo = (requirement: string, leak: string | undefined): boolean =>
        verdicts.expect(
          requirement,
          leak === undefined,
          () => {
            return `${attempt.what}: the answer (${reply.summary}) contains ${leak ?? ""}`;
          },
          [reply],
        );
      const has = (texts: readonly string[]): boolean => texts.some((text) => whole.includes(text));
      const isSigned = has(expectedBy(sender, attempt));
      expectNo(LEAK, has(secrets) ? "a secret" : isSigned ? "the expected signature" : undefined);
      const stack = isStackIn(reply.text) ? "a stack" : undefined;
      if (isStrangers) expectNo(STACK, stack);
      const quoted = has([CANARY]) ? "the payload, or an error's message" : undefined;
      expectNo(DETAILS, quoted ?? (isStrangers ? undefined : stack));
    }
  },
});

interface Provoked extends Attempt {
  /** True if anyone could send it. */
  readonly isStrangers?: boolean;
}

function provoked(sender: Sender): readonly Provoked[] {
  const { signing, events } = sender;
  const data = { clientReferenceId: CANARY, cstest: CANARY };
  const genuine = (what: string, headers: readonly Header[] = []): Attempt =>
    sender.attempt(sender.event({ data }), { what, headers });
  const unsigned = (what: string, change: (body: string) => string): Attempt => {
    const attempt = signing.unsigned(genuine(what));
    return { ...attempt, body: Buffer.from(change(Buffer.from(attempt.body).toString())) };
  };
  const signed = (what: string, change: (body: string) => string): Attempt => {
    const event = sender.event({ data });
    return sender.attempt(event, { what, body: change(event.text) });
  };
  const odd = genuine("a signature of odd characters");
  const strangers = [
    ...unverified(sender, data),
    signing.withSignature(odd, (text) => `${text.slice(1)}\u00ff`),
    { ...genuine("an empty body"), body: Buffer.alloc(0) },
    unsigned("an unsigned body that is not JSON", (body) => body.slice(0, -1)),
    unsigned("an unsigned body with a byte that is no UTF-8", (body) =>
      body.replace("{", "{\u00ff"),
    ),
    unsigned("an unsigned text", () => `"${CANARY}"`),
  ];
  const isJson = !events.isForm && signing.covers.body;
  return [
    ...strangers.map((attempt) => ({ ...attempt, isStrangers: true })),
    genuine("a genuine attempt"),
    ...(isJson
      ? [
          signed("a body that is not JSON", (body) => body.slice(0, -1)),
          signed("a body that is a text", () => `"${CANARY}"`),
          signed("an event without data", (body) => body.replace(/"data":/, '"dato":')),
          signed("an event with a number for its type", withNumber),
        ]
      : []),
    { ...genuine("another method"), method: "PUT" },
    genuine("another media type", [["Content-Type", CANARY]]),
  ];
}

function withNumber(body: string): string {
  return body.replace(/"(\w*type|event)":"[^"]*"/i, '"$1":5');
}

/** Traces of the languages that receivers are written in. */
const STACKS = [
  /^\s+at .+:\d+/,
  /&nbsp;at .+:\d+:\d+/,
  /Traceback \(most recent call last\)/,
  /File ".+", line \d+/,
  /\bat [\w.$]+\([\w$]+\.(?:java|kt|scala):\d+\)/,
  /\bgoroutine \d+ \[/,
  /\.(?:js|ts|mjs|cjs|py|rb|go|php|rs|cs):\d+(?::\d+)?\b/,
  /\bpanicked at\b/,
  // Warnings and pages of frameworks name files of the machine.
  /(?:^|[\s"'(<>[=])(?:\/(?:home|usr|var|srv|opt|app|root|tmp|Users|private|etc|work|data)\/[\w.@/-]+|[A-Z]:\\\\?[\w.\\-]+)/m,
  /\b(?:Warning|Notice|Deprecated|Fatal error)\b.{0,200}\bon line\b/s,
];

/** Lines are cut, since an answer is the target's, and the patterns backtrack. */
function isStackIn(text: string): boolean {
  const lines = text.split(/\n|<br>/).map((line) => line.slice(0, 400));
  return lines.some((line) => STACKS.some((stack) => stack.test(line)));
}

/** The signature that the receiver would expect of an attempt, in every encoding. */
function expectedBy(sender: Sender, attempt: Attempt): readonly string[] {
  const key = keyOf(sender);
  if (
    key === undefined ||
    attempt.headers.every(([name]) => !sender.signing.headers.includes(name.toLowerCase()))
  )
    return [];
  let text: Buffer | undefined;
  try {
    text = sender.textOf(attempt, key);
  } catch {
    // A part of the signed text is missing: nothing is expected.
  }
  if (text === undefined) return [];
  const mac = sender.signing.mac(text, key);
  const all = (["hex", "base64", "base64url"] as const).map((one) => mac.toString(one));
  const sent = attempt.headers.map(([, value]) => value).join(" ");
  return all.some((one) => sent.includes(one)) ? [] : all;
}

const ALIKE = "R-VERIFY-ALIKE";

export const alike: ReceiverCheck = receiverCheck({
  id: "receiver/alike",
  title: "no refusal reveals what was wrong with the signature or the time",
  requirements: [ALIKE],
  strict: [ALIKE],
  run: async (sender) => {
    const { verdicts } = sender;
    if (!sender.isSelected(ALIKE)) return;
    const sent = await sender.postAll([...unverified(sender), ...unverified(sender)]);
    const answers = sent.map(visibleParts);
    const kinds = sent.length / 2;
    const [reference] = sent;
    if (reference === undefined || reference.reply.isAcknowledged)
      return verdicts.notApplicable(ALIKE, "it takes what another secret signed");
    // Values that differ between two refusals for one reason are ids and times of the receiver's own.
    const moving = new Set(
      answers
        .slice(0, kinds)
        .flatMap((one, kind) =>
          [...one].filter(([name, value]) => answers[kind + kinds]?.get(name) !== value),
        )
        .map(([name]) => name),
    );
    const expected = answers[0] ?? new Map<string, string>();
    sent.slice(0, kinds).forEach(({ what, reply }, kind) => {
      // What is accepted, or has no answer, is another requirement's affair.
      if (reply.status === undefined || reply.isAcknowledged) return;
      const own = answers[kind] ?? new Map<string, string>();
      const apart = [...expected.keys(), ...own.keys()].find(
        (name) => !moving.has(name) && expected.get(name) !== own.get(name),
      );
      verdicts.expect(
        ALIKE,
        apart === undefined,
        () => {
          return `${what} differs from ${reference.what} by its ${apart}: ${shown(own, apart)} and ${shown(expected, apart)}`;
        },
        [reference.reply, reply],
      );
    });
    return verdicts.notApplicable(ALIKE, "no refusal was answered");
  },
});

/** Headers that belong to the connection or the moment. */
const OF_THE_MOMENT = new Set(["date", "connection", "keep-alive", "content-length", "set-cookie"]);

/** All that a refusal says: its status, its headers and its body, without what names the attempt. */
function visibleParts({
  reply,
  event: { ids },
}: Attempt & { readonly reply: Reply }): ReadonlyMap<string, string> {
  const { failure, status, headers } = reply;
  if (failure !== undefined) return new Map();
  const plain = (text: string): string =>
    ids
      .reduce((before, id) => before.replaceAll(id, "ID"), text)
      .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|[+-]\d\d:?\d\d)?/g, "TIME")
      .replaceAll(/\d{10,}/g, "NUMBER");
  return new Map([
    ["status", String(status)],
    ...headers
      .filter(([name]) => !OF_THE_MOMENT.has(name))
      .map(([name, value]): [string, string] => [name, plain(value)]),
    ["body", plain(reply.text)],
  ]);
}

function shown(answers: ReadonlyMap<string, string>, name: string | undefined): string {
  return JSON.stringify((answers.get(name ?? "") ?? "nothing").slice(0, 120));
}
