// Generated from schemas/ by scripts/generate.ts. Do not edit.
import type {ProviderDocument} from "./provider-types.ts";

/**
 * Any event of the standard profile, discriminated by type. Interface section 6.
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
 * Error code for programs. Interface section 7 names CUSTOMER_NOT_DEBITED; this schema chooses the others. Readers accept unknown codes.
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
 * An opaque identifier, not necessarily a UUID. Interface section 8 specifies no length; this schema allows 1 to 64 characters.
 */
export type Identifier = string;
/**
 * The response to a refund request, and the data of refund events. Interface sections 2.2 and 3.1.
 */
export type Refund = RefundInitiated | RefundFailed;
/**
 * The events that a subscribe or unsubscribe call selects. Interface section 2.5.
 */
export type SubscriptionDetails = NamedEvents | EventCategories | AllEvents;
/**
 * Date and time in UTC with milliseconds, YYYY-MM-DDTHH:mm:ss.SSSZ, on an existing date. Interface section 2.3.
 */
export type Timestamp = string;

/**
 * A linked bank account was deactivated.
 */
export interface AccountDeactivatedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "account.deactivated";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "ACCOUNT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: LinkedAccount & {readonly accountDetails: {readonly accountStatus: "INACTIVE"}};
}
/**
 * A bank account was linked.
 */
export interface AccountLinkedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "account.linked";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "ACCOUNT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: LinkedAccount;
}
/**
 * The data of account events: the customer and the account. Interface sections 2.3 and 6.
 */
export interface LinkedAccount {
  /**
   * Identifier of the account's customer.
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
   * Last four digits of the account number, as text to keep leading zeros.
   */
  readonly accountLastFourDigits: string;
  /**
   * Type of the account. Interface section 2.3 lists no values; readers accept others.
   */
  readonly accountType: "checking" | "savings" | (string & {});
  /**
   * Status of the account. Interface section 2.3 lists no values; readers accept others.
   */
  readonly accountStatus: "CREATED" | "ACTIVE" | "INACTIVE" | (string & {});
  /**
   * True for the customer's preferred account.
   */
  readonly preferred: boolean;
  /**
   * Time at which the account was linked.
   */
  readonly creationDate: string;
}
/**
 * A linked bank account changed.
 */
export interface AccountUpdatedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "account.updated";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "ACCOUNT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: LinkedAccount;
}
/**
 * A customer became ACTIVE (interface section 3.2).
 */
export interface CustomerActivatedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "customer.activated";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "CUSTOMER";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Customer & {readonly customerStatus: "ACTIVE"};
}
/**
 * A customer was created (interface section 3.2).
 */
export interface CustomerCreatedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "customer.created";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "CUSTOMER";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Customer & {readonly customerStatus: "CREATED"};
}
/**
 * A customer became INACTIVE (interface section 3.2).
 */
export interface CustomerDeactivatedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "customer.deactivated";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "CUSTOMER";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Customer & {readonly customerStatus: "INACTIVE"};
}
/**
 * The members of every event, including types that are added later. Interface section 6 does not specify a payload; this schema chooses it.
 */
export interface EventEnvelope {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event, its name (interface section 6, rule 4).
   */
  readonly type: string;
  /**
   * Category of the event, for subscriptions by category (interface section 2.5). Readers accept other values.
   */
  readonly category: "ACCOUNT" | "CUSTOMER" | "PAYMENT" | (string & {});
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  /**
   * The resource that the event is about. The type determines its schema.
   */
  readonly data: {
    readonly [k: string]: unknown;
  };
}
/**
 * A payment record was created.
 */
export interface PaymentCreatedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "payment.created";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "CREATED"};
}
/**
 * The customer authorized the payment.
 */
export interface PaymentAuthorizedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "payment.authorized";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "AUTHORIZED"};
}
/**
 * The payment settled: the three business days of interface section 3.1 begin.
 */
export interface PaymentSucceededEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "payment.succeeded";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "SUCCEEDED"};
}
/**
 * The payment failed permanently.
 */
export interface PaymentFailedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "payment.failed";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "TERMINAL_FAILED"};
}
/**
 * The payment was canceled before money moved.
 */
export interface PaymentCanceledEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "payment.canceled";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Payment & {readonly paymentStatus: "CANCELED"};
}
/**
 * A refund is held until three business days after the settlement of the original payment (interface section 3.1).
 */
export interface RefundPendingEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "refund.pending";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Refund & {readonly paymentStatus: "PENDING"};
}
/**
 * A refund's money is on its way (interface section 3.1).
 */
export interface RefundAuthorizedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "refund.authorized";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Refund & {readonly paymentStatus: "AUTHORIZED"};
}
/**
 * A refund was rejected or failed: no money moves (interface section 3.1).
 */
export interface RefundFailedEvent {
  /**
   * Identifier of the event, equal in every delivery and attempt. Receivers use it to deduplicate.
   */
  readonly id: string;
  /**
   * Type of the event.
   */
  readonly type: "refund.failed";
  /**
   * Category of the event, for subscriptions by category (interface section 2.5).
   */
  readonly category: "PAYMENT";
  /**
   * Time of the event.
   */
  readonly timestamp: string;
  readonly data: Refund & {readonly paymentStatus: "TERMINAL_FAILED"};
}
/**
 * Every choice that the interface leaves open (interface sections 2 to 9), in one document.
 */
export interface Profile {
  /**
   * Address of this schema.
   */
  readonly $schema?: string;
  /**
   * Name of the profile in messages and reports.
   */
  readonly name: string;
  /**
   * How events are signed, written and delivered (interface sections 5 and 6): the name of a built-in provider, or a provider document with "catalogue" and "sending".
   */
  readonly provider: string | ProviderDocument;
  /**
   * HTTP statuses and the error body (interface section 7, rule 5).
   */
  readonly statuses: {
    /**
     * Response to a created refund.
     */
    readonly refundCreated: 200 | 201 | 202;
    /**
     * Response to a created subscription.
     */
    readonly subscribed: 200 | 201;
    /**
     * Response to a requestKey that is already used.
     */
    readonly duplicateKey: 400 | 409 | 422;
    /**
     * Response to a valid request that a business rule rejects.
     */
    readonly business: 400 | 422;
    /**
     * Response to a token without the required scope.
     */
    readonly forbidden: 401 | 403;
    /**
     * Form of the error body: RFC 9457 with errorDetails, or one flat object.
     */
    readonly errorBody: "problem" | "flat";
  };
  /**
   * Refunds (interface sections 2.2, 3.1, 4.1).
   */
  readonly refund: {
    /**
     * Response to a second call with the same requestKey.
     */
    readonly duplicate: "reject" | "reject-with-existing";
    /**
     * Meaning of paymentId in the response: the refund's identifier, or the original payment's.
     */
    readonly responsePaymentId: "refund" | "original";
    /**
     * Value of clientReferenceId in the response if the request had none.
     */
    readonly clientReferenceIdWhenAbsent: "null" | "omit";
    /**
     * Accepted characters of softDescriptor: letters, digits and spaces, or printable ASCII.
     */
    readonly softDescriptor: "alphanumeric" | "printable-ascii";
  };
  /**
   * Accepted amounts (interface section 2.1).
   */
  readonly amount: {
    /**
     * Smallest amount in cents.
     */
    readonly minimumCents: number;
    /**
     * Largest amount in cents.
     */
    readonly maximumCents: number;
  };
  /**
   * Time at which a held refund becomes AUTHORIZED (interface section 3.1).
   */
  readonly hold: {
    /**
     * Number of business days after settlement.
     */
    readonly businessDays: number;
    /**
     * IANA name of the time zone that determines dates.
     */
    readonly timeZone: string;
    /**
     * Time of day in that zone at which a hold ends, on the last business day.
     */
    readonly cutoff: string;
    /**
     * Holidays besides those of the Federal Reserve Banks.
     *
     * @maxItems 366
     */
    readonly closed: readonly string[];
    /**
     * Holidays of the Federal Reserve Banks that count as business days.
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
     * Location of subscriptionId in an unsubscribe call.
     */
    readonly idIn: "body" | "query" | "path";
    /**
     * Maximum number of open subscriptions of a merchant.
     */
    readonly maxPerMerchant: number;
  };
  /**
   * Access tokens (interface section 5, rule 2).
   */
  readonly token: {
    /**
     * Path of token requests.
     */
    readonly path: string;
    /**
     * Lifetime of a token in seconds.
     */
    readonly lifetimeSeconds: number;
    /**
     * Names of the scopes.
     */
    readonly scopes: {
      /**
       * Scope of refunds.
       */
      readonly payments: string;
      /**
       * Scope of customers and subscriptions.
       */
      readonly core: string;
    };
  };
  /**
   * Values of account members (interface section 2.3).
   */
  readonly account: {
    /**
     * Values of accountType.
     *
     * @minItems 1
     * @maxItems 20
     */
    readonly types: readonly string[];
    /**
     * Values of accountStatus.
     *
     * @minItems 1
     * @maxItems 20
     */
    readonly statuses: readonly string[];
  };
  /**
   * State changes of customers (interface section 3.2).
   */
  readonly customer: {
    /**
     * Allowed state changes.
     *
     * @minItems 1
     * @maxItems 20
     */
    readonly transitions: readonly CustomerMove[];
  };
  /**
   * Rate limits of a client (interface section 8).
   */
  readonly rateLimit: {
    /**
     * Calls of POST /v1/refunds per second.
     */
    readonly refundsPerSecond: number;
    /**
     * Token requests per minute; also the limit of wrong client secrets from one source.
     */
    readonly tokensPerMinute: number;
    /**
     * Other calls per second; also the limit of wrong access tokens from one source.
     */
    readonly othersPerSecond: number;
  };
  /**
   * Maximum sizes (interface section 8).
   */
  readonly limits: {
    /**
     * Size of a request's body in bytes.
     */
    readonly bodyBytes: number;
    /**
     * Nesting depth of a body.
     */
    readonly depth: number;
    /**
     * Length of an identifier in characters.
     */
    readonly identifier: number;
    /**
     * Length of a requestKey in characters.
     */
    readonly key: number;
    /**
     * Length of a url in characters.
     */
    readonly url: number;
    /**
     * Length of a softDescriptor in characters.
     */
    readonly softDescriptor: number;
    /**
     * Length of a secretKey in characters.
     */
    readonly secretKey: {
      /**
       * Minimum length.
       */
      readonly minimum: number;
      /**
       * Maximum length.
       */
      readonly maximum: number;
    };
  };
  /**
   * Changes (interface section 9, rule 2).
   */
  readonly deprecation: {
    /**
     * Handling of members that no schema lists: allowed as an addition within the version, or refused.
     */
    readonly additive: "allowed" | "refused";
  };
  /**
   * Source of each choice, by JSON Pointer into this document.
   */
  readonly evidence: {
    /**
     * Source of this choice.
     */
    readonly "/statuses": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/refund/duplicate": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/refund/responsePaymentId": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/refund/clientReferenceIdWhenAbsent": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/refund/softDescriptor": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/amount": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/hold": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/subscription": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/token": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/account": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/customer": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/rateLimit": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/limits": "specified" | "public practice" | "assumed";
    /**
     * Source of this choice.
     */
    readonly "/deprecation": "specified" | "public practice" | "assumed";
  };
}
/**
 * One state change.
 */
export interface CustomerMove {
  /**
   * Previous state.
   */
  readonly from: "CREATED" | "ACTIVE" | "INACTIVE";
  /**
   * New state.
   */
  readonly to: "CREATED" | "ACTIVE" | "INACTIVE";
}
/**
 * An amount of money. Interface section 2.1.
 */
export interface Amount {
  /**
   * ISO 4217 currency code; always USD (interface sections 2.1 and 8).
   */
  readonly currency: "USD";
  /**
   * Amount in dollars, 0.01 to 99999999.99, with at most two decimal places. Parse it from the number's text: binary floating point is not exact, and a validator that divides by 0.01 rejects valid amounts.
   */
  readonly value: number;
}
/**
 * A customer of the merchant, the response to GET /v1/customers/{CUSTOMER_ID}. Interface section 2.3.
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
   * CREATED until an account is linked, then ACTIVE, and INACTIVE after consent ends (interface sections 2.3 and 3.2).
   */
  readonly customerStatus: "CREATED" | "ACTIVE" | "INACTIVE";
  readonly accountDetails?: AccountDetails;
  /**
   * Time at which the customer was created.
   */
  readonly creationDate: string;
}
/**
 * The reason for a rejected or failed refund, or for a rejected call. Interface sections 2.2 and 7.
 */
export interface ErrorDetails {
  /**
   * Error code for programs. Interface section 7 names CUSTOMER_NOT_DEBITED; this schema chooses the others. Readers accept unknown codes.
   */
  readonly errorCode: string;
  /**
   * Explanation for people; 1 to 1024 characters. Programs use errorCode.
   */
  readonly errorMessage: string;
}
/**
 * The response to GET /v1/events: a page of the merchant's events, the oldest first.
 */
export interface EventList {
  /**
   * The events, each as the body of its deliveries.
   *
   * @maxItems 100
   */
  readonly events: {
    readonly [k: string]: unknown;
  }[];
  /**
   * The value of after for the next page; null after the last event so far.
   */
  readonly next: string | null;
}
/**
 * The body of a rejected call if the profile chooses the flat form. Interface section 7 does not specify the error body.
 */
export interface FlatError {
  /**
   * Identifier of this occurrence.
   */
  readonly errorId: string;
  /**
   * Error code for programs. Interface section 7 names CUSTOMER_NOT_DEBITED; this schema chooses the others. Readers accept unknown codes.
   */
  readonly errorCode: string;
  /**
   * Explanation for people; 1 to 1024 characters.
   */
  readonly errorMessage: string;
  /**
   * Severity of the error. Readers accept other values.
   */
  readonly errorSeverity?: "INFO" | "WARNING" | "ERROR" | "FATAL" | (string & {});
}
/**
 * A payment record: a debit of a customer, or a refund of a debit. Interface section 2.2 specifies no members; this schema chooses them.
 */
export interface Payment {
  /**
   * Identifier of the payment record.
   */
  readonly paymentId: string;
  /**
   * DEBIT takes money from the customer; CREDIT returns it. Check it before you mark an order as paid.
   */
  readonly direction: "DEBIT" | "CREDIT";
  /**
   * Identifier of the debit that a CREDIT refunds; absent for a DEBIT.
   */
  readonly originalPaymentId?: string;
  /**
   * Identifier of the customer whose bank account is debited or credited.
   */
  readonly customerId: string;
  readonly amount: Amount;
  /**
   * Status of the record. RETRYABLE_FAILED is still processing. Readers accept other values (interface section 2.2).
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
   * The merchant's value, unchanged; null if there is none.
   */
  readonly clientReferenceId: string | null;
  /**
   * Time at which the record was created.
   */
  readonly creationDate: string;
  /**
   * Time at which the debit settled; absent before that. Refunds wait three business days from then (interface section 3.1).
   */
  readonly settlementDate?: string;
  /**
   * True if the service covers the payment: the merchant keeps the money although the customer was not debited (interface section 3.1).
   */
  readonly covered: boolean;
  readonly errorDetails?: ErrorDetails;
}
/**
 * The body of every rejected call (RFC 9457), with the errorDetails of interface section 7. The interface does not specify the error body; this schema chooses it.
 */
export interface Problem {
  /**
   * URI that identifies the problem type (RFC 9457, section 3.1.1).
   */
  readonly type: string;
  /**
   * Short summary of the problem type; 1 to 255 characters.
   */
  readonly title: string;
  /**
   * HTTP status code of this response.
   */
  readonly status: number;
  /**
   * Explanation of this occurrence, without secrets or personal data; 1 to 1024 characters.
   */
  readonly detail?: string;
  /**
   * URI that identifies this occurrence (RFC 9457, section 3.1.5).
   */
  readonly instance?: string;
  /**
   * Identifier of this call in the service's logs.
   */
  readonly requestId?: string;
  readonly errorDetails: ErrorDetails;
  /**
   * The invalid members of the request.
   *
   * @minItems 1
   * @maxItems 100
   */
  readonly errors?: readonly InvalidMember[];
  readonly existing?: ExistingRefund;
}
/**
 * An invalid member of the request. Interface section 7.
 */
export interface InvalidMember {
  /**
   * JSON Pointer (RFC 6901) to the member in the request, also if the member is missing.
   */
  readonly pointer: string;
  /**
   * Error code for programs; 1 to 64 characters.
   */
  readonly code: string;
  /**
   * Explanation for people, without the value; 1 to 1024 characters.
   */
  readonly message?: string;
}
/**
 * The refund that already has the requestKey. It shows a client that got no response to its first call what became of the refund. Interface section 4.1, rule 1.
 */
export interface ExistingRefund {
  /**
   * Identifier of the existing refund.
   */
  readonly paymentId: string;
  /**
   * Current status of the existing refund (interface section 3.1). Readers accept other values.
   */
  readonly paymentStatus: "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED" | (string & {});
  /**
   * True if both calls have the same payment, amount and soft descriptor.
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
   * The merchant's identifier for reconciliation, returned unchanged (interface section 4.1); 1 to 255 characters without control characters.
   */
  readonly clientReferenceId?: string;
  /**
   * @deprecated
   * Alias of clientReferenceId, misspelled in the parameter list of interface section 4.1. Send clientReferenceId instead. The service rejects a request in which the two differ.
   */
  readonly clientRefefenceId?: string;
  /**
   * Text for the customer's bank statement, which the bank may ignore; 1 to 80 letters, digits and spaces (interface sections 4.1 and 8).
   */
  readonly softDescriptor?: string;
  /**
   * The merchant's idempotency key for this refund: a second call with the same key is rejected (interface section 4.1, rule 1). 1 to 255 printable ASCII characters.
   */
  readonly requestKey: string;
}
/**
 * A refund that is pending or whose money is moving; without errorDetails. Interface section 3.1.
 */
export interface RefundInitiated {
  /**
   * Identifier of the refund, which is a separate payment record (interface section 2.2).
   */
  readonly paymentId: string;
  /**
   * PENDING: held until three business days after the original payment settled. AUTHORIZED: the money is on its way. Readers accept other values and treat them as not final.
   */
  readonly paymentStatus: "PENDING" | "AUTHORIZED";
  /**
   * clientReferenceId of the request, unchanged; null if the request had none (interface section 2.2).
   */
  readonly clientReferenceId: string | null;
}
/**
 * A refund that was rejected or failed: no money moves. Interface sections 3.1 and 7.
 */
export interface RefundFailed {
  /**
   * Identifier of the refund, which is a separate payment record (interface section 2.2).
   */
  readonly paymentId: string;
  /**
   * Final status. Interface section 3.1 also calls it FAILED; the value is TERMINAL_FAILED.
   */
  readonly paymentStatus: "TERMINAL_FAILED";
  /**
   * clientReferenceId of the request, unchanged; null if the request had none (interface section 2.2).
   */
  readonly clientReferenceId: string | null;
  readonly errorDetails: ErrorDetails;
}
/**
 * The body of POST /v1/webhook/subscribe. Interface section 4.3.
 */
export interface SubscribeRequest {
  /**
   * URL for notifications: absolute http or https, without user name, password or fragment, up to 2048 ASCII characters. A service may reject http.
   */
  readonly url: string;
  /**
   * The merchant's secret for verifying webhooks (interface section 5, rule 3): 24 to 256 characters from 0x21 to 0x7E. The signature scheme defines prefixes such as whsec_.
   */
  readonly secretKey: string;
  readonly subscriptionDetails: SubscriptionDetails;
}
/**
 * Events selected by name. Interface section 2.5.
 */
export interface NamedEvents {
  /**
   * Selects events by name.
   */
  readonly type: "EVENT";
  /**
   * 1 to 100 event names; duplicates are ignored.
   *
   * @minItems 1
   * @maxItems 100
   *
   * Items: Name of an event in the profile's catalogue.
   */
  readonly details: readonly string[];
}
/**
 * Events selected by category. Interface section 2.5.
 */
export interface EventCategories {
  /**
   * Selects events by category.
   */
  readonly type: "CATEGORY";
  /**
   * 1 to 100 categories; duplicates are ignored.
   *
   * @minItems 1
   * @maxItems 100
   *
   * Items: Category in the profile's catalogue.
   */
  readonly details: readonly string[];
}
/**
 * All events, including types that are added later. Interface section 2.5.
 */
export interface AllEvents {
  /**
   * Selects all events.
   */
  readonly type: "ALL";
  /**
   * Ignored (interface section 2.5).
   *
   * @maxItems 100
   */
  readonly details?: readonly string[];
}
/**
 * The response to POST /v1/webhook/subscribe. Interface section 4.3.
 */
export interface SubscribeResponse {
  /**
   * Unique, opaque key of the subscription, needed to unsubscribe; 1 to 64 characters (interface section 2.4).
   */
  readonly subscriptionKey: string;
}
/**
 * The response to a rejected token request (RFC 6749, section 5.2). Interface section 5, rule 2.
 */
export interface TokenError {
  /**
   * Error code of RFC 6749, section 5.2. Readers accept other values.
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
   * Explanation for developers; up to 1024 printable ASCII characters.
   */
  readonly error_description?: string;
}
/**
 * The members of a token request, sent as a form or as JSON. Interface section 5 does not say how a client obtains a token; this schema chooses OAuth 2 client credentials (RFC 6749, section 4.4). The client authenticates by HTTP Basic or by the two members client_id and client_secret, never by both.
 */
export interface TokenRequest {
  /**
   * Grant type of RFC 6749, section 4.4.2.
   */
  readonly grant_type: "client_credentials";
  /**
   * Requested scopes, space-separated (RFC 6749, section 3.3). Default: all scopes of the client.
   */
  readonly scope?: string;
  /**
   * Client id (RFC 6749, section 2.3.1); 1 to 255 printable ASCII characters.
   */
  readonly client_id?: string;
  /**
   * Client secret (RFC 6749, section 2.3.1); 1 to 255 printable ASCII characters.
   */
  readonly client_secret?: string;
}
/**
 * The response to a token request (RFC 6749, section 5.1). Interface section 5, rule 2.
 */
export interface TokenResponse {
  /**
   * Opaque token for the Authorization: Bearer header (interface section 5, rule 1), in the characters of RFC 6750, section 2.1.
   */
  readonly access_token: string;
  /**
   * Token type of RFC 6750.
   */
  readonly token_type: "Bearer";
  /**
   * Lifetime of the token in seconds.
   */
  readonly expires_in: number;
  /**
   * Granted scopes, space-separated (RFC 6749, section 3.3).
   */
  readonly scope: string;
}
/**
 * The body of PUT /v1/webhook/unsubscribe. Interface section 4.4 does not say whether subscriptionId is in the path, the query or the body; a service that reads it from elsewhere adds it to the body before validating.
 */
export interface UnsubscribeRequest {
  /**
   * The subscriptionKey from the subscribe call; 1 to 64 characters.
   */
  readonly subscriptionId: string;
  readonly subscriptionDetails: SubscriptionDetails;
}
/**
 * The response to PUT /v1/webhook/unsubscribe. Interface section 4.4.
 */
export interface UnsubscribeResponse {
  /**
   * Unique, opaque key of the subscription, needed to unsubscribe; 1 to 64 characters (interface section 2.4).
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
