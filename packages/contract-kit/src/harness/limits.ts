import { sleep } from "./clock.ts";
import type { KitSender } from "./kit-sender.ts";
import type { Reply } from "./message.ts";
import { RunOverError } from "./sockets.ts";

/** Retries of one attempt after 429. */
export const LIMITED_RETRIES = 12;
/** Longest wait before a retry, in milliseconds. */
export const LONGEST_WAIT_MS = 5000;
/** Answers of 429 to one attempt, and requests since the last refused one, after which a ban is suspected. */
const SUSPECTED_RETRIES = 6;
const SOON_REQUESTS = 40;
const BAN_POLL_MS = 2000;
const LONGEST_BAN_MS = 90_000;
/** Genuine attempts that show if a ban is due to their rate: at most, and at once. */
const MAX_REPLAYED = 1000;
const AT_ONCE = 4;
/** Milliseconds of all waits for 429 in a run: concurrent attempts each count. */
const MAX_LIMITED_MS = 600_000;

/**
 * Ends the run if it cannot go on because of 429.
 *
 * @throws {TargetLostError} Refused attempts shut genuine ones out.
 * @throws {RunOverError} The receiver's limit is too low for a run.
 */
export async function judgeLimit(kit: KitSender, reply: Reply, turn: number): Promise<void> {
  const { sockets, runState } = kit.target;
  const isSoon = sockets.sent - runState.refusals.sent <= SOON_REQUESTS;
  if (turn >= SUSPECTED_RETRIES && (isSoon || runState.ban)) {
    runState.ban ??= judgeBan(kit, reply);
    await runState.ban;
  }
  if (turn < LIMITED_RETRIES && runState.limitedMs < MAX_LIMITED_MS) return;
  const askedMs = reply.retryAfterMs(kit.now()) ?? 0;
  const [asked, then] =
    askedMs > LONGEST_WAIT_MS
      ? [`asks to wait ${Math.ceil(askedMs / 1000)} s`, "run again after that time"]
      : ["answers 429 after every wait", "send fewer requests per second"];
  sockets.over = `not judged: after ${sockets.sent} requests, of which it refused ${runState.refusals.count}, the receiver limits the rate and ${asked}; allow this machine's address there, raise the limit for this run, or ${then}`;
  throw new RunOverError(sockets.over);
}

/** A limit of the rate refuses as many genuine attempts at the same rate, too: a ban for refused ones does not. */
async function judgeBan(kit: KitSender, first: Reply): Promise<void> {
  const { sockets, runState } = kit.target;
  const event = kit.event();
  const send = async (): Promise<Reply> => {
    const attempt = kit.attempt({ event });
    return kit.reply(attempt, sockets.bytes(attempt, true), await sockets.send(attempt));
  };
  let left = Math.min(sockets.sent, MAX_REPLAYED);
  const { count } = runState.refusals;
  const until = kit.clock.elapsed() + LONGEST_BAN_MS;
  let last = first;
  while (last.status === 429 && kit.clock.elapsed() < until) {
    const askedMs = last.retryAfterMs(kit.now()) ?? BAN_POLL_MS;
    await sleep(kit.clock, Math.min(Math.max(askedMs, BAN_POLL_MS), LONGEST_WAIT_MS));
    last = await send();
  }
  if (!last.isAcknowledged) return;
  sockets.speedUp();
  let isLimited = false;
  const replay = async (): Promise<void> => {
    for (; left > 0 && !isLimited; left -= 1) if (!(await send()).isAcknowledged) isLimited = true;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, replay));
  if (!isLimited) kit.shutOut(count, first);
}
