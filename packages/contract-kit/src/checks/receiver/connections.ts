import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { receiverCheck } from "../../harness/play.ts";
import type { Reply } from "../../harness/reply.ts";
import type { Connection } from "../../harness/connection.ts";

const KEEP_ALIVE = "R-HTTP-KEEP-ALIVE";
const CONTINUE = "R-HTTP-CONTINUE";

/** Milliseconds in which a receiver answers that is going to, on a machine with much else to do. */
const SOON_MS = 4000;

/** Several attempts over one connection, and one that asks before it sends its body. */
export const connections: ReceiverCheck = receiverCheck({
  id: "receiver/connections",
  title:
    "a connection that is kept carries attempts after refusals, and one may ask before its body",
  requirements: [KEEP_ALIVE, CONTINUE],
  play: async (bench) => {
    await kept(bench);
    await pipelined(bench);
    await continued(bench);
  },
});

const genuine = (bench: Bench): Attempt => bench.attempt(bench.event());
const forged = (bench: Bench): Attempt =>
  bench.attempt(bench.event(), { secrets: [bench.signing.stranger("connections")] });
const typeless = (bench: Bench): Attempt =>
  bench.attempt(bench.event(), { headers: [["Content-Type", "text/plain"]] });
const unreadable = (bench: Bench): Attempt =>
  bench.attempt({ ...bench.event(), body: Buffer.from("{") });

const steps: readonly (readonly [string, (bench: Bench) => Attempt, boolean])[] = [
  ["a genuine attempt", genuine, true],
  ["another genuine attempt", genuine, true],
  ["a forged attempt", forged, false],
  ["a genuine attempt after a forged one", genuine, true],
  ["an attempt of another media type", typeless, false],
  ["a genuine attempt after one of another media type", genuine, true],
  ["a genuine signature over no JSON", unreadable, false],
  ["a genuine attempt after one that is no JSON", genuine, true],
];

async function kept(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  let connection: Connection | undefined;
  let reused = 0;
  for (const [what, make, isGenuine] of steps) {
    const isFresh = connection?.isOpen() !== true;
    if (isFresh) connection = target.wire.open();
    else reused += 1;
    if (connection === undefined) return;
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is tried
    const reply: Reply = await bench.postOver(
      connection,
      make(bench),
      isFresh ? undefined : SOON_MS,
    );
    // A receiver may close a connection at any time; what it keeps it must serve.
    const isClosed = reply.received.kind === "none" && reply.received.why === "closed";
    if (isFresh || isClosed) continue;
    const isMet = reply.received.kind === "answer" && (!isGenuine || reply.isAcknowledged);
    docket.judge(
      KEEP_ALIVE,
      isMet,
      () => `${what}, over the connection of the one before: ${reply.said} came`,
      () => [reply.exchange()],
    );
    // Each further one would be waited for as long.
    if (reply.received.kind === "none") break;
  }
  connection?.close();
  if (reused === 0) docket.unseen(KEEP_ALIVE, "it closes the connection after each attempt");
}

/** Written in one go: answers come in the order of the attempts, each for its own. */
async function pipelined(bench: Bench): Promise<void> {
  const { docket, target } = bench;
  const { wire } = target;
  const attempts = [genuine(bench), forged(bench), genuine(bench)];
  const connection = wire.open();
  for (let sent = 0; sent < attempts.length; sent += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each is a request of the rate's cap
    await wire.pace();
  }
  const heads = attempts.map((attempt) => wire.head(attempt, true));
  connection.write(
    Buffer.concat(attempts.flatMap(({ body }, index) => [heads[index] ?? Buffer.alloc(0), body])),
  );
  for (const [index, attempt] of attempts.entries()) {
    const deadlineMs = index === 0 ? wire.deadlineMs : SOON_MS;
    // oxlint-disable-next-line no-await-in-loop -- answers come one after the other
    const received = await wire.read(connection, "POST", deadlineMs);
    const reply = bench.reply([heads[index] ?? Buffer.alloc(0), attempt.body], received);
    // Who does not take several at once closes after the first.
    if (received.kind === "none" && received.why === "closed") break;
    docket.judge(
      KEEP_ALIVE,
      received.kind === "answer" && (index === 1 || reply.isAcknowledged),
      () =>
        `attempt ${index + 1} of three that came together (genuine, forged, genuine): ${reply.said} came`,
      () => [reply.exchange()],
    );
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
  const hasHeard = await connection.hears(SOON_MS);
  connection.write(attempt.body);
  const received = await wire.read(connection, "POST");
  connection.close();
  const reply = bench.reply([head, attempt.body], received);
  docket.judge(
    CONTINUE,
    hasHeard && reply.isAcknowledged,
    () =>
      hasHeard
        ? `an attempt with Expect: 100-continue: to be taken, and ${reply.said} came`
        : `an attempt with Expect: 100-continue heard nothing for ${SOON_MS} ms; after its body, ${reply.said} came`,
    () => [reply.exchange()],
  );
}
