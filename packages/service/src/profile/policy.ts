import type { AmountPolicy, CatalogueRow, Hold } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";
import type { CustomerStatus } from "../store/tables/customers.ts";

/** The moments at which this service writes an event. A profile may give them other names, or none. */
export type EventKind = NonNullable<Profile["catalogue"][number]["kind"]>;

/**
 * A row of the catalogue of events, with the JSON Pointer of the resource's id in the envelope. `kind` is absent
 * from events that this service never writes.
 */
export type EventRow = CatalogueRow & { readonly resource: string; readonly kind?: EventKind };

/** What an event is written from. */
export interface EnvelopeMembers extends EventRow {
  readonly id: string;
  /** As S 2.3 writes times. */
  readonly timestamp: string;
  readonly data: object;
  readonly subject: EventSubject;
}

/** Paths that are deprecated (S 9, rule 2). Times are milliseconds since 1970. */
export interface DeprecatedPath {
  /** Beginning of the paths. */
  readonly path: string;
  readonly since: number;
  readonly sunset: number | undefined;
  /** Page that says what to do instead. */
  readonly link: string | undefined;
}

/** What the interface leaves open, as this service reads it from a profile. */
export interface Policy {
  readonly amount: AmountPolicy & {
    /** Whether `"1.00"` is an amount. */
    readonly strings: "reject" | "accept";
    readonly minimumCents: bigint;
    readonly maximumCents: bigint;
  };
  readonly hold: Hold;
  readonly refund: {
    /** What happens at the second call with a `requestKey` (S 4.1, rule 1). */
    readonly duplicate: "reject" | "reject-with-existing" | "replay";
    /** Whose id the answer carries as `paymentId` (S 2.2). */
    readonly answers: "refund" | "original";
    /** How an answer shows that the request carried no `clientReferenceId` (S 2.2). */
    readonly absentReference: "null" | "omit" | "empty";
    /** What the misspelt request member of S 4.1, `clientRefefenceId`, does. */
    readonly typoAlias: "alias" | "ignore" | "reject";
    readonly lateReturn: boolean;
    /** The alphabet of S 8. */
    readonly softDescriptor: RegExp;
    /** The same for people, after a number of them. */
    readonly softDescriptorWords: string;
  };
  readonly events: {
    /** Every event that a subscription may name (S 6, rule 4). */
    readonly catalogue: readonly EventRow[];
    /** What the profile calls what happened; `undefined` where it has no event for it. */
    readonly named: (kind: EventKind) => EventRow | undefined;
    /** The event's members where the profile's envelope has them (S 6, rule 5). */
    readonly envelope: (event: EnvelopeMembers) => object;
  };
  readonly customer: {
    /** Whether the move exists (S 3.2). */
    readonly admits: (move: { from: CustomerStatus; to: CustomerStatus }) => boolean;
  };
  readonly subscription: {
    /** How many subscriptions of a merchant may be open at one time. */
    readonly maxPerMerchant: number;
    /** What unsubscribing from a closed one answers: the key again, 404 or 410. */
    readonly closed: "ok" | "not-found" | "gone";
    /** What `ALL` with details is: `ALL`, or a mistake (S 2.5). */
    readonly allWithDetails: "ignore" | "reject";
  };
  /** Whether the signature scheme makes a key of a subscription's `secretKey` (S 5, rule 3). */
  readonly acceptsSecret: (secretKey: string) => boolean;
  readonly token: {
    readonly path: string;
    readonly lifetimeSeconds: number;
    /** The profile's names of the scopes that refunds and everything else need. */
    readonly scopes: { readonly payments: string; readonly core: string };
  };
  /** Calls of one client (S 8). */
  readonly rateLimit: {
    readonly refundsPerSecond: number;
    readonly tokensPerMinute: number;
    readonly othersPerSecond: number;
  };
  readonly deprecated: readonly DeprecatedPath[];
  readonly http: {
    readonly errorBody: "problem" | "flat";
    /** The status of a code where the profile moves it. */
    readonly statusOf: (code: string) => number | undefined;
    readonly refundCreated: number;
    readonly subscribed: number;
    /** Whether a call without `Accept` is refused (S 1 requires the header). */
    readonly isAcceptRequired: boolean;
    /** Whether a GET without a JSON `Content-Type` is refused (S 1 requires the header). */
    readonly isContentTypeOnGetRequired: boolean;
  };
  readonly limits: {
    /** Largest body, in bytes. */
    readonly bodyBytes: number;
    /** Containers inside each other in a body. */
    readonly depth: number;
    /** Most characters of text members, by JSON Pointer, where the profile is stricter than the schema. */
    readonly members: Readonly<Record<string, number>>;
    /** Most characters of a softDescriptor. */
    readonly softDescriptor: number;
    /** Fewest and most characters of a secretKey, inclusive. */
    readonly secretKey: { readonly minimum: number; readonly maximum: number };
  };
}

/** An event's subject, for envelopes that name it outside the resource. */
export interface EventSubject {
  readonly id: unknown;
  readonly type: "payment" | "customer";
  /** The direction of a payment: `CREDIT` is a refund. */
  readonly paymentType?: "DEBIT" | "CREDIT";
}

/** @param data The resource of the kind. An account's subject is its customer. */
export function subjectOf(kind: EventKind, data: object): EventSubject {
  const members: Partial<Record<string, unknown>> = { ...data };
  switch (kind) {
    case "payment.created":
    case "payment.authorized":
    case "payment.succeeded":
    case "payment.failed":
    case "payment.canceled":
      return { id: members["paymentId"], type: "payment", paymentType: "DEBIT" };
    case "refund.pending":
    case "refund.authorized":
    case "refund.failed":
      return { id: members["paymentId"], type: "payment", paymentType: "CREDIT" };
    case "account.linked":
    case "account.updated":
    case "account.deactivated":
      return { id: members["customerId"], type: "customer" };
    case "customer.created":
    case "customer.activated":
    case "customer.deactivated":
      return { id: members["id"], type: "customer" };
    default:
      return kind satisfies never;
  }
}
