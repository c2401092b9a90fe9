import type { ProviderDocument } from "@countersign/schemas/providers";
import type { AnswerAttempt, Endpoint, ReceivedAttempt } from "../harness/endpoints.ts";
import type { UntrustedServer } from "../harness/self-signed.ts";
import type { Verdicts } from "../verdicts.ts";
import type { AttemptReader } from "./attempts.ts";

/** A sender's promises about retries, of its document; a sender that commands run has none here: what it does is measured. */
export type Sending = NonNullable<ProviderDocument["sending"]>;

/**
 * The sender of events under test, in one scenario. Two kinds exist: one calls the payment interface, the other runs
 * the user's commands. The checks of this folder use nothing else of either.
 */
export interface TestedSender extends Pick<Verdicts, "expect" | "expectEqual" | "notApplicable"> {
  readonly reader: AttemptReader;
  readonly sending: Sending | undefined;
  /** Event types that it can be made to send. */
  readonly types: readonly [string, ...string[]];
  /** Every secret that the sender knows: no attempt may contain one. */
  readonly secrets: ReadonlySet<string>;
  /** True to wait for real deadlines. */
  readonly isSlow: boolean;
  /** True if several endpoints can be subscribed at once; otherwise a subscription replaces the one before. */
  readonly hasSeveralEndpoints: boolean;
  /** True if the sender keeps an endpoint between two events; otherwise each trigger names it. */
  readonly keepsEndpoints: boolean;
  /** True if an endpoint may be ended by 410: it is not the sender's only one. */
  readonly mayEnd: boolean;
  /** True if an event may have any text as its type. */
  readonly takesAnyType: boolean;
  /** The delay of its retries in milliseconds, as `measureRetry` found it, in this check or an earlier one. */
  readonly retryMs: number | undefined;

  /** @throws {StateMissing} The sender takes no subscription of the kit. */
  subscribe(order?: SubscriptionOrder): Promise<Subscription>;
  /** Causes an event. @returns Its id, if it is known before it arrives. */
  emit(type?: string): Promise<string | undefined>;
  /** Judges an event's members: its type and its schema. */
  expectEvent(attempt: ReceivedAttempt): void;

  /** True if a check can wait for that long. */
  canWait(ms: number): Promise<boolean>;
  /** Waits, by the sender's clock if it can be moved. What became due has been attempted. */
  wait(ms: number): Promise<void>;
  /** Waits until what is due now has been attempted. */
  settled(): Promise<void>;
  /** Gives the sender a new secret. @returns It. Absent if that cannot be done. */
  readonly rotate?: () => Promise<string>;
  /** Waits for the second attempt. @returns The delay in milliseconds, or how long it waited in vain. Absent if a schedule says it. */
  readonly measureRetry?: (endpoint: Endpoint) => Promise<number>;
  /** Starts an https server that no client may trust. */
  listenSecurely(): Promise<UntrustedServer>;
}

export interface SubscriptionOrder {
  readonly answer?: AnswerAttempt;
  /** The address to subscribe. Default: the endpoint's own. */
  readonly url?: (endpoint: Endpoint) => string;
  /** True to get events of all types. Default: only those of the first. */
  readonly isForAll?: boolean;
}

export interface Subscription {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/** A check that needs nothing but a sender. */
export interface SenderScenario {
  readonly id: string;
  readonly title: string;
  readonly run: (sender: TestedSender) => Promise<void>;
}
