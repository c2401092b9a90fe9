import type { Failure } from "./failure.ts";
import { until } from "./until.ts";

export type TokenOutcome =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly failure: Failure };

/** A token as issued. */
export type Issue = () => Promise<
  | { readonly ok: true; readonly token: string; readonly expiresAt: number | undefined }
  | { readonly ok: false; readonly failure: Failure }
>;

interface Held {
  readonly token: string;
  readonly expiresAt: number;
  /** Time from which a new token is requested while this one is still used. */
  renewAt: number;
}

const EARLIEST_MS = 60_000;
const AGAIN_MS = 5000;

/**
 * The access token of one client. It is renewed in the last minute of its life, or in the last
 * tenth if that is shorter, while calls still use the old one. However many calls wait, one request
 * is under way.
 */
export class Tokens {
  readonly #issue: Issue;
  readonly #now: () => number;
  #held: Held | undefined;
  #underWay: Promise<TokenOutcome> | undefined;

  /** @param parts `issue` never rejects. */
  constructor({ issue, now }: { readonly issue: Issue; readonly now: () => number }) {
    this.#issue = issue;
    this.#now = now;
  }

  /** Returns an unexpired token. Rejects with the signal; the request continues for other calls. */
  async get(signal: AbortSignal): Promise<TokenOutcome> {
    const held = this.#held;
    if (held !== undefined && this.#now() < held.expiresAt) {
      if (this.#now() >= held.renewAt) void this.#renew();
      return { ok: true, token: held.token };
    }
    const outcome = await until(this.#renew(), signal);
    return outcome ?? { ok: false, failure: { code: "CS_CALL_ABORTED" } };
  }

  /** Drops a token that was answered 401, unless it has been replaced already. */
  refused(token: string): void {
    if (this.#held?.token === token) this.#held = undefined;
  }

  /** Resolves when no request is running. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  #renew(): Promise<TokenOutcome> {
    this.#underWay ??= this.#issued().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #issued(): Promise<TokenOutcome> {
    // The lifetime counts from before the request, not from the answer's arrival.
    const askedAt = this.#now();
    const outcome = await this.#issue();
    if (!outcome.ok) {
      // The token in use has some life left: not every call until then has to ask for the next one.
      if (this.#held !== undefined) this.#held.renewAt = this.#now() + AGAIN_MS;
      return outcome;
    }
    const { token, expiresAt = Number.POSITIVE_INFINITY } = outcome;
    const early = Math.min(EARLIEST_MS, (expiresAt - askedAt) / 10);
    this.#held = { token, expiresAt, renewAt: expiresAt - early };
    return { ok: true, token };
  }
}
