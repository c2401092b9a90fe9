/** The sandbox's answers, as far as the page reads them. Times are ISO 8601 in UTC. */
import type { ProviderDocument } from "@countersign/schemas/providers";

/** A name of the profile's catalogue. */
export interface NamedEvent {
  readonly type: string;
  readonly category: string;
}

export interface About {
  /** `listen`: events of the provider itself in real time, and nothing to control. */
  readonly mode: "sandbox" | "listen";
  /** The provider's document, without its list of events. */
  readonly provider: ProviderDocument;
  readonly events: readonly NamedEvent[];
  readonly scheduleSeconds: readonly number[];
  /** The address of `--deliver-to`. */
  readonly target: { readonly url: string } | null;
  /** JSON Pointers into every payload. */
  readonly envelope: { readonly data: string };
  /** Business days from a settlement to the refund's threshold. */
  readonly businessDays: number;
  readonly faultRoutes: readonly string[];
  readonly hasPayments: boolean;
  /** Of `listen` only: values to filter by, where requests arrive, the apps, and the secret's fingerprint. */
  readonly providers?: readonly string[];
  readonly causes?: readonly string[];
  readonly types?: readonly string[];
  readonly address?: string;
  readonly endpoints?: readonly string[];
  readonly fingerprint?: string | null;
  readonly canSign?: boolean;
  /** True if receivers import the provider's document by its name. */
  readonly isBuiltIn?: boolean;
}

export type EventStatus =
  | "pending"
  | "sending"
  | "delivered"
  | "failed"
  | "retrying"
  | "gave_up"
  | "unsent";

/** An event with one of its deliveries, or with none. */
export interface EventRow {
  readonly id: string;
  readonly provider: string;
  readonly type: string;
  readonly category: string;
  readonly subject: string | null;
  readonly amount?: string | null;
  /** Sandbox time. */
  readonly timestamp: string;
  readonly status: EventStatus;
  readonly deliveryId: string | null;
  readonly url: string | null;
  readonly isPaused?: boolean;
  readonly attempts: number | null;
  /** Sandbox time. */
  readonly nextAt?: string | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  /** Real time. */
  readonly lastStartedAt: string | null;
  /** Of `listen` only: the name of the cause of a failure. */
  readonly cause?: string | null;
}

export interface EventPage {
  readonly rows: readonly EventRow[];
  readonly counts: Readonly<Partial<Record<EventStatus, number>>>;
  /** All events, whatever the filter. */
  readonly total: number;
  /** The cursor of older rows. */
  readonly before: string | null;
}

/** The result of an attempt in words, with the cause and the fix of a failure. */
export interface Diagnosis {
  readonly isGood: boolean;
  readonly what: string;
  readonly cause: string | null;
  readonly fix: string | null;
  /** True if only the status, or the lack of an answer, is known. */
  readonly isGuess: boolean;
}

type Fields = Readonly<Record<string, string>>;

export interface Attempt {
  readonly number: number;
  /** Real time. */
  readonly startedAt: string;
  /** Sandbox time; `null` for an attempt of an earlier run. */
  readonly sandboxAt?: string | null;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The first KiB of the response. */
  readonly answer: string | null;
  readonly headers: Fields | null;
  /** `null` without a response, and for an attempt of an earlier run. */
  readonly responseHeaders: Fields | null;
  /** The kind of the fault that made the response. */
  readonly fault?: string | null;
  readonly diagnosis: Diagnosis;
  /** Its body, if attempts of one event may differ. */
  readonly payload?: string;
  /** True if `listen` sent it, and not the provider. */
  readonly isOwn?: boolean;
}

export interface Delivery extends Omit<EventRow, "attempts"> {
  readonly deliveryId: string;
  readonly attempts: readonly Attempt[];
}

export interface WrittenEvent {
  readonly id: string;
  /** The id that the provider gave. */
  readonly eventId: string;
  readonly provider: string;
  readonly type: string;
  readonly category: string;
  readonly timestamp: string;
  readonly payload: string;
  readonly subject: string | null;
  /** True if personal members are masked. */
  readonly isMasked?: boolean;
  /** Result of the schema; `null` if none is known. */
  readonly findings: {
    readonly by: string;
    readonly faults: readonly { readonly pointer: string; readonly message: string }[];
  } | null;
}

export interface EventDetail {
  readonly event: WrittenEvent;
  readonly deliveries: readonly Delivery[];
}

export interface SignatureSteps {
  readonly algorithm: string;
  /** The place of the signature. */
  readonly carrier: string;
  readonly parts: readonly { readonly name: string; readonly text: string }[];
  readonly fingerprint: string | null;
  /** `null` if only the provider can make it. */
  readonly expected: string | null;
  readonly received: string | null;
  readonly verdict: string;
  readonly explanations: readonly {
    readonly cause: string;
    readonly certain: boolean;
    readonly sentence: string;
    readonly fix: string;
  }[];
}

export interface ClockState {
  readonly now: string;
  readonly next: {
    readonly kind: "refund" | "attempt";
    readonly id: string;
    readonly at: string;
    readonly what: string;
  } | null;
  /** When the hold of a payment that settled now ends. */
  readonly holdEnds: string;
}

export interface PaymentPage {
  readonly payments: readonly Payment[];
  readonly count: number;
}

export interface Payment {
  readonly paymentId: string;
  readonly direction: "DEBIT" | "CREDIT";
  readonly customerId: string;
  readonly amount: { readonly value: number };
  readonly paymentStatus: string;
  readonly clientReferenceId: string | null;
  readonly requestKey: string;
  readonly creationDate: string;
  readonly settlementDate?: string;
  readonly covered: boolean;
  readonly errorDetails?: { readonly errorCode: string; readonly errorMessage: string };
  /** Of a debit: the remainder that can be refunded, in USD; `null` if nothing can be. */
  readonly refundable?: string | null;
  /** Of a refund that waits: when it becomes AUTHORIZED. */
  readonly eligibleAt?: string | null;
}

export interface PaymentDetail {
  readonly payment: Payment;
  /** The payment itself, or the one that the refund is of. */
  readonly debit: Payment;
  readonly refunds: readonly Payment[];
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly subject: string | null;
    readonly timestamp: string;
  }[];
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
  readonly lastSuccessAt: string | null;
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
