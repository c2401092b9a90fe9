import type { ProviderCheck } from "../check.ts";
import { untrustedServer } from "../harness/self-signed.ts";
import { AttemptReader } from "../sender/attempts.ts";
import type { TestedSender, SenderScenario } from "../sender/tested-sender.ts";
import { ALL, emit, onlyEvent, subscribe, typesOf } from "./calls.ts";
import { expectEvent } from "./event-schema.ts";
import { providerCheck } from "./provider-check.ts";
import type { Session } from "./session.ts";

/** A check of senders as a check of the payment interface. */
export function interfaceCheck({ run, ...check }: SenderScenario): ProviderCheck {
  return providerCheck({ ...check, run: (session) => run(interfaceSender(session)) });
}

/** A sender that calls of the payment interface subscribe, and that provider states cause to send. */
export function interfaceSender(session: Session): TestedSender {
  const { profile, target, scenario } = session;
  const reader = new AttemptReader(profile.provider);
  const types = typesOf(profile);
  return {
    reader,
    types,
    sending: profile.sending,
    secrets: scenario.secrets,
    isSlow: target.slow === true,
    hasSeveralEndpoints: true,
    keepsEndpoints: true,
    mayEnd: true,
    takesAnyType: false,
    retryMs: undefined,
    expect: (...observed) => scenario.expect(...observed),
    expectEqual: (...compared) => scenario.expectEqual(...compared),
    notApplicable: (...reason) => scenario.notApplicable(...reason),
    subscribe: ({ answer, url, isForAll = false } = {}) => {
      const endpoint = session.openEndpoint(answer);
      const details = isForAll ? ALL : onlyEvent(types[0]);
      return subscribe(session, { endpoint, details, url: url?.(endpoint) ?? endpoint.url });
    },
    emit: (type = types[0]) => emit(session, type),
    expectEvent: (attempt) => {
      const isSigned = reader.provider.id !== undefined;
      expectEvent(session, attempt, isSigned ? reader.facts(attempt).id : undefined);
    },
    canWait: (ms) => session.canPass(ms),
    wait: (ms) => session.pass(ms),
    settled: () => session.settled(),
    listenSecurely: () => untrustedServer(session.openEndpoint().url),
  };
}
