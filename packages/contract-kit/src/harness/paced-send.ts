import { setTimeout } from "node:timers/promises";
import type { HttpAnswer, Send } from "../http.ts";

export interface PaceOptions {
  /** Calls a second; above 0, `Infinity` for as many as there are. */
  readonly perSecond: number;
  /** Lets time pass, in milliseconds. Default: by waiting. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** Milliseconds of a clock that only goes forward. Default: this machine's. */
  readonly now?: () => number;
}

/** How often a call is made again that the target has no room for. */
const MAX_AGAIN = 3;
/** Milliseconds that a target's `Retry-After` is waited for at most. */
const MAX_WAIT_MS = 65_000;

/**
 * Sends no more than so many calls a second, and makes a call again that was answered 429: a target that
 * limits its rates is not tested against them, and its refusal is no finding.
 */
export function pacedSend(
  send: Send,
  { perSecond, sleep = setTimeout, now = () => performance.now() }: PaceOptions,
): Send {
  let free = 0;
  const turn = async (): Promise<void> => {
    const at = Math.max(now(), free);
    free = at + 1000 / perSecond;
    if (at > now()) await sleep(at - now());
  };
  return async (call) => {
    for (let made = 0; ; made += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await turn();
      // oxlint-disable-next-line no-await-in-loop -- likewise
      const answer = await send(call);
      if (answer.status !== 429 || made === MAX_AGAIN) return answer;
      // oxlint-disable-next-line no-await-in-loop -- likewise
      await sleep(waitOf(answer));
    }
  };
}

function waitOf({ headers }: HttpAnswer): number {
  const seconds = Number(headers["retry-after"] ?? 1);
  return Math.min(MAX_WAIT_MS, Math.max(1, Number.isFinite(seconds) ? seconds : 1) * 1000);
}
