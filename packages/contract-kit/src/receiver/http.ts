import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { codings, type Reply } from "../harness/message.ts";
import type { Sender } from "../harness/sender.ts";
import { expectAccepted, receiverCheck } from "./receiver-check.ts";

const METHOD = "R-METHOD";

export const methods: ReceiverCheck = receiverCheck({
  id: "receiver/methods",
  title: "methods other than POST are answered, and carry no attempt",
  requirements: [METHOD],
  run: async (sender) => {
    const { target } = sender;
    sender.requirement = METHOD;
    const bare = ["GET", "HEAD", "DELETE"].map((method) => {
      return { ...sender.genuine(), method, headers: [], body: Buffer.alloc(0), isBare: true };
    });
    const whole = ["PUT", "PATCH", "DELETE"].map((method) => {
      return { ...sender.genuine(), method, isBare: false };
    });
    const sent = await sender.postAll([...bare, ...whole], { isOnce: true });
    const seen = await sender.finalEffects();
    for (const { method, event, isBare, reply } of sent) {
      const allow = reply.header("allow");
      const allowed = (allow ?? "").split(",").map((one) => one.trim());
      const hasRun = (seen?.count(event) ?? 0) > 0;
      const { status = 0 } = reply;
      // A page at the address may answer a browser; a strict receiver says what it takes.
      const isRefusal = status === 501 || (status >= 400 && status < 500);
      const isAnswer = isRefusal || (isBare && status > 0 && status < 400);
      const isRight = target.strict ? status === 405 && allowed.includes("POST") : isAnswer;
      sender.verdicts.expect(
        METHOD,
        isRight && !hasRun,
        () => {
          const what = isBare ? method : `${method} with a genuine attempt`;
          const got = allow === undefined ? "without Allow" : `with Allow: ${allow}`;
          return `${what}: expected 405 with Allow: POST, got ${reply.summary} ${got}${hasRun ? ", and a handler ran" : ""}`;
        },
        [reply],
      );
    }
  },
});

const IDENTITY = "R-BODY-IDENTITY";
const MEDIA = "R-BODY-MEDIA";
const CHARSET = "R-BODY-CHARSET";

const MEDIA_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/xml",
  "text/html",
];

export const encodings: ReceiverCheck = receiverCheck({
  id: "receiver/encodings",
  title:
    "an encoded body or another media type is answered 415, and every spelling of JSON's is accepted",
  requirements: [IDENTITY, MEDIA, CHARSET],
  strict: [MEDIA, IDENTITY],
  inapplicable: ({ events, provider: { title } }) =>
    events.isForm ? `${title} sends forms` : undefined,
  run: async (sender) => {
    const coded = (what: string, coding: string, encode = (body: Buffer) => body): Attempt => {
      const event = sender.event();
      const body = encode(Buffer.from(event.text));
      return sender.attempt(event, { what, body, headers: [["Content-Encoding", coding]] });
    };
    if (sender.isSelected(IDENTITY))
      await unsupported(sender, IDENTITY, [
        ...codings.map(([coding, encode]) => coded(`a body in ${coding}`, coding, encode)),
        coded("a body that only says it is in gzip", "gzip"),
      ]);
    const typed = (type: string): Attempt =>
      sender.genuine({ what: `Content-Type: ${type}`, headers: [["Content-Type", type]] });
    const { media = [] } = sender.target.provider;
    const others = MEDIA_TYPES.filter((type) => !media.includes(type));
    if (sender.isSelected(MEDIA)) await unsupported(sender, MEDIA, others.map(typed));
    const what = "an attempt with Content-Encoding: identity";
    const headers = [["Content-Encoding", "identity"]] as const;
    if (sender.isSelected(IDENTITY))
      await expectAccepted(sender, IDENTITY, [sender.genuine({ what, headers })]);
    const spellings = [
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"',
      "Application/JSON",
    ];
    await expectAccepted(sender, CHARSET, spellings.map(typed));
  },
});

async function unsupported(
  sender: Sender,
  requirement: string,
  attempts: readonly Attempt[],
): Promise<void> {
  for (const { what, reply } of await sender.postAll(attempts))
    sender.verdicts.expect(
      requirement,
      reply.status === 415,
      () => reply.insteadOf(`${what}: expected 415`),
      [reply],
    );
}

const KEEP_ALIVE = "R-HTTP-KEEP-ALIVE";
const CONTINUE = "R-HTTP-CONTINUE";

/** Milliseconds in which a receiver answers that is going to, on a machine with much else to do. */
const SOON_MS = 4000;
/** Milliseconds that clients wait for 100 Continue before they send the body anyway. */
const CONTINUE_MS = 1000;
const LARGE_BYTES = 60_000;

export const connections: ReceiverCheck = receiverCheck({
  id: "receiver/connections",
  title: "a kept connection carries attempts after refusals, and Expect: 100-continue works",
  requirements: [KEEP_ALIVE, CONTINUE],
  run: async (sender) => {
    await kept(sender);
    await pipelined(sender);
    await continued(sender);
  },
});

const forged = (sender: Sender): Attempt => sender.foreign("connections");
/** The bytes that a receiver leaves unread would be its next request. */
const large = (attempt: Attempt): Attempt => ({
  ...attempt,
  body: Buffer.concat([attempt.body, Buffer.from(" ".repeat(LARGE_BYTES))]),
});
const text = [["Content-Type", "text/plain"]] as const;

const refusals: readonly (readonly [what: string, make: (sender: Sender) => Attempt])[] = [
  ["an attempt that another secret signed", forged],
  ["an unsigned attempt", (sender) => sender.unsigned()],
  ["a large unsigned attempt", (sender) => large(sender.unsigned())],
  ["a large attempt that another secret signed", (sender) => large(forged(sender))],
  ["an attempt of another media type", (sender) => sender.genuine({ headers: text })],
  [
    "a genuine signature over no JSON",
    (sender) => sender.genuine(sender.signing.covers.body ? { body: "{" } : {}),
  ],
  ["PUT", (sender) => ({ ...sender.genuine(), method: "PUT" })],
  ["PUT of a large body", (sender) => ({ ...large(sender.unsigned()), method: "PUT" })],
  ["another genuine attempt", (sender) => sender.genuine()],
];

async function kept(sender: Sender): Promise<void> {
  const { verdicts, target } = sender;
  let reused = 0;
  for (const [what, refusal] of refusals) {
    const connection = target.sockets.open();
    for (const make of [undefined, refusal, undefined]) {
      if (!connection.isOpen()) break;
      const attempt = make?.(sender) ?? sender.genuine();
      const reply: Reply = await sender.postOver(connection, attempt, SOON_MS);
      // A receiver may close a connection at any time; what it keeps it must serve.
      if (reply.failure === "closed") break;
      const isMet = reply.failure === undefined && (make !== undefined || reply.isAcknowledged);
      // A busy receiver says so over a kept connection as well.
      if (reply.isBusy) continue;
      reused += 1;
      verdicts.expect(
        KEEP_ALIVE,
        isMet,
        () =>
          make === undefined
            ? `a genuine attempt over the connection of ${what}: got ${reply.summary}`
            : `${what}, over a kept connection: got ${reply.summary}`,
        [reply],
      );
      if (reply.failure !== undefined) break;
    }
    connection.close();
    // Each further timeout would take as long.
    if (verdicts.hasFailed(KEEP_ALIVE)) return;
  }
  // The first attempt over each is none that was reused.
  if (reused <= refusals.length)
    verdicts.notApplicable(KEEP_ALIVE, "it closes the connection after each attempt");
}

/** Written in one go: answers come in the order of the attempts, each for its own. */
async function pipelined(sender: Sender): Promise<void> {
  const { verdicts, target } = sender;
  const { sockets } = target;
  const attempts = [sender.genuine(), forged(sender), sender.genuine()];
  const connection = sockets.open();
  for (const _ of attempts) await sockets.pace();
  const bytes = attempts.map((one) => sockets.bytes(one, true));
  connection.write(Buffer.concat(bytes));
  for (const [index, sent] of bytes.entries()) {
    const deadlineMs = index === 0 ? sockets.deadlineMs : SOON_MS;
    const reply = sender.reply(sent, await sockets.read(connection, "POST", deadlineMs));
    // Who does not take several at once closes after the first.
    if (reply.failure === "closed") break;
    const isRight =
      reply.failure === undefined && (index === 1 || reply.isAcknowledged || reply.isBusy);
    verdicts.expect(
      KEEP_ALIVE,
      isRight,
      () => {
        return `attempt ${index + 1} of three sent together (genuine, forged, genuine): got ${reply.summary}`;
      },
      [reply],
    );
    if (reply.failure !== undefined || !connection.isOpen()) break;
  }
  connection.close();
}

async function continued(sender: Sender): Promise<void> {
  const { verdicts } = sender;
  const attempt = sender.genuine({ headers: [["Expect", "100-continue"]] });
  const { connection, end } = await sender.begin(attempt);
  const hasAnswered = await connection.hasBytesWithin(CONTINUE_MS);
  connection.write(attempt.body);
  const reply = await end();
  if (reply.isBusy) {
    verdicts.notApplicable(CONTINUE, "the receiver was busy at the moment");
    return;
  }
  verdicts.expect(
    CONTINUE,
    hasAnswered && reply.isAcknowledged,
    () =>
      hasAnswered
        ? `an attempt with Expect: 100-continue: expected an acknowledgement, got ${reply.summary}`
        : `an attempt with Expect: 100-continue got no response for ${CONTINUE_MS} ms; after its body, got ${reply.summary}`,
    [reply],
  );
}
