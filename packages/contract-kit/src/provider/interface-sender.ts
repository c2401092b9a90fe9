import type { ReceivedAttempt } from "../harness/endpoints.ts";
import { untrustedServer } from "../harness/self-signed.ts";
import type { ProviderCheck } from "../check.ts";
import { AttemptReader } from "../sender/attempts.ts";
import type { Sender, SenderScenario, Subscription, SubscriptionOrder } from "../sender/sender.ts";
import { ALL, emit, onlyEvent, subscribe, typesOf } from "./calls.ts";
import { expectEvent } from "./event-schema.ts";
import { providerCheck } from "./scenario.ts";
import type { Session } from "./session.ts";

/** Milliseconds in which a sender connects to a new address. */
const CONNECTING_MS = 3000;

/** A check of senders as a check of the payment interface. */
export function interfaceCheck({ run, ...check }: SenderScenario): ProviderCheck {
  return providerCheck({ ...check, run: (session) => run(new InterfaceSender(session)) });
}

/** A sender that calls of the payment interface subscribe, and that provider states cause to send. */
export class InterfaceSender implements Sender {
  readonly reader: AttemptReader;
  readonly sending: Sender["sending"];
  readonly types: readonly [string, ...string[]];
  readonly isSlow: boolean;
  readonly hasSeveralEndpoints = true;
  readonly keepsEndpoints = true;
  readonly mayEnd = true;
  readonly retryMs = undefined;
  readonly #session: Session;

  constructor(session: Session) {
    const { profile, target } = session;
    this.#session = session;
    this.reader = new AttemptReader(profile.provider);
    this.sending = profile.sending;
    this.types = typesOf(profile);
    this.isSlow = target.slow === true;
  }

  get secrets(): ReadonlySet<string> {
    return this.#session.scenario.secrets;
  }

  expect(requirement: string, holds: boolean, message: () => string): boolean {
    return this.#session.expect(requirement, holds, message);
  }

  notApplicable(requirement: string, reason: string): void {
    this.#session.notApplicable(requirement, reason);
  }

  async subscribe({ answer, url, types }: SubscriptionOrder = {}): Promise<Subscription> {
    const endpoint = this.#session.openEndpoint(answer);
    const details = types === undefined ? ALL : onlyEvent(...types);
    return subscribe(this.#session, { endpoint, details, url: url?.(endpoint) ?? endpoint.url });
  }

  emit(type: string = this.types[0]): Promise<string> {
    return emit(this.#session, type);
  }

  judgeEvent(attempt: ReceivedAttempt): void {
    const { id } = this.reader.facts(attempt);
    expectEvent(this.#session, attempt, this.reader.provider.id === undefined ? undefined : id);
  }

  canPass(ms: number): Promise<boolean> {
    return this.#session.canPass(ms);
  }

  pass(ms: number): Promise<void> {
    return this.#session.pass(ms);
  }

  settled(): Promise<void> {
    return this.#session.settled();
  }

  readonly listenSecurely = (): ReturnType<typeof untrustedServer> => {
    const endpoint = this.#session.openEndpoint();
    return untrustedServer(
      new URL(endpoint.url).hostname.replace(/^\[(.*)\]$/, "$1"),
      CONNECTING_MS,
    );
  };
}
