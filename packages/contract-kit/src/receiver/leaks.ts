import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { unverified } from "../harness/broken-attempts.ts";
import type { Header } from "../harness/message.ts";
import { secretTexts } from "../redact.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { words } from "./forged-operation.ts";
import { receiverCheck } from "./receiver-check.ts";

const LEAK = "R-LEAK-NOTHING";
const STACK = "R-LEAK-STACK";
const DETAILS = "R-LEAK-DETAILS";

/** Stands in payloads and in the message of a handler's failure. */
const CANARY = "cstestcanary";
const MARKUP = `<${CANARY}`;
/** Members that an answer may repeat, in addition to those of the payment interface. */
const TEXTS = ["cstest", "name", "text", "message", "description", "Body"];

export const leaks: ReceiverCheck = receiverCheck({
  id: "receiver/leaks",
  title: "no response contains a secret, an expected signature, a stack, a message or the payload",
  requirements: [LEAK, STACK, DETAILS],
  isLast: true,
  run: async (kit) => {
    try {
      if (kit.target.runState.isGone !== true) await provoke(kit);
    } finally {
      judge(kit);
    }
  },
});

async function provoke(kit: KitSender): Promise<void> {
  const { effects } = kit.target;
  await kit.postAll([...provoking(kit), ...elsewhere(kit)], { retriesOnly429: true });
  if ((await effects?.failNext(1, CANARY)) !== true) return;
  const failing = kit.attempt({ what: "a handler that fails" });
  await kit.post(failing, { retriesOnly429: true });
  await effects?.failNext(0);
  // As its sender does: nothing that has failed is left for other checks.
  await kit.post(kit.attempt({ event: failing.event }));
}

function judge(kit: KitSender): void {
  const { target, expect } = kit;
  const secrets = target.secrets.flatMap(secretTexts).flatMap(windowsOf);
  for (const { reply, isGenuine, ...attempt } of target.runState.answers.values()) {
    const headers = reply.headers.map((header) => header.join(": "));
    const whole = [...headers, "", reply.text].join("\n");
    const has = (texts: readonly string[]): boolean => texts.some((text) => whole.includes(text));
    const expectNo = (requirement: string, leak: string | undefined): boolean => {
      const message = `${attempt.what}: the answer (${reply.summary}) contains ${leak ?? ""}`;
      return expect(requirement, leak === undefined, message, reply);
    };
    const isForeign = !isGenuine && has([CANARY]) && !Buffer.from(attempt.body).includes(CANARY);
    const isSigned = has(expectedBy(kit, attempt));
    const isMarkup = /xml|html/.test(reply.header("content-type") ?? "") && has([MARKUP]);
    const found = {
      "a secret": has(secrets),
      "the expected signature": isSigned,
      "the payload of an earlier attempt": isForeign,
      "a text of the payload as markup": isMarkup,
    };
    expectNo(LEAK, Object.entries(found).find(([, isThere]) => isThere)?.[0]);
    const stack = isStackIn(reply.text) ? "a stack" : undefined;
    if (!isGenuine) expectNo(STACK, stack);
    const quoted = has([CANARY]) ? "the payload, or an error's message" : undefined;
    expectNo(DETAILS, quoted ?? (isGenuine ? stack : undefined));
  }
}

/** Characters of a secret or a signature that are too many for chance. */
const WINDOW = 12;

const windowsOf = (text: string): readonly string[] =>
  Array.from({ length: Math.max(1, text.length - WINDOW + 1) }, (_, at) =>
    text.slice(at, at + WINDOW),
  );

/** Attempts that programs answer with what they know: malformed, unsigned or signed ones with a mark in the payload. */
function provoking(kit: KitSender): readonly Attempt[] {
  const { signing, events } = kit;
  const texts = Object.fromEntries(TEXTS.map((name) => [name, `${MARKUP}>`]));
  const data = { ...texts, clientReferenceId: CANARY };
  const genuine = (what: string, headers: readonly Header[] = []): Attempt =>
    kit.attempt({ data, what, headers });
  const isJson = !events.isForm && signing.covers.body;
  return [
    ...unverified(kit, { data }),
    signing.withSignature(
      genuine("a signature of odd characters"),
      (text) => `${text.slice(1)}\u00ff`,
    ),
    { ...genuine("an empty body"), body: Buffer.alloc(0) },
    ...Object.entries(BODIES).flatMap(([what, body]): readonly Attempt[] => {
      const event = kit.event({ data });
      const unsigned = kit.unsigned({ event, what: `an unsigned body ${what}` });
      return [
        { ...unsigned, body: Buffer.from(body(event.text)) },
        ...(isJson ? [kit.attempt({ data, body, what: `a signed body ${what}` })] : []),
      ];
    }),
    genuine("a genuine attempt"),
    genuine("another media type", [["Content-Type", CANARY]]),
    genuine("an unknown coding", [["Content-Encoding", CANARY]]),
  ];
}

const BODIES: Readonly<Record<string, (body: string) => string>> = {
  "that is not JSON": (body) => body.slice(0, -1),
  "that is a text": () => `"${CANARY}"`,
  "that is null": () => "null",
  "with a byte that is no UTF-8": (body) => body.replace("{", "{\u00ff"),
  "without data": (body) => body.replace(/"data":/, '"dato":'),
  "with a number for its type": (body) => body.replace(/"(\w*type|event)":"[^"]*"/i, '"$1":5'),
};

/** Other methods and addresses, which pages of frameworks and debuggers answer. */
function elsewhere(kit: KitSender): readonly Attempt[] {
  const { pathname } = kit.url;
  const bare = { ...kit.unsigned(), body: Buffer.alloc(0) };
  const paths = [
    ...["?debug=1", "/debug", "/%00", "/status"].map((end) => pathname + end),
    ...words("/ /health /status /metrics /debug /config /env /.env /debug/vars /actuator/env"),
  ];
  return [
    ...words("GET PUT OPTIONS TRACE").map((method) => ({ ...bare, what: method, method })),
    ...paths.map((path) => ({ ...bare, what: `GET ${path}`, path, method: "GET" })),
  ];
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
function expectedBy(kit: KitSender, attempt: Attempt): readonly string[] {
  const { key, signing } = kit;
  const isSigned = attempt.headers.some(([name]) => signing.headers.includes(name.toLowerCase()));
  if (key === undefined || !isSigned) return [];
  let text: Buffer | undefined;
  try {
    text = kit.textOf(attempt, key);
  } catch {
    // A part of the signed text is missing: nothing is expected.
  }
  if (text === undefined) return [];
  const mac = signing.mac(text, key);
  const all = (["hex", "base64", "base64url"] as const).map((one) => mac.toString(one));
  const sent = attempt.headers.map(([, value]) => value).join(" ");
  return all.some((one) => sent.includes(one)) ? [] : all.map((one) => one.slice(0, WINDOW));
}
