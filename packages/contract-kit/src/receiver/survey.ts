import type { Connection } from "../harness/connection.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { Reply } from "../harness/message.ts";
import type { Survey } from "../harness/receiver-target.ts";
import { diagnose } from "./diagnose.ts";

const BLOCKED =
  "One idle connection blocks all others, and each sender keeps one for its next attempt: serve connections in threads, or close each after its answer.";

/**
 * Sends one genuine attempt of each type, once in a run: a receiver that accepts some types has the right clock, secret
 * and path. Which types a vendor's receiver handles is not known: those that show no effect are left out of later checks.
 */
export function survey(kit: KitSender): Promise<Survey> {
  kit.target.runState.survey ??= sendEachType(kit);
  return kit.target.runState.survey;
}

async function sendEachType(kit: KitSender): Promise<Survey> {
  const { events, target } = kit;
  const rows = [...events.rows, ...events.otherRows];
  const post = (some: typeof rows, isFound?: (reply: Reply) => boolean) =>
    kit.postAll(
      some.map((row) => kit.attempt({ row, what: row.type })),
      { ...(isFound && { isFound }) },
    );
  const isLate = ({ failure }: Reply): boolean => failure === "timeout";
  const first = await post(rows, isLate);
  const late = first.find(({ reply }) => isLate(reply));
  if (late !== undefined && (await sendNextTo(kit, idleConnection)).delay === "stranger")
    return { sent: [late], cause: BLOCKED };
  const left = rows.filter(({ type }) => first.every(({ what }) => what !== type));
  const sent = [...first, ...(await post(left))];
  const accepted = sent.filter(({ reply }) => reply.isAcknowledged);
  const [refused, ...others] = sent.map(({ reply }) => reply);
  if (refused !== undefined && accepted.length === 0)
    return { sent, cause: await diagnose(kit, [refused, ...others]) };
  const seen = await kit.waitForEffects(accepted.map(({ event }) => event));
  const handled = new Set(
    accepted.filter(({ event }) => seen?.of(event) !== undefined).map(({ event }) => event.type),
  );
  const known = events.rows.filter(({ type }) => handled.has(type));
  if (!target.handlesAll && known.length > 0) events.rows = known;
  return { sent, seen };
}

const WAIT_MS = 2000;

/** The cause of an attempt's delay: nothing, a stranger's connection, or something else. */
interface Delayed {
  readonly delay: "none" | "stranger" | "other";
  readonly reply: Reply;
}

/**
 * Sends an attempt next to a stranger's connection. A receiver that serves one connection at a time answers it as soon as
 * the stranger's is closed.
 */
export async function sendNextTo(
  kit: KitSender,
  open: (kit: KitSender) => Promise<Connection>,
): Promise<Delayed> {
  const connection = await open(kit);
  await connection.ready;
  const attempt = kit.attempt();
  const next = await kit.begin(attempt);
  next.connection.write(attempt.body);
  const isFree = await next.connection.hasBytesWithin(WAIT_MS);
  connection.close();
  const isFollowing = isFree || (await next.connection.hasBytesWithin(WAIT_MS));
  const reply = await next.end();
  return { delay: isFree ? "none" : isFollowing ? "stranger" : "other", reply };
}

/** A connection without a request, as each sender keeps one. */
export function idleConnection({ target }: KitSender): Promise<Connection> {
  target.sockets.closeIdle();
  return Promise.resolve(target.sockets.open());
}
