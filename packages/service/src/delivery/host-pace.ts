import type { Answer } from "./transport.ts";

/** The statuses that say that a host, or what stands before it, has more than it can take. */
const OVERLOADED = new Set([429, 502, 504]);
/** Milliseconds without a first attempt after one overload; each further one in a row doubles them. */
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 60_000;
/** Hosts that are remembered: those that were overloaded last. */
const MAX_HOSTS = 4096;

interface Pace {
  /** Attempts at one time. */
  limit: number;
  overloads: number;
  /** Real time, in milliseconds. */
  restsUntil: number;
}

/**
 * How fast hosts are posted to, whichever subscriptions and merchants they belong to. One that answers
 * 429, 502 or 504 gets half the attempts at one time, down to one, and rests; each success gives one of
 * them back and ends the rest.
 *
 * @see Standard Webhooks, "Deliverability"
 */
export class HostPaces {
  readonly #most: number;
  readonly #slowed = new Map<string, Pace>();

  /** @param most Attempts at one time to a host that is not slowed. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Attempts at one time that a host gets, 1 or more. */
  limit(host: string): number {
    return this.#slowed.get(host)?.limit ?? this.#most;
  }

  /** Whether nothing is claimed for a host now. @param now Real time, in milliseconds. */
  rests(host: string, now: number): boolean {
    return (this.#slowed.get(host)?.restsUntil ?? 0) > now;
  }

  /** @param now Real time, in milliseconds. */
  answered(host: string, answer: Answer, now: number): void {
    if (answer.kind === "answered" && OVERLOADED.has(answer.status)) this.#slow(host, now);
    else if (answer.kind === "answered" && answer.status < 400) this.#recover(host);
  }

  #slow(host: string, now: number): void {
    const before = this.#slowed.get(host) ?? { limit: this.#most, overloads: 0, restsUntil: 0 };
    // What was under way when it began to rest says the same again.
    const isKnown = before.restsUntil > now;
    const overloads = isKnown ? before.overloads : before.overloads + 1;
    const rest = Math.min(FIRST_REST_MS * 2 ** (overloads - 1), LONGEST_REST_MS);
    this.#slowed.delete(host);
    this.#slowed.set(host, {
      limit: isKnown ? before.limit : Math.max(1, Math.floor(before.limit / 2)),
      overloads,
      restsUntil: isKnown ? before.restsUntil : now + rest,
    });
    if (this.#slowed.size > MAX_HOSTS) {
      for (const oldest of this.#slowed.keys()) {
        this.#slowed.delete(oldest);
        break;
      }
    }
  }

  #recover(host: string): void {
    const pace = this.#slowed.get(host);
    if (pace === undefined) return;
    pace.limit += 1;
    pace.overloads = 0;
    pace.restsUntil = 0;
    if (pace.limit >= this.#most) this.#slowed.delete(host);
  }
}
