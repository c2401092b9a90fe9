import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { type Forgery, mustTake, receiverCheck } from "../../harness/play.ts";
import { codings, isBusy, type Reply } from "../../harness/message.ts";

const METHOD = "R-METHOD";

export const methods: ReceiverCheck = receiverCheck({
  id: "receiver/methods",
  title: "methods other than POST are answered 405 with Allow, and carry no attempt",
  requirements: [METHOD],
  play: async (bench) => {
    const bare = ["GET", "HEAD", "DELETE"].map((method) => ({
      method,
      headers: [],
      body: Buffer.alloc(0),
      ids: [],
    }));
    const whole = ["PUT", "PATCH", "DELETE"].map((method) => ({
      ...bench.attempt(bench.event()),
      method,
    }));
    const attempts: readonly Attempt[] = [...bare, ...whole];
    const cases = await bench.postCases(attempts.map((attempt) => ({ attempt })));
    const seen = await bench.finalEffects();
    for (const { attempt, reply } of cases) {
      const { method, body, ids } = attempt;
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
    const coded = (what: string, coding: string, encode = (body: Buffer) => body) => {
      const event = bench.event();
      const body = encode(event.body);
      return {
        what,
        attempt: bench.attempt({ ...event, body }, { headers: [["Content-Encoding", coding]] }),
      };
    };
    await unsupported(bench, IDENTITY, [
      ...codings.map(([coding, encode]) => coded(`a body in ${coding}`, coding, encode)),
      coded("a body that only says it is in gzip", "gzip"),
    ]);
    await unsupported(
      bench,
      MEDIA,
      MEDIA_TYPES.map((type) => ({
        what: `Content-Type: ${type}`,
        attempt: bench.attempt(bench.event(), { headers: [["Content-Type", type]] }),
      })),
    );
    const genuine = (requirement: string, name: string, value: string) => {
      const event = bench.event();
      return {
        what: `an attempt with ${name}: ${value}`,
        event,
        attempt: bench.attempt(event, { headers: [[name, value]] }),
        requirement,
      };
    };
    await mustTake(bench, CHARSET, [
      genuine(IDENTITY, "Content-Encoding", "identity"),
      ...[
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
        "Application/JSON",
      ].map((type) => genuine(CHARSET, "Content-Type", type)),
    ]);
  },
});

async function unsupported(
  bench: Bench,
  requirement: string,
  cases: readonly Forgery[],
): Promise<void> {
  for (const { what, reply } of await bench.postCases(cases))
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

const genuine = (bench: Bench): Attempt => bench.attempt(bench.event());
const forged = (bench: Bench): Attempt => bench.foreign("connections");
const unsigned = (bench: Bench): Attempt => bench.unsigned();
/** The bytes that a receiver leaves unread would be its next request. */
const large = (attempt: Attempt): Attempt => ({
  ...attempt,
  body: Buffer.concat([attempt.body, Buffer.from(" ".repeat(LARGE_BYTES))]),
});

const refusals: readonly (readonly [what: string, make: (bench: Bench) => Attempt])[] = [
  ["an attempt that another secret signed", forged],
  ["an unsigned attempt", unsigned],
  ["a large unsigned attempt", (bench) => large(unsigned(bench))],
  ["a large attempt that another secret signed", (bench) => large(forged(bench))],
  [
    "an attempt of another media type",
    (bench) => bench.attempt(bench.event(), { headers: [["Content-Type", "text/plain"]] }),
  ],
  [
    "a genuine signature over no JSON",
    (bench) => bench.attempt({ ...bench.event(), body: Buffer.from("{") }),
  ],
  ["PUT", (bench) => ({ ...genuine(bench), method: "PUT" })],
  ["PUT of a large body", (bench) => ({ ...large(unsigned(bench)), method: "PUT" })],
  ["another genuine attempt", genuine],
];

async function kept(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  let reused = 0;
  for (const [what, make] of refusals) {
    const connection = target.wire.open();
    for (const step of [genuine, make, genuine]) {
      if (!connection.isOpen()) break;
      const reply: Reply = await bench.postOver(connection, step(bench), SOON_MS);
      const { received } = reply;
      // A receiver may close a connection at any time; what it keeps it must serve.
      if (received.kind === "none" && received.why === "closed") break;
      const isMet = received.kind === "answer" && (step === make || reply.isAcknowledged);
      // A busy receiver says so over a kept connection as well.
      if (isBusy(reply)) continue;
      reused += 1;
      docket.judge(KEEP_ALIVE, isMet, [reply], () =>
        step === make
          ? `${what}, over a kept connection: got ${reply.said}`
          : `a genuine attempt over the connection of ${what}: got ${reply.said}`,
      );
      if (received.kind === "none") break;
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
  const attempts = [genuine(bench), forged(bench), genuine(bench)];
  const connection = wire.open();
  for (let sent = 0; sent < attempts.length; sent += 1) {
    await wire.pace();
  }
  const heads = attempts.map((attempt) => wire.head(attempt, true));
  connection.write(
    Buffer.concat(attempts.flatMap(({ body }, index) => [heads[index] ?? Buffer.alloc(0), body])),
  );
  for (const [index, attempt] of attempts.entries()) {
    const deadlineMs = index === 0 ? wire.deadlineMs : SOON_MS;
    const received = await wire.read(connection, "POST", deadlineMs);
    const reply = bench.reply([heads[index] ?? Buffer.alloc(0), attempt.body], received);
    // Who does not take several at once closes after the first.
    if (received.kind === "none" && received.why === "closed") break;
    const isRight =
      received.kind === "answer" && (index === 1 || reply.isAcknowledged || isBusy(reply));
    docket.judge(KEEP_ALIVE, isRight, [reply], () => {
      return `attempt ${index + 1} of three sent together (genuine, forged, genuine): got ${reply.said}`;
    });
    if (received.kind === "none" || !connection.isOpen()) break;
  }
  connection.close();
}

async function continued(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  const { wire } = target;
  const attempt = bench.attempt(bench.event(), { headers: [["Expect", "100-continue"]] });
  await wire.pace();
  const connection = wire.open();
  const head = wire.head(attempt);
  connection.write(head);
  const hasHeard = await connection.hears(CONTINUE_MS);
  connection.write(attempt.body);
  const received = await wire.read(connection, "POST");
  connection.close();
  const reply = bench.reply([head, attempt.body], received);
  if (isBusy(reply)) return docket.unseen(CONTINUE, "the receiver was busy at the moment");
  return docket.judge(CONTINUE, hasHeard && reply.isAcknowledged, [reply], () =>
    hasHeard
      ? `an attempt with Expect: 100-continue: expected an acknowledgement, got ${reply.said}`
      : `an attempt with Expect: 100-continue got no response for ${CONTINUE_MS} ms; after its body, got ${reply.said}`,
  );
}
