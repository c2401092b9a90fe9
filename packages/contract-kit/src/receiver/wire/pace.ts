import { type Clock, sleep } from "./clock.ts";

/**
 * Waits until one more request may leave: each has a slot of its own, evenly spaced, so that no second has
 * more than `perSecond`.
 *
 * @param perSecond `undefined`: no cap.
 */
export function pacer(clock: Clock, perSecond: number | undefined): () => Promise<void> {
  if (perSecond === undefined) return () => Promise.resolve();
  const spacing = 1000 / perSecond;
  let next = 0;
  return async () => {
    const now = clock.now();
    const slot = Math.max(now, next);
    next = slot + spacing;
    if (slot > now) await sleep(clock, slot - now);
  };
}
