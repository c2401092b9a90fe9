import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { mustTake, receiverCheck } from "../../harness/play.ts";
import { codings, type Reply } from "../../harness/message.ts";

const METHOD = "R-METHOD";

export const methods: ReceiverCheck = receiverCheck({
  id: "receiver/methods",
  title: "methods other than POST are answered 405 with Allow, and carry no attempt",
  requirements: [METHOD],
  play: async (bench) => {
    const bare = ["GET", "HEAD", "DELETE"].map((method) => {
      return { ...bench.genuine(), method, headers: [], body: Buffer.alloc(0), ids: [] };
    });
    const whole = ["PUT", "PATCH", "DELETE"].map((method) => ({ ...bench.genuine(), method }));
    const sent = await bench.postAll([...bare, ...whole]);
    const seen = await bench.finalEffects();
    for (const { method, body, ids, reply } of sent) {
      const allow = reply.header("allow");
      const allowed = (allow ?? "").split(",").map((one) => one.trim());
      const hasRun = ids.some((id) => (seen?.count(id) ?? 0) > 0);
      const isRight = reply.status === 405 && allowed.includes("POST") && !hasRun;
      bench.docket.judge(METHOD, isRight, [reply], () => {
        const what = body.length > 0 ? `${method} with a genuine attempt` : method;
        const got = allow === undefined ? "without Allow" : `with Allow: ${allow}`;
        return `${what}: expected 405 with Allow: POST, got ${reply.said} ${got}${hasRun ? ", and a handler ran" : ""}`;
      });
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
  play: async (bench) => {
    const coded = (what: string, coding: string, encode = (body: Buffer) => body): Attempt => {
      const event = bench.event();
      const body = encode(Buffer.from(event.text));
      return bench.attempt(event, { what, body, headers: [["Content-Encoding", coding]] });
    };
    await unsupported(bench, IDENTITY, [
      ...codings.map(([coding, encode]) => coded(`a body in ${coding}`, coding, encode)),
      coded("a body that only says it is in gzip", "gzip"),
    ]);
    const typed = (type: string): Attempt =>
      bench.genuine({ what: `Content-Type: ${type}`, headers: [["Content-Type", type]] });
    await unsupported(bench, MEDIA, MEDIA_TYPES.map(typed));
    const what = "an attempt with Content-Encoding: identity";
    const headers = [["Content-Encoding", "identity"]] as const;
    await mustTake(bench, CHARSET, [
      { ...bench.genuine({ what, headers }), requirement: IDENTITY },
      ...[
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
        "Application/JSON",
      ].map(typed),
    ]);
  },
});

async function unsupported(
  bench: Bench,
  requirement: string,
  attempts: readonly Attempt[],
): Promise<void> {
  for (const { what, reply } of await bench.postAll(attempts))
    bench.docket.answered(requirement, reply.status === 415, reply, `${what}: expected 415`);
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
  play: async (bench) => {
    await kept(bench);
    await pipelined(bench);
    await continued(bench);
  },
});

const forged = (bench: Bench): Attempt => bench.foreign("connections");
/** The bytes that a receiver leaves unread would be its next request. */
const large = (attempt: Attempt): Attempt => ({
  ...attempt,
  body: Buffer.concat([attempt.body, Buffer.from(" ".repeat(LARGE_BYTES))]),
});
const text = [["Content-Type", "text/plain"]] as const;

const refusals: readonly (readonly [what: string, make: (bench: Bench) => Attempt])[] = [
  ["an attempt that another secret signed", forged],
  ["an unsigned attempt", (bench) => bench.unsigned()],
  ["a large unsigned attempt", (bench) => large(bench.unsigned())],
  ["a large attempt that another secret signed", (bench) => large(forged(bench))],
  ["an attempt of another media type", (bench) => bench.genuine({ headers: text })],
  ["a genuine signature over no JSON", (bench) => bench.genuine({ body: "{" })],
  ["PUT", (bench) => ({ ...bench.genuine(), method: "PUT" })],
  ["PUT of a large body", (bench) => ({ ...large(bench.unsigned()), method: "PUT" })],
  ["another genuine attempt", (bench) => bench.genuine()],
];

async function kept(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  let reused = 0;
  for (const [what, refusal] of refusals) {
    const connection = target.wire.open();
    for (const make of [undefined, refusal, undefined]) {
      if (!connection.isOpen()) break;
      const attempt = make?.(bench) ?? bench.genuine();
      const reply: Reply = await bench.postOver(connection, attempt, SOON_MS);
      // A receiver may close a connection at any time; what it keeps it must serve.
      if (reply.failure === "closed") break;
      const isMet = reply.failure === undefined && (make !== undefined || reply.isAcknowledged);
      // A busy receiver says so over a kept connection as well.
      if (reply.isBusy) continue;
      reused += 1;
      docket.judge(KEEP_ALIVE, isMet, [reply], () =>
        make === undefined
          ? `a genuine attempt over the connection of ${what}: got ${reply.said}`
          : `${what}, over a kept connection: got ${reply.said}`,
      );
      if (reply.failure !== undefined) break;
    }
    connection.close();
    // Each further timeout would take as long.
    if (docket.hasFailed(KEEP_ALIVE)) return;
  }
  // The first attempt over each is none that was reused.
  if (reused <= refusals.length)
    docket.unseen(KEEP_ALIVE, "it closes the connection after each attempt");
}

/** Written in one go: answers come in the order of the attempts, each for its own. */
async function pipelined(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  const { wire } = target;
  const attempts = [bench.genuine(), forged(bench), bench.genuine()];
  const connection = wire.open();
  for (const _ of attempts) await wire.pace();
  const bytes = attempts.map((one) => wire.bytes(one, true));
  connection.write(Buffer.concat(bytes));
  for (const [index, sent] of bytes.entries()) {
    const deadlineMs = index === 0 ? wire.deadlineMs : SOON_MS;
    const reply = bench.reply(sent, await wire.read(connection, "POST", deadlineMs));
    // Who does not take several at once closes after the first.
    if (reply.failure === "closed") break;
    const isRight =
      reply.failure === undefined && (index === 1 || reply.isAcknowledged || reply.isBusy);
    docket.judge(KEEP_ALIVE, isRight, [reply], () => {
      return `attempt ${index + 1} of three sent together (genuine, forged, genuine): got ${reply.said}`;
    });
    if (reply.failure !== undefined || !connection.isOpen()) break;
  }
  connection.close();
}

async function continued(bench: Bench): Promise<void> {
  const { docket } = bench;
  const attempt = bench.genuine({ headers: [["Expect", "100-continue"]] });
  const { connection, end } = await bench.begin(attempt);
  const hasHeard = await connection.hears(CONTINUE_MS);
  connection.write(attempt.body);
  const reply = await end();
  if (reply.isBusy) return docket.unseen(CONTINUE, "the receiver was busy at the moment");
  return docket.judge(CONTINUE, hasHeard && reply.isAcknowledged, [reply], () =>
    hasHeard
      ? `an attempt with Expect: 100-continue: expected an acknowledgement, got ${reply.said}`
      : `an attempt with Expect: 100-continue got no response for ${CONTINUE_MS} ms; after its body, got ${reply.said}`,
  );
}
