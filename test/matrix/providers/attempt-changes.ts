import { eventOf, resigned, type DeliveryFault, type ProxiedAttempt } from "./fault-kinds.ts";

export type Change = (attempt: ProxiedAttempt) => ProxiedAttempt;

/** Each attempt, changed. */
export const each =
  (change: Change): (() => DeliveryFault) =>
  () =>
  (attempt, next) =>
    next(change(attempt));

/** The attempts of one event from the `from`th on, changed; the first is 1. */
export const later =
  (from: number, change: Change): (() => DeliveryFault) =>
  () => {
    const counts = new Map<string, number>();
    return (attempt, next) => {
      const name = `${attempt.url.href} ${eventOf(attempt).id}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return next(count < from ? attempt : change(attempt));
    };
  };

/** Each attempt with other text, signed for anew. */
export const rewritten = (change: (text: string) => string): (() => DeliveryFault) =>
  each((attempt) => resigned(attempt, { text: change(attempt.body.toString()) }));

/** Seconds. */
export const now = (): number => Math.floor(Date.now() / 1000);
