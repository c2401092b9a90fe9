/** The sandbox's answers, as far as the page reads them. Times are ISO 8601 in UTC. */
import type { ProviderDocument } from "@countersign/schemas/providers";

/** A name of the profile's catalogue. */
export interface NamedEvent {
  readonly type: string;
  readonly category: string;
  /** Kinds of events with this name; empty if the sandbox never emits it. */
  readonly kinds: readonly string[];
  /** JSON Pointers into the payload, one of which leads to the id of what the event is about. */
  readonly subjects: readonly string[];
}

export interface About {
  readonly merchantId: string;
  readonly profile: string;
  /** The address of `--deliver-to`. */
  readonly target: { readonly url: string } | null;
  readonly scheduleSeconds: readonly number[];
  readonly deadlineSeconds: number;
  readonly events: readonly NamedEvent[];
  /** JSON Pointers into every payload. */
  readonly envelope: {
    readonly id: string;
    readonly type: string;
    readonly timestamp: string;
    readonly data: string;
    readonly category?: string;
  };
  readonly accountTypes: readonly string[];
  /** The provider's document, without its list of events. */
  readonly provider: ProviderDocument;
  /** Business days from a settlement to the refund's threshold. */
  readonly businessDays: number;
  readonly faultRoutes: readonly string[];
  readonly hasPayments: boolean;
  readonly hasCustomers: boolean;
  readonly customerMoves: readonly { readonly from: string | null; readonly to: string }[];
}

export type EventStatus = "pending" | "sending" | "delivered" | "retrying" | "gave_up" | "unsent";

/** An event with one of its deliveries, or with none. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly subject: string | null;
  readonly amount: string | null;
  /** Sandbox time. */
  readonly timestamp: string;
  readonly status: EventStatus;
  readonly deliveryId: string | null;
  readonly subscriptionKey: string | null;
  readonly url: string | null;
  readonly isPaused: boolean;
  readonly state: string | null;
  readonly attempts: number | null;
  /** Sandbox time. */
  readonly nextAt: string | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  /** Real time. */
  readonly lastStartedAt: string | null;
}

export interface EventPage {
  readonly rows: readonly EventRow[];
  readonly counts: Readonly<Partial<Record<EventStatus, number>>>;
  /** All events, whatever the filter. */
  readonly total: number;
  /** The cursor of older rows. */
  readonly before: string | null;
}

/** The receiver's report about one attempt. */
export interface Outcome {
  readonly outcome: string;
  readonly code: string | null;
  readonly message: string | null;
  readonly explanation: readonly string[];
  readonly durationMs: number | null;
}

type Fields = Readonly<Record<string, string>>;

export interface Attempt {
  readonly number: number;
  /** Real time. */
  readonly startedAt: string;
  /** Sandbox time; `null` for an attempt of an earlier run. */
  readonly sandboxAt: string | null;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The first KiB of the response. */
  readonly answer: string | null;
  readonly headers: Fields | null;
  /** `null` without a response, and for an attempt of an earlier run. */
  readonly responseHeaders: Fields | null;
  /** The kind of the fault that made the response. */
  readonly fault: string | null;
  /** True if the fault kept the attempt from the receiver. */
  readonly isUnseen: boolean;
  readonly outcome: Outcome | null;
}

export interface Delivery extends Omit<EventRow, "attempts"> {
  readonly deliveryId: string;
  readonly attempts: readonly Attempt[];
}

export interface WrittenEvent {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly timestamp: string;
  readonly payload: string;
  readonly subject: string | null;
}

export interface EventDetail {
  readonly event: WrittenEvent;
  readonly deliveries: readonly Delivery[];
}

export interface SignatureSteps {
  readonly scheme: string;
  readonly header: string;
  readonly signedText: string;
  readonly key: { readonly form: string; readonly bytes: number; readonly fingerprint: string };
  readonly expected: string;
  readonly received: string;
  /** Place of the first differing byte; `null` if they are equal. */
  readonly signatureDiffersAt: number | null;
  readonly bodyDiffersAt: number | null;
  readonly verdict: string;
  readonly explanations: readonly {
    readonly cause: string;
    readonly certain: boolean;
    readonly sentence: string;
    readonly fix: string;
  }[];
}

export interface Due {
  readonly now: string;
  readonly next: {
    readonly kind: "refund" | "attempt";
    readonly id: string;
    readonly at: string;
    readonly what: string;
    readonly url: string | null;
  } | null;
  /** Items that are due by the requested time. */
  readonly count: number;
  readonly businessDays: readonly { readonly date: string; readonly at: string }[];
}

export interface PaymentRow {
  readonly id: string;
  readonly direction: "DEBIT" | "CREDIT";
  readonly status: string;
  readonly covered: boolean;
  readonly amount: string;
  /** The remainder that can be refunded; `null` if nothing can be. */
  readonly refundable: string | null;
  readonly refunds: number;
  readonly createdAt: string;
  readonly dueAt: string | null;
}

export interface PaymentPage {
  readonly rows: readonly PaymentRow[];
  readonly count: number;
  readonly before: string | null;
}

export interface Payment {
  readonly id: string;
  readonly direction: "DEBIT" | "CREDIT";
  readonly customerId: string;
  readonly amount: string;
  readonly paymentStatus: string;
  readonly clientReferenceId: string | null;
  readonly requestKey: string;
  readonly creationDate: string;
  readonly settlementDate?: string;
  readonly covered: boolean;
  readonly errorDetails?: { readonly errorCode: string; readonly errorMessage: string };
  readonly refundable: string | null;
  readonly dueAt: string | null;
}

export interface PaymentDetail {
  readonly payment: Payment;
  /** The payment itself, or the one that the refund is of. */
  readonly debit: Payment;
  readonly refunds: readonly Payment[];
  readonly hold: {
    readonly settledAt: string;
    readonly eligibleAt: string;
    readonly timeZone: string;
    readonly businessDays: number;
    readonly days: readonly {
      readonly date: string;
      readonly isOpen: boolean;
      readonly closed: string | null;
    }[];
  } | null;
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly subject: string;
    readonly timestamp: string;
  }[];
}

export interface Customer {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly customerStatus: string;
  readonly creationDate: string;
  readonly accountDetails?: Readonly<Record<string, string | boolean>>;
}

interface EventSet {
  readonly all: boolean;
  readonly categories: readonly string[];
  readonly events: readonly string[];
}

export interface Endpoint {
  readonly subscriptionKey: string;
  readonly url: string;
  readonly status: string;
  readonly selection: { readonly include: EventSet; readonly exclude: EventSet };
  readonly consecutiveFailures: number;
  readonly failingSince: string | null;
  readonly lastSuccessAt: string | null;
  readonly isTarget: boolean;
  /** Deliveries by their state. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface Fault {
  readonly route: string;
  readonly kind: "status" | "delay" | "reset" | "lost";
  readonly status?: number;
  readonly delayMs?: number;
  readonly retryAfterSeconds?: number;
  readonly eventId?: string;
  readonly times: number;
}

/** The steps that a newcomer has done. */
export interface Progress {
  readonly hasEndpoint: boolean;
  readonly hasEvent: boolean;
  readonly isReached: boolean;
  readonly isAccepted: boolean;
  readonly hasRetried: boolean;
}
