import type { Connection } from "../harness/connection.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { Reply } from "../harness/message.ts";

const WAIT_MS = 2000;

/** What delayed an attempt: nothing, a stranger's connection, or something else. */
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
