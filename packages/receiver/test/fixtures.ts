import {
  createReceiver,
  memoryInbox,
  type Outcome,
  type Receiver,
  type ReceiverOptions,
} from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import type { EventTypeMap, RefundAuthorizedEvent } from "@countersign/schemas";

export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const otherSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/** The clock of a receiver under test: it stands until the test moves it. */
export const NOON = Date.UTC(2026, 10, 24, 12);

export function refundAuthorized(id = "evt_refund1"): RefundAuthorizedEvent {
  return {
    id,
    type: "refund.authorized",
    category: "PAYMENT",
    timestamp: "2026-11-24T05:00:00.000Z",
    data: { paymentId: "ref_1", paymentStatus: "AUTHORIZED", clientReferenceId: "order-7" },
  };
}

/** Options of a receiver at noon that writes no log. */
export const silent = {
  provider: reference,
  secrets: [secret],
  explain: false,
  fallback: (): undefined => undefined,
  now: (): number => NOON,
  log: false,
} as const;

interface Signing {
  readonly id?: string;
  readonly now?: number;
  readonly secrets?: readonly string[];
}

/** A genuine attempt at noon. */
export const attemptOf = (
  event: object | string | Uint8Array,
  options: Signing = {},
): { headers: Record<string, string>; body: Uint8Array } => {
  const attempt = signedAttempt({
    provider: reference,
    secrets: [secret],
    now: NOON,
    event,
    ...options,
  });
  return { headers: { ...attempt.headers }, body: attempt.body };
};

/** A genuine attempt of an authorized refund. */
export const refundAttempt = (id?: string, options?: Signing): ReturnType<typeof attemptOf> =>
  attemptOf(refundAuthorized(id), options);
export const genuine = refundAttempt();

/** What an outcome is called in a list: its code, or else its kind. */
export const nameOf = (outcome: Outcome): string =>
  "code" in outcome ? outcome.code : outcome.kind;

/** A receiver whose handlers only write down what they got. */
export function recordingReceiver(options: Partial<ReceiverOptions<EventTypeMap>> = {}): {
  receiver: Receiver<EventTypeMap>;
  handled: string[];
  outcomes: Outcome[];
  /** Receives a genuine attempt of an event. */
  send: (event?: object | string | Uint8Array, signing?: Signing) => Promise<Outcome>;
} {
  const handled: string[] = [];
  const outcomes: Outcome[] = [];
  const receiver = createReceiver({
    ...silent,
    fallback: (event) => void handled.push(`fallback ${event.id}`),
    inbox: memoryInbox(),
    onOutcome: (outcome) => void outcomes.push(outcome),
    ...options,
  }).on("PAYMENT", (event) => void handled.push(`PAYMENT ${event.id}`));
  const send = (event: object | string | Uint8Array = refundAuthorized(), signing?: Signing) =>
    receiver.receive(attemptOf(event, signing));
  return { receiver, handled, outcomes, send };
}
