import { randomUUID } from "node:crypto";
import type { Exchange, RecordedCall } from "../exchange-text.ts";
import { attemptExchange, type Endpoint, httpText } from "../harness/endpoints.ts";
import type { Send } from "../http-send.ts";
import { type Shown, Verdicts } from "../verdicts.ts";

/** Calls and attempts that are shown of one failure. */
const SHOWN = 6;
/** Timeout of a scenario in milliseconds, so that a slow target cannot hold a run for hours. */
const SCENARIO_MS = 100_000;

/** One scenario: its verdicts, and what its sessions have in common. */
export class Scenario extends Verdicts {
  /** In the order in which they were sent. */
  readonly calls: RecordedCall[] = [];
  readonly endpoints: Endpoint[] = [];
  /** Keys of the subscriptions that were made. */
  readonly subscriptions: string[] = [];
  /** Secrets that the target knows: no answer and no attempt may contain one. */
  readonly secrets: Set<string> = new Set();
  /** The part that makes keys unique: short, since a shell shows it. */
  readonly run: string = `check-${randomUUID().slice(0, 13)}`;
  /** First time of a new merchant's clock in milliseconds. */
  readonly now: number;
  /** True once the merchant's clock was moved. */
  hasMovedTime = false;
  readonly #startedAt = performance.now();

  constructor(check: string, requirements: readonly string[], now: number) {
    super(check, requirements);
    this.now = now;
  }

  /** @param shown Default: the last exchanges. Only the first failure of a requirement shows them. */
  override fail(requirement: string, message: string, shown?: Shown): void {
    const isFirst = !this.hasFailed(requirement);
    super.fail(requirement, message, isFirst ? (shown ?? this.#exchanges()) : []);
  }

  /** The last calls of the kit, then the last attempts of the provider, with their secrets. */
  #exchanges(): readonly Exchange[] {
    const attempts = this.endpoints
      .flatMap((endpoint) => endpoint.attempts)
      .toSorted((one, other) => one.at - other.at);
    const calls = this.calls.slice(-SHOWN).map(callExchange);
    return [...calls, ...attempts.slice(-SHOWN).map(attemptExchange)];
  }

  /** @throws {Error} The scenario takes too long, which says nothing about a requirement. */
  requireTime(): void {
    if (performance.now() - this.#startedAt > SCENARIO_MS)
      throw new Error(`the target takes too long: ${this.calls.length} calls in 100 s`);
  }

  /** The same target or state-change URL, whose calls are recorded. */
  recording<T extends { readonly url: string; readonly send: Send }>(to: T): T {
    const { url } = to;
    const send: Send = async (call) => {
      const index = this.calls.push({ url, call, answer: undefined }) - 1;
      const answer = await to.send(call);
      this.calls[index] = { url, call, answer };
      return answer;
    };
    return { ...to, send };
  }
}

function callExchange({ url, call, answer }: RecordedCall): Exchange {
  // A state has its own URL, below which it has no path.
  const path = call.path === "" ? new URL(url).pathname : call.path;
  return {
    sent: httpText(`${call.method} ${path}`, call),
    received: answer === undefined ? "" : httpText(String(answer.status), answer),
  };
}
