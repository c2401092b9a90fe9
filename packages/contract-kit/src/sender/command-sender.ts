import { setTimeout } from "node:timers/promises";
import { requirementsOf, type SenderCheck } from "../check.ts";
import { errorsOf } from "../derive/validity.ts";
import { shownBytes } from "../exchange-text.ts";
import { attemptExchange, type Endpoint, type ReceivedAttempt } from "../harness/endpoints.ts";
import { type UntrustedServer, untrustedServer } from "../harness/self-signed.ts";
import { newSecret } from "../harness/secrets.ts";
import type { CommandFacts, RunningCommand, SenderCommands, SenderTarget } from "../target.ts";
import { redactor } from "../redact.ts";
import { parseJson } from "../values.ts";
import { exchangesIn, type Shown, Verdicts } from "../verdicts.ts";
import { AttemptReader } from "./attempts.ts";
import type {
  TestedSender,
  SenderScenario,
  Subscription,
  SubscriptionOrder,
} from "./tested-sender.ts";

export function senderCheck({ id, title, run }: SenderScenario): SenderCheck {
  const requirements = requirementsOf(id, "sender");
  return {
    id,
    title,
    role: "sender",
    requirements,
    run: async (target: SenderTarget) => {
      const sender = new CommandSender(target, id, requirements);
      try {
        await run(sender);
      } finally {
        sender.close();
      }
      return sender.list();
    },
  };
}

/** Milliseconds in which an unwanted attempt would have arrived. */
const QUIET_MS = 500;
/** Milliseconds that the first attempt of an event may take. */
const FIRST_MS = 10_000;
/** Exchanges that are shown of one failure: the last ones. */
const SHOWN = 2;

/** A sender that the user's commands subscribe and trigger, in real time. */
export class CommandSender extends Verdicts implements TestedSender {
  readonly reader: AttemptReader;
  /** Its schedule may be of hours: what it does is measured. */
  readonly sending = undefined;
  readonly types: SenderTarget["types"];
  readonly isSlow: boolean;
  readonly hasSeveralEndpoints: boolean;
  readonly keepsEndpoints: boolean;
  readonly takesAnyType = true;
  readonly mayEnd: boolean;
  readonly rotate?: () => Promise<string>;
  readonly #target: SenderTarget;
  readonly #endpoints: Endpoint[] = [];
  readonly #running: RunningCommand[] = [];
  #url = "";

  constructor(target: SenderTarget, check: string, requirements: readonly string[]) {
    super(check, requirements);
    const { provider, types, slow, commands, runState } = target;
    this.#target = target;
    this.reader = new AttemptReader(provider, target.claims);
    this.types = types;
    this.isSlow = slow;
    this.hasSeveralEndpoints = runState.hasSeveralEndpoints === true;
    this.keepsEndpoints = commands.subscribe !== undefined;
    const { rotate } = commands;
    this.mayEnd = this.keepsEndpoints || runState.followsUrl === true;
    if (rotate !== undefined)
      this.rotate = async () => {
        runState.secret = newSecret(provider);
        target.secrets.add(runState.secret);
        await this.#run("rotate");
        return runState.secret;
      };
  }

  get secrets(): ReadonlySet<string> {
    return this.#target.secrets;
  }

  get retryMs(): number | undefined {
    return this.#target.runState.retryMs;
  }

  /** @param shown Default: the last attempts. */
  override fail(requirement: string, message: string, shown?: Shown): void {
    const attempts = this.#endpoints.flatMap((endpoint) => endpoint.attempts);
    const last = attempts.slice(-SHOWN).map(attemptExchange);
    const exchanges = exchangesIn(shown ?? last).map((exchange) => {
      const { sent, received } = redactor([...this.#target.secrets])(exchange);
      return { sent: shownBytes(sent), received: shownBytes(received) };
    });
    super.fail(requirement, message, exchanges);
  }

  async subscribe({ answer, url }: SubscriptionOrder = {}): Promise<Subscription> {
    const { receiver, runState } = this.#target;
    // Of an event without an id nobody can say that it was sent before.
    const isForeign = (attempt: Parameters<AttemptReader["key"]>[0]): boolean =>
      runState.known.has(this.reader.facts(attempt).id ?? "");
    const endpoint = receiver.open(answer, isForeign);
    this.#endpoints.push(endpoint);
    this.#url = url?.(endpoint) ?? endpoint.url;
    await this.#run("subscribe");
    return { endpoint, secret: runState.secret };
  }

  /** Resolves when an attempt has arrived or the trigger has ended: some triggers go on and retry. */
  async emit(type: string = this.types[0]): Promise<undefined> {
    const { commands, waitMs } = this.#target;
    const endpoint = this.#endpoints.at(-1);
    const before = endpoint?.attempts.length ?? 0;
    const running = commands.trigger(this.#facts(type));
    this.#running.push(running);
    const failure = running.ended.then(
      () => undefined,
      (error: unknown) => error,
    );
    const arrived = endpoint?.until(({ length }) => length > before, Math.min(FIRST_MS, waitMs));
    const first = await Promise.race([failure, arrived]);
    // A trigger may report the answer of the endpoint as its own failure.
    if (first instanceof Error && (endpoint?.attempts.length ?? 0) === before) throw first;
  }

  expectEvent(attempt: ReceivedAttempt): void {
    const { provider, document } = this.#target;
    const { type = "" } = this.reader.facts(attempt);
    const documented = document?.events.map(({ name }) => name);
    const known = documented ?? provider.catalogue?.map((row) => row.type);
    if (known === undefined)
      this.notApplicable("P-EVENT-CATALOGUE", `${provider.title} has no catalogue (--openapi)`);
    else {
      const unknown = `no event ${JSON.stringify(type)} is known; expected one of ${known.join(", ")}`;
      this.expect("P-EVENT-CATALOGUE", known.includes(type), unknown);
    }
    if (document === undefined)
      return this.notApplicable("P-EVENT-SCHEMA", "no document has schemas of events (--openapi)");
    const event = document.events.find(({ name }) => name === type);
    if (event === undefined) return;
    const located = { schema: event.schema, source: document, place: event.key };
    const faults = errorsOf(located, parseJson(attempt.body)).map(
      ({ pointer, message }) => `${pointer || "the event"} ${message}`,
    );
    const message = `${type}: ${faults.join("; ")}`;
    this.expect("P-EVENT-SCHEMA", faults.length === 0, message, [attemptExchange(attempt)]);
  }

  listenSecurely(): Promise<UntrustedServer> {
    return untrustedServer(this.#target.url);
  }

  canWait(ms: number): Promise<boolean> {
    return Promise.resolve(ms <= this.#target.waitMs);
  }

  async wait(ms: number): Promise<void> {
    await this.#run("repeat");
    await setTimeout(ms + QUIET_MS);
  }

  async settled(): Promise<void> {
    await setTimeout(QUIET_MS);
  }

  async measureRetry(endpoint: Endpoint): Promise<number> {
    const { commands, waitMs, runState } = this.#target;
    if (endpoint.attempts.length < 2) await this.#run("repeat");
    await endpoint.until(({ length }) => length > 1, waitMs);
    const [first, second] = endpoint.attempts;
    if (first === undefined || second === undefined) return waitMs;
    runState.retryMs = commands.repeat === undefined ? second.at - first.at : 0;
    return runState.retryMs;
  }

  /** Ends the commands that still run, and remembers the events that may still be repeated. */
  close(): void {
    for (const { stop } of this.#running) stop();
    for (const endpoint of this.#endpoints) {
      for (const attempt of endpoint.attempts) {
        const { id } = this.reader.facts(attempt);
        if (id !== undefined) this.#target.runState.known.add(id);
      }
      endpoint.close();
    }
  }

  async #run(name: Exclude<keyof SenderCommands, "trigger">): Promise<void> {
    await this.#target.commands[name]?.(this.#facts()).ended;
  }

  #facts(type: string = this.types[0]): CommandFacts {
    return { url: this.#url, secret: this.#target.runState.secret, type };
  }
}
