// Generated from schemas/ by `pnpm generate`. Do not edit.

/**
 * Any event of the standard profile, told apart by its type. Interface section 6.
 */
export type WebhookEvent =
  | PaymentCreatedEvent
  | PaymentAuthorizedEvent
  | PaymentSucceededEvent
  | PaymentFailedEvent
  | PaymentCanceledEvent
  | RefundPendingEvent
  | RefundAuthorizedEvent
  | RefundFailedEvent
  | CustomerCreatedEvent
  | CustomerActivatedEvent
  | CustomerDeactivatedEvent
  | AccountLinkedEvent
  | AccountUpdatedEvent
  | AccountDeactivatedEvent;
/**
 * What went wrong, for programs. CUSTOMER_NOT_DEBITED is named in interface section 7; the rest of the list is not shown there and is chosen here. The set is open: a reader accepts codes it does not know.
 */
export type ErrorCode =
  | "CUSTOMER_NOT_DEBITED"
  | "REFUND_RETURNED"
  | "DUPLICATE_REQUEST_KEY"
  | "REFUND_AMOUNT_EXCEEDS_REMAINING"
  | "PAYMENT_ALREADY_REFUNDED"
  | "PAYMENT_NOT_REFUNDABLE"
  | "PAYMENT_NOT_FOUND"
  | "CUSTOMER_NOT_FOUND"
  | "SUBSCRIPTION_NOT_FOUND"
  | "SUBSCRIPTION_CLOSED"
  | "SUBSCRIPTION_LIMIT_REACHED"
  | "INVALID_REQUEST"
  | "INVALID_AMOUNT"
  | "UNSUPPORTED_CURRENCY"
  | "INVALID_SOFT_DESCRIPTOR"
  | "INVALID_SUBSCRIPTION_DETAILS"
  | "UNKNOWN_EVENT"
  | "INVALID_URL"
  | "WEAK_SECRET"
  | "UNAUTHENTICATED"
  | "INSUFFICIENT_SCOPE"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "NOT_ACCEPTABLE"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "RATE_LIMITED"
  | "INTERNAL_SERVER_ERROR"
  | "SERVICE_UNAVAILABLE"
  | (string & {});
/**
 * An opaque identifier. It is never assumed to be a UUID. Interface section 8 shows no size; 1 to 64 characters are chosen here.
 */
export type Identifier = string;
/**
 * The answer to a refund request and the data of refund events. Interface sections 2.2 and 3.1.
 */
export type Refund = RefundInitiated | RefundFailed;
/**
 * Which events a subscribe or unsubscribe call is about. Interface section 2.5.
 */
export type SubscriptionDetails = NamedEvents | EventCategories | AllEvents;
/**
 * A moment in UTC with exactly three digits of milliseconds, YYYY-MM-DDTHH:mm:ss.SSSZ, on a date that the calendar has. Interface section 2.3.
 */
export type Timestamp = string;

/**
 * A linked bank account was deactivated. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface AccountDeactivatedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "account.deactivated";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "ACCOUNT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: LinkedAccount & {readonly accountDetails: {readonly accountStatus: "INACTIVE"}};
}
/**
 * A bank account was linked. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface AccountLinkedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "account.linked";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "ACCOUNT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: LinkedAccount;
}
/**
 * The data of account events: whose account it is, and the account. Interface sections 2.3 and 6.
 */
export interface LinkedAccount {
  /**
   * The customer whose account this is.
   */
  readonly customerId: string;
  readonly accountDetails: AccountDetails;
}
/**
 * A customer's linked bank account. Interface section 2.3.
 */
export interface AccountDetails {
  /**
   * Name of the bank; 1 to 255 characters.
   */
  readonly financialInstitutionName: string;
  /**
   * Last four digits of the account number. Text, since a leading zero counts.
   */
  readonly accountLastFourDigits: string;
  /**
   * Type of the account. Interface section 2.3 shows no values: the set is open for readers.
   */
  readonly accountType: "checking" | "savings" | (string & {});
  /**
   * Status of the account. Interface section 2.3 shows no values: the set is open for readers.
   */
  readonly accountStatus: "CREATED" | "ACTIVE" | "INACTIVE" | (string & {});
  /**
   * Whether this is the preferred account.
   */
  readonly preferred: boolean;
  /**
   * When the account was linked.
   */
  readonly creationDate: string;
}
/**
 * A linked bank account changed. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface AccountUpdatedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "account.updated";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "ACCOUNT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: LinkedAccount;
}
/**
 * A customer became ACTIVE (interface section 3.2). Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface CustomerActivatedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "customer.activated";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "CUSTOMER";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Customer & {readonly customerStatus: "ACTIVE"};
}
/**
 * A customer was created (interface section 3.2). Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface CustomerCreatedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "customer.created";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "CUSTOMER";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Customer & {readonly customerStatus: "CREATED"};
}
/**
 * A customer became INACTIVE (interface section 3.2). Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface CustomerDeactivatedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "customer.deactivated";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "CUSTOMER";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Customer & {readonly customerStatus: "INACTIVE"};
}
/**
 * What every event has in common, also those of types that are added later. Interface section 6 does not show a payload; this one is chosen here.
 */
export interface EventEnvelope {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened: the name of an event (interface section 6, rule 4).
   */
  readonly type: string;
  /**
   * What a subscription by category selects on (interface section 2.5); open for readers.
   */
  readonly category: "ACCOUNT" | "CUSTOMER" | "PAYMENT" | (string & {});
  /**
   * When it happened.
   */
  readonly timestamp: string;
  /**
   * The resource that the event is about; its schema belongs to the type.
   */
  readonly data: {
    [k: string]: unknown;
  };
}
/**
 * A payment record was made. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface PaymentCreatedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "payment.created";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "CREATED"};
}
/**
 * The customer authorized the payment. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface PaymentAuthorizedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "payment.authorized";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "AUTHORIZED"};
}
/**
 * The payment was settled: the threshold of interface section 3.1 counts from now. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface PaymentSucceededEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "payment.succeeded";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "SUCCEEDED"};
}
/**
 * The payment failed for good. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface PaymentFailedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "payment.failed";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "TERMINAL_FAILED"};
}
/**
 * The payment was canceled before money moved. Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface PaymentCanceledEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "payment.canceled";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "CANCELED"};
}
/**
 * A refund is held until three business days after the settlement of the original payment (interface section 3.1). Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface RefundPendingEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "refund.pending";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Refund & {readonly paymentStatus: "PENDING"};
}
/**
 * A refund's money movement has commenced (interface section 3.1). Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface RefundAuthorizedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "refund.authorized";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Refund & {readonly paymentStatus: "AUTHORIZED"};
}
/**
 * A refund was rejected or failed: no money moves (interface section 3.1). Interface section 6 shows neither event names nor payloads; they are chosen here.
 */
export interface RefundFailedEvent {
  /**
   * Identifier of the event, the same through every delivery and attempt: the idempotency key of a receiver.
   */
  readonly id: string;
  /**
   * What happened.
   */
  readonly type: "refund.failed";
  /**
   * What a subscription by category selects on (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * When it happened.
   */
  readonly timestamp: string;
  readonly data: Refund & {readonly paymentStatus: "TERMINAL_FAILED"};
}
/**
 * Every choice that the interface leaves open, as one document. Each point of the interface's sections 2 to 9 that is not shown has its value here.
 */
export interface Profile {
  /**
   * This schema.
   */
  readonly $schema?: string;
  /**
   * For messages and reports.
   */
  readonly name: string;
  /**
   * How attempts are signed (interface section 5, rule 3).
   */
  readonly signature: StandardWebhooksSignature | DescribedSignature;
  /**
   * JSON Pointers of an event's members (interface section 6, rule 5).
   */
  readonly envelope: {
    /**
     * The event's id.
     */
    readonly id: string;
    /**
     * Its name.
     */
    readonly type: string;
    /**
     * Its category, where the payload has one.
     */
    readonly category?: string;
    /**
     * When it happened.
     */
    readonly timestamp: string;
    /**
     * The resource.
     */
    readonly data: string;
  };
  /**
   * The events (interface section 6, rule 4).
   *
   * @minItems 1
   * @maxItems 500
   */
  readonly catalogue: readonly CatalogueRow[];
  /**
   * Retries and the answers that end them (interface section 6, rule 6).
   */
  readonly delivery: {
    /**
     * Seconds before each attempt, from the one before.
     *
     * @minItems 1
     * @maxItems 50
     */
    readonly scheduleSeconds: readonly number[];
    /**
     * Largest part by which a wait is shortened or lengthened at random.
     */
    readonly jitter: number;
    /**
     * For all of one attempt, in milliseconds.
     */
    readonly timeoutMs: number;
    /**
     * The statuses that say delivered.
     */
    readonly success: "2xx" | "200";
    /**
     * The status that ends the subscription.
     */
    readonly goneStatus: number;
    /**
     * Retry-After counts between 1 and this many times the schedule's step.
     */
    readonly retryAfterFactor: number;
    /**
     * A subscription that only fails is paused.
     */
    readonly pause: {
      /**
       * In a row, and
       */
      readonly failures: number;
      /**
       * hours without success.
       */
      readonly hours: number;
    };
  };
  /**
   * HTTP statuses and the error body (interface section 7, rule 5).
   */
  readonly statuses: {
    /**
     * A refund record was made.
     */
    readonly refundCreated: 200 | 201 | 202;
    /**
     * A subscription was made.
     */
    readonly subscribed: 200 | 201;
    /**
     * The requestKey is taken.
     */
    readonly duplicateKey: 400 | 409 | 422;
    /**
     * The request cannot be done.
     */
    readonly business: 400 | 422;
    /**
     * The token lacks the scope.
     */
    readonly forbidden: 401 | 403;
    /**
     * RFC 9457 with errorDetails, or one flat object.
     */
    readonly errorBody: "problem" | "flat";
  };
  /**
   * True if the interface has refunds and customers, with the calls, requirements and sample records about them. Absent or false: refund, amount, hold, account and customer apply to nothing.
   */
  readonly payments?: boolean;
  /**
   * Refunds (interface sections 2.2, 3.1, 4.1).
   */
  readonly refund: {
    /**
     * A second call with a requestKey.
     */
    readonly duplicate: "reject" | "reject-with-existing" | "replay";
    /**
     * Whose identifier the answer carries.
     */
    readonly responsePaymentId: "refund" | "original";
    /**
     * What the answer has where the request had none.
     */
    readonly clientReferenceIdWhenAbsent: "null" | "omit" | "empty";
    /**
     * What clientRefefenceId does.
     */
    readonly typoAlias: "alias" | "ignore" | "reject";
    /**
     * More than remains of the payment.
     */
    readonly overRefund: "reject";
    /**
     * Whether a bank's return of the credit ends an AUTHORIZED refund.
     */
    readonly lateReturn: boolean;
    /**
     * Its alphabet: letters, digits and spaces, or printable ASCII.
     */
    readonly softDescriptor: "alphanumeric" | "printable-ascii";
  };
  /**
   * The text of an amount's number (interface section 2.1).
   */
  readonly amount: {
    /**
     * 1.100
     */
    readonly trailingZeros: "reject" | "accept";
    /**
     * 1e2
     */
    readonly exponent: "reject" | "accept";
    /**
     * "1.00"
     */
    readonly strings: "reject" | "accept";
    /**
     * Smallest amount.
     */
    readonly minimumCents: number;
    /**
     * Largest amount.
     */
    readonly maximumCents: number;
  };
  /**
   * When a held refund becomes AUTHORIZED (interface section 3.1).
   */
  readonly hold: {
    /**
     * How many business days after settlement.
     */
    readonly businessDays: number;
    /**
     * At the start of the last day, of the day after it, or at the settlement's time of day.
     */
    readonly mode: "date" | "full-days" | "instant";
    /**
     * IANA name of the zone whose dates count.
     */
    readonly timeZone: string;
    /**
     * Time of day in that zone.
     */
    readonly cutoff: string;
    /**
     * Whose holidays count.
     */
    readonly calendar: "federal-reserve";
    /**
     * More closed dates.
     *
     * @maxItems 366
     */
    readonly closed: readonly string[];
    /**
     * Dates that are open after all.
     *
     * @maxItems 366
     */
    readonly open: readonly string[];
  };
  /**
   * Subscriptions (interface sections 2.4, 4.3, 4.4).
   */
  readonly subscription: {
    /**
     * Where clients send subscriptionId.
     */
    readonly idIn: "body" | "query" | "path";
    /**
     * What a closed subscription answers.
     */
    readonly closed: "ok" | "not-found" | "gone";
    /**
     * ALL with details.
     */
    readonly allWithDetails: "ignore" | "reject";
    /**
     * Open at one time.
     */
    readonly maxPerMerchant: number;
  };
  /**
   * The common headers of interface section 1.
   */
  readonly headers: {
    /**
     * A GET without Content-Type.
     */
    readonly contentTypeOnGet: "error" | "warn" | "off";
    /**
     * A call without Accept.
     */
    readonly acceptMissing: "error" | "warn" | "off";
  };
  /**
   * Access tokens (interface section 5, rule 2).
   */
  readonly token: {
    /**
     * Where they are obtained.
     */
    readonly path: string;
    /**
     * How long they are valid.
     */
    readonly lifetimeSeconds: number;
    /**
     * Names of the scopes.
     */
    readonly scopes: {
      /**
       * Refunds.
       */
      readonly payments: string;
      /**
       * Customers and webhooks.
       */
      readonly core: string;
    };
  };
  /**
   * Values of interface section 2.3.
   */
  readonly account: {
    /**
     * accountType
     *
     * @minItems 1
     * @maxItems 20
     */
    readonly types: readonly string[];
    /**
     * accountStatus
     *
     * @minItems 1
     * @maxItems 20
     */
    readonly statuses: readonly string[];
  };
  /**
   * Transitions of interface section 3.2.
   */
  readonly customer: {
    /**
     * The moves that exist.
     *
     * @minItems 1
     * @maxItems 20
     */
    readonly transitions: readonly CustomerMove[];
  };
  /**
   * Calls of one client (interface section 8).
   */
  readonly rateLimit: {
    /**
     * POST /v1/refunds.
     */
    readonly refundsPerSecond: number;
    /**
     * Access tokens of a client; also wrong secrets of a client from one source.
     */
    readonly tokensPerMinute: number;
    /**
     * Everything else; also wrong access tokens from one source.
     */
    readonly othersPerSecond: number;
  };
  /**
   * Sizes (interface section 8).
   */
  readonly limits: {
    /**
     * A request's body.
     */
    readonly bodyBytes: number;
    /**
     * Nesting of a body.
     */
    readonly depth: number;
    /**
     * Characters of an identifier.
     */
    readonly identifier: number;
    /**
     * Characters of a requestKey.
     */
    readonly key: number;
    /**
     * Characters of a url.
     */
    readonly url: number;
    /**
     * Characters of a softDescriptor.
     */
    readonly softDescriptor: number;
    /**
     * Characters of a secretKey.
     */
    readonly secretKey: {
      /**
       * Fewest.
       */
      readonly minimum: number;
      /**
       * Most.
       */
      readonly maximum: number;
    };
  };
  /**
   * Interface section 9, rule 2.
   */
  readonly deprecation: {
    /**
     * What a member is that no schema lists: an addition within the version, or a fault.
     */
    readonly additive: "allowed" | "refused";
    /**
     * Between Deprecation and Sunset.
     */
    readonly noticeMonths: number;
    /**
     * What is deprecated now. Default: nothing.
     *
     * @maxItems 20
     */
    readonly deprecated?: readonly DeprecatedPath[];
  };
  /**
   * How well each choice is founded, by JSON Pointer into this document.
   */
  readonly evidence: {
    /**
     * See the key.
     */
    "/signature": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/envelope": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/catalogue": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/delivery": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/statuses": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/refund/duplicate": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/refund/responsePaymentId": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/refund/clientReferenceIdWhenAbsent": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/refund/typoAlias": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/refund/overRefund": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/refund/lateReturn": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/refund/softDescriptor": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/amount": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/hold": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/subscription": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/headers": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/token": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/account": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/customer": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/rateLimit": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/limits": "specified" | "public practice" | "assumed";
    /**
     * See the key.
     */
    "/deprecation": "specified" | "public practice" | "assumed";
  };
}
/**
 * Standard Webhooks 1.0.0.
 */
export interface StandardWebhooksSignature {
  readonly scheme: "standard-webhooks";
  /**
   * Largest distance from the receiver's clock, inclusive.
   */
  readonly toleranceSeconds: number;
}
/**
 * An HMAC that is stated as data.
 */
export interface DescribedSignature {
  readonly scheme: "hmac";
  /**
   * Largest distance from the receiver's clock, inclusive.
   */
  readonly toleranceSeconds: number;
  readonly description: HmacSignature;
}
/**
 * An HMAC scheme as data.
 */
export interface HmacSignature {
  /**
   * For logs.
   */
  readonly name: string;
  /**
   * Hash function.
   */
  readonly algorithm: "sha256" | "sha512";
  /**
   * Of the signature.
   */
  readonly encoding: "base64" | "hex";
  /**
   * Header names as they are sent.
   */
  readonly headers: {
    /**
     * Carries the signature.
     */
    readonly signature: string;
    /**
     * Carries the time in seconds.
     */
    readonly timestamp?: string;
    /**
     * Carries the event's id.
     */
    readonly id?: string;
  };
  /**
   * How signatures stand in their header.
   */
  readonly form: SingleSignature | ListedSignatures | PairedSignatures;
  /**
   * The parts of the signed text in their order.
   *
   * @minItems 1
   * @maxItems 3
   */
  readonly signed: readonly ("id" | "timestamp" | "body")[];
  /**
   * Between the parts.
   */
  readonly separator: string;
  /**
   * The fewest bytes of a secret.
   */
  readonly minSecretBytes?: number;
}
/**
 * One signature after a prefix.
 */
export interface SingleSignature {
  readonly kind: "single";
  readonly prefix: string;
}
/**
 * Several, each after a prefix.
 */
export interface ListedSignatures {
  readonly kind: "list";
  readonly prefix: string;
  readonly separator: " " | ",";
}
/**
 * The timestamp and the signatures as pairs of name and value.
 */
export interface PairedSignatures {
  readonly kind: "pairs";
  /**
   * Name of the timestamp.
   */
  readonly timestamp: string;
  /**
   * Name of each signature.
   */
  readonly signature: string;
}
/**
 * One event.
 */
export interface CatalogueRow {
  /**
   * What happened in the service. Absent for events that the reference service does not emit.
   */
  readonly kind?:
    | "payment.created"
    | "payment.authorized"
    | "payment.succeeded"
    | "payment.failed"
    | "payment.canceled"
    | "refund.pending"
    | "refund.authorized"
    | "refund.failed"
    | "customer.created"
    | "customer.activated"
    | "customer.deactivated"
    | "account.linked"
    | "account.updated"
    | "account.deactivated";
  /**
   * The event's name.
   */
  readonly type: string;
  /**
   * What a subscription by category selects on. A column of its own, never a prefix of the name.
   */
  readonly category: string;
  /**
   * JSON Schema of the event's data, for events without a kind, in the keywords of @countersign/schemas and without references.
   */
  readonly schema?: {};
  /**
   * Data of a sample event, for events without a kind.
   */
  readonly sample?: {};
  /**
   * JSON Pointer of the resource's id in the payload.
   */
  readonly resource: string;
  /**
   * How far the resource's states have come; a higher one is newer.
   */
  readonly rank?: number;
}
/**
 * One move.
 */
export interface CustomerMove {
  /**
   * State before.
   */
  readonly from: "CREATED" | "ACTIVE" | "INACTIVE";
  /**
   * State after.
   */
  readonly to: "CREATED" | "ACTIVE" | "INACTIVE";
}
/**
 * Paths whose answers carry Deprecation (RFC 9745), and Sunset (RFC 8594) where they end.
 */
export interface DeprecatedPath {
  /**
   * Beginning of the paths, such as /v1; of several the longest decides.
   */
  readonly path: string;
  /**
   * First day of the deprecation, in UTC.
   */
  readonly since: string;
  /**
   * Day on which the paths end, noticeMonths or more after since.
   */
  readonly sunset?: string;
  /**
   * Page that says what to do instead.
   */
  readonly link?: string;
}
/**
 * An amount of money. Interface section 2.1.
 */
export interface Amount {
  /**
   * ISO 4217 code; USD alone (interface sections 2.1 and 8).
   */
  readonly currency: "USD";
  /**
   * Dollars with at most two digits after the decimal separator, 0.01 to 99999999.99. Read them from the number's text: a binary fraction is not exact, and a validator that divides by 0.01 refuses valid amounts.
   */
  readonly value: number;
}
/**
 * A customer of the merchant, as GET /v1/customers/{CUSTOMER_ID} answers. Interface section 2.3.
 */
export interface Customer {
  /**
   * Customer identifier.
   */
  readonly id: string;
  /**
   * Customer's first name; up to 255 characters.
   */
  readonly firstName: string;
  /**
   * Customer's last name; up to 255 characters.
   */
  readonly lastName: string;
  /**
   * Customer's e-mail address; up to 254 characters.
   */
  readonly email: string;
  /**
   * CREATED until an account is linked, ACTIVE with one, INACTIVE after consent ends (interface sections 2.3 and 3.2).
   */
  readonly customerStatus: "CREATED" | "ACTIVE" | "INACTIVE";
  readonly accountDetails?: AccountDetails;
  /**
   * When the customer was created.
   */
  readonly creationDate: string;
}
/**
 * Why a refund was rejected or failed, or why a call was refused. Interface sections 2.2 and 7.
 */
export interface ErrorDetails {
  /**
   * What went wrong, for programs. CUSTOMER_NOT_DEBITED is named in interface section 7; the rest of the list is not shown there and is chosen here. The set is open: a reader accepts codes it does not know.
   */
  readonly errorCode: string;
  /**
   * For people; 1 to 1024 characters. Programs read errorCode.
   */
  readonly errorMessage: string;
}
/**
 * The body of a refused call where a profile chooses the flat form. Interface section 7 shows no error body.
 */
export interface FlatError {
  /**
   * Names this one case.
   */
  readonly errorId: string;
  /**
   * What went wrong, for programs. CUSTOMER_NOT_DEBITED is named in interface section 7; the rest of the list is not shown there and is chosen here. The set is open: a reader accepts codes it does not know.
   */
  readonly errorCode: string;
  /**
   * For people; 1 to 1024 characters.
   */
  readonly errorMessage: string;
  /**
   * How bad it is; open for readers.
   */
  readonly errorSeverity?: "INFO" | "WARNING" | "ERROR" | "FATAL" | (string & {});
}
/**
 * A payment record: a debit of a customer or the refund of one. Interface section 2.2 shows no fields of it; they are chosen here.
 */
export interface Payment {
  /**
   * Identifier of this record.
   */
  readonly paymentId: string;
  /**
   * DEBIT takes money from the customer, CREDIT returns it. A handler that marks an order as paid looks at this first.
   */
  readonly direction: "DEBIT" | "CREDIT";
  /**
   * The debit that a CREDIT refunds. Absent on a DEBIT.
   */
  readonly originalPaymentId?: string;
  /**
   * The customer whose bank account this is about.
   */
  readonly customerId: string;
  readonly amount: Amount;
  /**
   * State of the record. RETRYABLE_FAILED is still processing. The set is open for readers (interface section 2.2).
   */
  readonly paymentStatus:
    | "CREATED"
    | "PENDING"
    | "AUTHORIZED"
    | "SCHEDULED"
    | "INITIATED"
    | "SUCCEEDED"
    | "RETRYABLE_FAILED"
    | "TERMINAL_FAILED"
    | "CANCELED"
    | (string & {});
  /**
   * The merchant's value, unchanged; null where there is none.
   */
  readonly clientReferenceId: string | null;
  /**
   * When the record was made.
   */
  readonly creationDate: string;
  /**
   * When the debit was settled; absent before. Three business days count from here (interface section 3.1).
   */
  readonly settlementDate?: string;
  /**
   * Whether the payment fell into the service's cover: the merchant keeps the money although the customer was not debited (interface section 3.1).
   */
  readonly covered: boolean;
  readonly errorDetails?: ErrorDetails;
}
/**
 * The body of every refused call (RFC 9457), with the errorDetails of interface section 7. The error body is not shown there; this one is chosen here.
 */
export interface Problem {
  /**
   * Names the kind of problem (RFC 9457, section 3.1.1).
   */
  readonly type: string;
  /**
   * A short summary of the kind; 1 to 255 characters.
   */
  readonly title: string;
  /**
   * The HTTP status of this answer.
   */
  readonly status: number;
  /**
   * What is special about this case; 1 to 1024 characters, without secrets and personal data.
   */
  readonly detail?: string;
  /**
   * Names this one case (RFC 9457, section 3.1.5).
   */
  readonly instance?: string;
  /**
   * Names this call in the logs of the service.
   */
  readonly requestId?: string;
  readonly errorDetails: ErrorDetails;
  /**
   * The members of the request that are wrong.
   *
   * @minItems 1
   * @maxItems 100
   */
  readonly errors?: readonly InvalidMember[];
  readonly existing?: ExistingRefund;
}
/**
 * A member of the request that is wrong. Interface section 7.
 */
export interface InvalidMember {
  /**
   * JSON Pointer (RFC 6901) into the request; a missing member has its own pointer.
   */
  readonly pointer: string;
  /**
   * What is wrong with it, for programs; 1 to 64 characters.
   */
  readonly code: string;
  /**
   * What is wrong with it, for people, without the value; 1 to 1024 characters.
   */
  readonly message?: string;
}
/**
 * The refund that already has the requestKey. With it a client whose first call was not answered learns what became of the refund, without a new key. Interface section 4.1, rule 1.
 */
export interface ExistingRefund {
  /**
   * The existing refund's identifier.
   */
  readonly paymentId: string;
  /**
   * Where the existing refund is now (interface section 3.1); open for readers.
   */
  readonly paymentStatus: "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED" | (string & {});
  /**
   * Whether payment, amount and soft descriptor of both calls are equal.
   */
  readonly sameRequest: boolean;
}
/**
 * The body of POST /v1/refunds. Interface section 4.1.
 */
export interface RefundRequest {
  /**
   * The original (debit) payment (interface section 4.1).
   */
  readonly paymentId: string;
  readonly amount: Amount;
  /**
   * The merchant's own identifier for reconciliation, returned unchanged (interface section 4.1). 1 to 255 characters, none of them a control character.
   */
  readonly clientReferenceId?: string;
  /**
   * @deprecated
   * The misspelt name of clientReferenceId in the parameter list of interface section 4.1. An alias: send clientReferenceId. Both with different values are refused by the service.
   */
  readonly clientRefefenceId?: string;
  /**
   * Text for the receiving bank, which may or may not show it: 1 to 80 letters, digits and spaces (interface sections 4.1 and 8).
   */
  readonly softDescriptor?: string;
  /**
   * The merchant's unique key of this call: a second call with the same key is refused (interface section 4.1, rule 1). 1 to 255 printable ASCII characters.
   */
  readonly requestKey: string;
}
/**
 * A refund that waits or whose money moves. It carries no errorDetails. Interface section 3.1.
 */
export interface RefundInitiated {
  /**
   * The refund's identifier; a refund is a payment record of its own (interface section 2.2).
   */
  readonly paymentId: string;
  /**
   * PENDING: held until three business days after the settlement of the original payment. AUTHORIZED: money movement has commenced. A reader lets other values pass: take them as not final.
   */
  readonly paymentStatus: "PENDING" | "AUTHORIZED";
  /**
   * The merchant's value of the request, unchanged; null where the request had none (interface section 2.2).
   */
  readonly clientReferenceId: string | null;
}
/**
 * A refund that was rejected or failed: no money moves. Interface sections 3.1 and 7.
 */
export interface RefundFailed {
  /**
   * The refund's identifier; a refund is a payment record of its own (interface section 2.2).
   */
  readonly paymentId: string;
  /**
   * Final. The descriptive text of interface section 3.1 calls it FAILED; the value is TERMINAL_FAILED.
   */
  readonly paymentStatus: "TERMINAL_FAILED";
  /**
   * The merchant's value of the request, unchanged; null where the request had none (interface section 2.2).
   */
  readonly clientReferenceId: string | null;
  readonly errorDetails: ErrorDetails;
}
/**
 * The body of POST /v1/webhook/subscribe. Interface section 4.3.
 */
export interface SubscribeRequest {
  /**
   * Where notifications go: an absolute http or https URL without user name, password and fragment, up to 2048 ASCII characters. Whether http is allowed is the service's decision.
   */
  readonly url: string;
  /**
   * The merchant's secret, which validates webhook requests (interface section 5, rule 3): 24 to 256 characters of 0x21 to 0x7E. What a prefix such as whsec_ means belongs to the signature scheme.
   */
  readonly secretKey: string;
  readonly subscriptionDetails: SubscriptionDetails;
}
/**
 * Events by name. Interface section 2.5.
 */
export interface NamedEvents {
  /**
   * Selects by name.
   */
  readonly type: "EVENT";
  /**
   * 1 to 100 names; repeated ones count once.
   *
   * @minItems 1
   * @maxItems 100
   *
   * Items: Name of an event; the catalogue of the profile judges it.
   */
  readonly details: readonly string[];
}
/**
 * Events by category. Interface section 2.5.
 */
export interface EventCategories {
  /**
   * Selects by category.
   */
  readonly type: "CATEGORY";
  /**
   * 1 to 100 categories; repeated ones count once.
   *
   * @minItems 1
   * @maxItems 100
   *
   * Items: A category; the catalogue of the profile judges it.
   */
  readonly details: readonly string[];
}
/**
 * Every event, also of types added later. Interface section 2.5.
 */
export interface AllEvents {
  /**
   * Selects everything.
   */
  readonly type: "ALL";
  /**
   * Optional and without effect (interface section 2.5).
   *
   * @maxItems 100
   */
  readonly details?: readonly string[];
}
/**
 * The answer to POST /v1/webhook/subscribe. Interface section 4.3.
 */
export interface SubscribeResponse {
  /**
   * Unique key of the subscription, opaque, 1 to 64 characters; unsubscribing names it (interface section 2.4).
   */
  readonly subscriptionKey: string;
}
/**
 * The answer to a refused token request (RFC 6749, section 5.2). Interface section 5, rule 2.
 */
export interface TokenError {
  /**
   * RFC 6749, section 5.2; open for readers.
   */
  readonly error:
    | "invalid_request"
    | "invalid_client"
    | "invalid_grant"
    | "unauthorized_client"
    | "unsupported_grant_type"
    | "invalid_scope"
    | (string & {});
  /**
   * For developers; up to 1024 printable ASCII characters.
   */
  readonly error_description?: string;
}
/**
 * The members of a token request, sent as a form or as JSON. Interface section 5 does not show how a token is obtained: OAuth 2 client credentials (RFC 6749, section 4.4) are chosen here. The client authenticates by HTTP Basic or by the two members client_id and client_secret, never by both.
 */
export interface TokenRequest {
  /**
   * RFC 6749, section 4.4.2.
   */
  readonly grant_type: "client_credentials";
  /**
   * Space-separated scopes; all of the client without it (RFC 6749, section 3.3).
   */
  readonly scope?: string;
  /**
   * RFC 6749, section 2.3.1; 1 to 255 printable ASCII characters.
   */
  readonly client_id?: string;
  /**
   * RFC 6749, section 2.3.1; 1 to 255 printable ASCII characters.
   */
  readonly client_secret?: string;
}
/**
 * The answer to a token request (RFC 6749, section 5.1). Interface section 5, rule 2.
 */
export interface TokenResponse {
  /**
   * For the header Authorization: Bearer (interface section 5, rule 1); opaque. Characters of RFC 6750, section 2.1.
   */
  readonly access_token: string;
  /**
   * RFC 6750.
   */
  readonly token_type: "Bearer";
  /**
   * Lifetime in seconds from now.
   */
  readonly expires_in: number;
  /**
   * The scopes granted, space-separated (RFC 6749, section 3.3).
   */
  readonly scope: string;
}
/**
 * What PUT /v1/webhook/unsubscribe is told. Interface section 4.4 does not show whether subscriptionId is in path, query or body: a service that finds it elsewhere puts it here before it validates.
 */
export interface UnsubscribeRequest {
  /**
   * The subscriptionKey of the subscribe call, 1 to 64 characters.
   */
  readonly subscriptionId: string;
  readonly subscriptionDetails: SubscriptionDetails;
}
/**
 * The answer to PUT /v1/webhook/unsubscribe. Interface section 4.4.
 */
export interface UnsubscribeResponse {
  /**
   * Unique key of the subscription, opaque, 1 to 64 characters; unsubscribing names it (interface section 2.4).
   */
  readonly subscriptionKey: string;
}
/** The events by their types. */
export type EventTypeMap = {
  readonly "payment.created": PaymentCreatedEvent;
  readonly "payment.authorized": PaymentAuthorizedEvent;
  readonly "payment.succeeded": PaymentSucceededEvent;
  readonly "payment.failed": PaymentFailedEvent;
  readonly "payment.canceled": PaymentCanceledEvent;
  readonly "refund.pending": RefundPendingEvent;
  readonly "refund.authorized": RefundAuthorizedEvent;
  readonly "refund.failed": RefundFailedEvent;
  readonly "customer.created": CustomerCreatedEvent;
  readonly "customer.activated": CustomerActivatedEvent;
  readonly "customer.deactivated": CustomerDeactivatedEvent;
  readonly "account.linked": AccountLinkedEvent;
  readonly "account.updated": AccountUpdatedEvent;
  readonly "account.deactivated": AccountDeactivatedEvent;
};
/** The events by their categories. */
export type EventCategoryMap = {
  readonly PAYMENT: PaymentCreatedEvent | PaymentAuthorizedEvent | PaymentSucceededEvent | PaymentFailedEvent | PaymentCanceledEvent | RefundPendingEvent | RefundAuthorizedEvent | RefundFailedEvent;
  readonly CUSTOMER: CustomerCreatedEvent | CustomerActivatedEvent | CustomerDeactivatedEvent;
  readonly ACCOUNT: AccountLinkedEvent | AccountUpdatedEvent | AccountDeactivatedEvent;
};
/** The name of an event. */
export type EventType = keyof EventTypeMap;
/** What a subscription by category selects on. */
export type EventCategory = keyof EventCategoryMap;
