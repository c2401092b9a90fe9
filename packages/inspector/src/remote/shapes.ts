/** What the sandbox answers, as far as the page reads it. */

export type DeliveryState = "waiting" | "delivered" | "exhausted" | "dropped";

export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly timestamp: string;
  readonly payload: string;
}

export interface ToldDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly subscriptionKey: string;
  readonly state: DeliveryState;
  readonly nextAttemptAt: string | null;
}

export interface TimelineRow {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly timestamp: string;
  readonly subject: string | null;
  readonly states: readonly DeliveryState[];
}

export interface TimelinePage {
  readonly events: readonly TimelineRow[];
  readonly before: string | null;
}

export interface Attempt {
  readonly number: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
}

export interface Delivery extends ToldDelivery {
  readonly url: string | null;
  readonly createdAt: string;
  readonly attempts: readonly Attempt[];
}

export interface ToldOutcome {
  readonly eventId: string | null;
  readonly outcome: string;
  readonly code: string | null;
  readonly durationMs: number | null;
  readonly at: string;
}

export interface EventDetail {
  readonly event: ToldEvent;
  readonly deliveries: readonly Delivery[];
  readonly outcomes: readonly ToldOutcome[];
}

export interface Transition {
  readonly from: string | null;
  readonly trigger: string;
  readonly condition: string | null;
  readonly to: string;
  readonly effect: string | null;
}

/** A name of the profile's catalogue. */
export interface NamedEvent {
  readonly type: string;
  readonly category: string;
  /** The moments that have this name; none of an event that the sandbox never writes by itself. */
  readonly kinds: readonly string[];
  /** JSON Pointers into the payload, of which one holds the id of what the event is about. */
  readonly subjects: readonly string[];
}

/** JSON Pointers of what stands in every payload. */
interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: string;
  readonly category?: string;
}

export interface About {
  readonly merchantId: string;
  readonly profile: string;
  readonly target: { readonly url: string } | null;
  readonly scheduleSeconds: readonly number[];
  readonly jitter: number;
  readonly events: readonly NamedEvent[];
  readonly envelope: Envelope;
  readonly accountTypes: readonly string[];
  /** How attempts are signed, as the profile has it. */
  readonly signature: { readonly scheme: string; readonly description?: object };
  readonly lateReturn: boolean;
  readonly faultRoutes: readonly string[];
  readonly transitions: {
    readonly refund: readonly Transition[];
    readonly customer: readonly Transition[];
  };
}

export interface Due {
  readonly now: string;
  readonly timeZone: string;
  readonly next: {
    readonly kind: "refund" | "attempt";
    readonly id: string;
    readonly at: string;
    readonly what: string;
  } | null;
  readonly businessDays: readonly { readonly date: string; readonly at: string }[];
}

export interface SignatureSteps {
  readonly scheme: string;
  readonly header: string;
  readonly signedText: string;
  readonly key: { readonly form: string; readonly bytes: number; readonly fingerprint: string };
  readonly expected: string;
  readonly received: string;
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

export interface Payment {
  readonly paymentId: string;
  readonly direction: "DEBIT" | "CREDIT";
  readonly originalPaymentId?: string;
  readonly customerId: string;
  readonly amount: { readonly currency: string; readonly value: number };
  readonly paymentStatus: string;
  readonly clientReferenceId: string | null;
  readonly creationDate: string;
  readonly settlementDate?: string;
  readonly covered: boolean;
  readonly errorDetails?: { readonly errorCode: string; readonly errorMessage: string };
  readonly requestKey?: string;
  readonly eligibleAt?: string | null;
}

interface HoldDay {
  readonly date: string;
  readonly isOpen: boolean;
  readonly closed: string | null;
}

export interface RefundDetail {
  readonly refund: Payment;
  readonly payment: Payment;
  readonly hold: {
    readonly settledAt: string;
    readonly eligibleAt: string;
    readonly timeZone: string;
    readonly businessDays: number;
    readonly days: readonly HoldDay[];
  } | null;
  readonly reservations: {
    readonly amount: string;
    readonly reserved: string;
    readonly refunds: readonly {
      readonly paymentId: string;
      readonly paymentStatus: string;
      readonly amount: string;
    }[];
  };
  readonly history: readonly {
    readonly id: string;
    readonly type: string;
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

export interface Subscription {
  readonly subscriptionKey: string;
  readonly url: string;
  readonly status: string;
  readonly selection: unknown;
  readonly consecutiveFailures: number;
  readonly createdAt: string;
  readonly failingSince: string | null;
  readonly lastSuccessAt: string | null;
}

export interface Fault {
  readonly route: string;
  readonly kind: "status" | "delay" | "reset" | "lost";
  readonly status?: number;
  readonly delayMs?: number;
  readonly retryAfterSeconds?: number;
  readonly times: number;
}
