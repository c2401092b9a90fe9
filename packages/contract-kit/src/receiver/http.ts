import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import type { Reply } from "../harness/message.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { expectAccepted, receiverCheck } from "./receiver-check.ts";

const METHOD = "R-METHOD";

export const methods: ReceiverCheck = receiverCheck({
  id: "receiver/methods",
  title: "methods other than POST are answered, and carry no attempt",
  requirements: [METHOD],
  run: async (kit) => {
    const bare = ["GET", "HEAD", "DELETE"].map((method) => {
      return { ...kit.attempt({ what: method }), method, headers: [], body: Buffer.alloc(0) };
    });
    const whole = ["PUT", "PATCH", "DELETE"].map((method) => {
      return { ...kit.attempt({ what: `${method} with a genuine attempt` }), method };
    });
    const sent = await kit.observe([...bare, ...whole], { retriesOnly429: true });
    for (const { what, runs, reply, body } of sent) {
      const hasRun = runs > 0;
      const { status = 0 } = reply;
      // A page at the address may answer a browser.
      const isPage = body.length === 0 && status > 0 && status < 400;
      const isRight = isPage || status === 501 || (status >= 400 && status < 500);
      const message = `${what}: expected 405 with Allow: POST, got ${reply.summary}${hasRun ? ", and a handler ran" : ""}`;
      kit.expect(METHOD, isRight && !hasRun, message, reply);
    }
  },
});

const CHARSET = "R-BODY-CHARSET";

export const encodings: ReceiverCheck = receiverCheck({
  id: "receiver/encodings",
  title: "every spelling of JSON's media type is accepted",
  requirements: [CHARSET],
  needs: ["json"],
  run: (kit) => {
    const spellings = [
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"',
      "Application/JSON",
    ];
    const attempts = spellings.map((type) =>
      kit.attempt({ what: `Content-Type: ${type}`, headers: [["Content-Type", type]] }),
    );
    return expectAccepted(kit, CHARSET, attempts);
  },
});

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
  run: async (kit) => {
    await kept(kit);
    const { endless } = kit.target.runState;
    if (endless !== undefined) {
      const { what, reply } = endless;
      const message = `${what}: the answer (${reply.summary}) has neither Content-Length nor Transfer-Encoding nor Connection: close, and the connection stays open: its sender waits until its timeout`;
      kit.verdicts.fail(KEEP_ALIVE, message, [reply]);
    }
    await continued(kit);
  },
});

/** The bytes that a receiver leaves unread would be its next request. */
const large = (attempt: Attempt): Attempt => ({
  ...attempt,
  body: Buffer.concat([attempt.body, Buffer.from(" ".repeat(LARGE_BYTES))]),
});

const FAILING = "an attempt whose handler fails";

const refusals: Readonly<Record<string, (kit: KitSender) => Attempt | Promise<Attempt>>> = {
  "an attempt that another secret signed": (kit) => kit.foreign(),
  "an unsigned attempt": (kit) => kit.unsigned(),
  "a large unsigned attempt": (kit) => large(kit.unsigned()),
  "a large attempt that another secret signed": (kit) => large(kit.foreign()),
  "an attempt of another media type": (kit) =>
    kit.attempt({ headers: [["Content-Type", "text/plain"]] }),
  "a genuine signature over a body that is not JSON": (kit) =>
    kit.attempt(kit.signing.covers.body ? { body: "{" } : {}),
  PUT: (kit) => ({ ...kit.attempt(), method: "PUT" }),
  "PUT of a large body": (kit) => ({ ...large(kit.unsigned()), method: "PUT" }),
  "a duplicate": async (kit) => {
    const { event } = kit.attempt();
    await kit.post(kit.attempt({ event }));
    return kit.attempt({ event });
  },
  [FAILING]: async (kit) => {
    await kit.target.effects?.failNext(1);
    return kit.attempt();
  },
  "another genuine attempt": (kit) => kit.attempt(),
};

/** A genuine attempt, a refused one and a genuine one again, over one connection. */
async function kept(kit: KitSender): Promise<void> {
  const { verdicts, target, expect } = kit;
  let reused = 0;
  for (const [what, refusal] of Object.entries(refusals)) {
    const connection = target.sockets.open();
    let last: TestEvent | undefined;
    for (const make of [undefined, refusal, undefined]) {
      if (!connection.isOpen()) break;
      const attempt = make === undefined ? kit.attempt() : { ...(await make(kit)), what };
      const reply: Reply = await kit.postOver(connection, attempt, target.sockets.soonMs(SOON_MS));
      if (make !== undefined) {
        await target.effects?.failNext(0);
        last = attempt.event;
      }
      // A receiver may close a connection at any time; what it keeps it must serve.
      if (reply.failure === "closed") break;
      const isMet = reply.failure === undefined && (make !== undefined || reply.isAcknowledged);
      // A busy receiver says so over a kept connection as well.
      if (reply.isBusy) continue;
      reused += 1;
      const sent =
        make === undefined
          ? `a genuine attempt over the connection of ${what}`
          : `${what}, over a kept connection`;
      expect(KEEP_ALIVE, isMet, `${sent}: got ${reply.summary}`, reply);
      if (reply.failure !== undefined) break;
    }
    connection.close();
    // As its sender does: nothing that has failed is left for other checks.
    if (what === FAILING && last !== undefined) await kit.post(kit.attempt({ event: last }));
    // Each further timeout would take as long.
    if (verdicts.hasFailed(KEEP_ALIVE)) return;
  }
  // The first attempt over each connection does not reuse it.
  if (reused <= Object.keys(refusals).length)
    verdicts.notApplicable(KEEP_ALIVE, "it closes the connection after each attempt");
}

async function continued(kit: KitSender): Promise<void> {
  const attempt = kit.attempt({ headers: [["Expect", "100-continue"]] });
  const { connection, end } = await kit.begin(attempt);
  const waitMs = kit.target.sockets.soonMs(CONTINUE_MS);
  const hasAnswered = await connection.hasBytesWithin(waitMs);
  connection.write(attempt.body);
  const reply = await end();
  if (reply.isBusy)
    return kit.verdicts.notApplicable(CONTINUE, "the receiver was busy at the moment");
  const message = hasAnswered
    ? `an attempt with Expect: 100-continue: expected an acknowledgement, got ${reply.summary}`
    : `an attempt with Expect: 100-continue got no response for ${waitMs} ms; after its body, got ${reply.summary}`;
  kit.expect(CONTINUE, hasAnswered && reply.isAcknowledged, message, reply);
  return undefined;
}
