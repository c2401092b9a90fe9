import {
  AnswerUnreadableError,
  CallAbortedError,
  CallRefusedError,
  CallTimeoutError,
  ClientClosedError,
  ConnectionLostError,
  RequestKeyUsedError,
  TokenRefusedError,
  TokenUnavailableError,
  UnreachableError,
  type CallFacts,
  type ClientError,
} from "./errors.ts";
import type { Failure } from "./failure.ts";

/** The error that a call rejects with. `cause`: the reason of the caller's signal. */
export function errorOf(failure: Failure, facts: CallFacts, cause?: unknown): ClientError {
  switch (failure.code) {
    case "CS_UNREACHABLE":
      return new UnreachableError(failure.reason, facts);
    case "CS_CONNECTION_LOST":
      return new ConnectionLostError(failure.reason, facts);
    case "CS_CALL_TIMEOUT":
      return new CallTimeoutError(facts);
    case "CS_CALL_ABORTED":
      return new CallAbortedError(cause, facts);
    case "CS_CLIENT_CLOSED":
      return new ClientClosedError(facts);
    case "CS_ANSWER_UNREADABLE":
      return new AnswerUnreadableError(failure, facts);
    case "CS_CALL_REFUSED":
      return new CallRefusedError(failure.refusal, facts);
    case "CS_REQUEST_KEY_USED":
      return new RequestKeyUsedError(failure.refusal, failure.existing, facts);
    case "CS_TOKEN_REFUSED":
      return new TokenRefusedError(failure, facts);
    case "CS_TOKEN_UNAVAILABLE":
      return new TokenUnavailableError(failure.reason, facts);
    default:
      return failure satisfies never;
  }
}
