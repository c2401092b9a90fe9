import type { CatalogueRow, Hold } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";
import type { CustomerStatus } from "../store/tables/customers.ts";

/** The moments at which this service writes an event. A profile may give them other names, or none. */
export type EventKind = NonNullable<Profile["catalogue"][number]["kind"]>;

/**
 * A row of the catalogue of events, with the JSON Pointer of the resource's id in the envelope. `kind` is absent
 * from events that this service never writes.
 */
export type EventRow = CatalogueRow &
  Pick<Profile["catalogue"][number], "resource" | "kind" | "schema" | "sample">;

/** The facts of an event that an envelope is written from. */
export interface EnvelopeMembers extends EventRow {
  readonly id: string;
  /** As S 2.3 writes times. */
  readonly timestamp: string;
  readonly data: object;
  readonly subject: EventSubject;
}

/** The choices that the interface leaves open, as this service reads them from a profile. */
export interface Policy {
  /** True if the interface has refunds and customers; otherwise their members here apply to nothing. */
  readonly hasPayments: boolean;
  readonly amount: {
    readonly minimumCents: bigint;
    readonly maximumCents: bigint;
  };
  readonly hold: Hold;
  readonly refund: {
    /** The answer to a second call with a `requestKey` (S 4.1, rule 1). */
    readonly duplicate: "reject" | "reject-with-existing";
    /** The payment whose id the answer has as `paymentId` (S 2.2). */
    readonly answers: "refund" | "original";
    /** The value of `clientReferenceId` in the answer to a request without it (S 2.2). */
    readonly absentReference: "null" | "omit";
    /** The alphabet of S 8. */
    readonly softDescriptor: RegExp;
    /** The alphabet in words, to follow a number. */
    readonly softDescriptorWords: string;
  };
  readonly events: {
    /** Every event that a subscription may name (S 6, rule 4). */
    readonly catalogue: readonly EventRow[];
    /** The profile's event for a kind; `undefined` if it has none. */
    readonly named: (kind: EventKind) => EventRow | undefined;
    /** Puts the event's members where the profile's envelope has them (S 6, rule 5). */
    readonly envelope: (event: EnvelopeMembers) => object;
  };
  readonly customer: {
    /** True if the transition exists (S 3.2). */
    readonly admits: (move: { from: CustomerStatus; to: CustomerStatus }) => boolean;
  };
  readonly subscription: {
    /** Maximum number of open subscriptions of a merchant. */
    readonly maxPerMerchant: number;
  };
  /** True if the signature scheme can sign with a subscription's `secretKey` (S 5, rule 3). */
  readonly acceptsSecret: (secretKey: string) => boolean;
  readonly token: {
    readonly path: string;
    readonly lifetimeSeconds: number;
    /** The profile's names of the scopes for refunds and for everything else. */
    readonly scopes: { readonly payments: string; readonly core: string };
  };
  /** Calls of one client (S 8). */
  readonly rateLimit: {
    readonly refundsPerSecond: number;
    readonly tokensPerMinute: number;
    readonly othersPerSecond: number;
  };
  readonly http: {
    readonly errorBody: "problem" | "flat";
    /** The status of a code if the profile changes it. */
    readonly statusOf: (code: string) => number | undefined;
    readonly refundCreated: number;
    readonly subscribed: number;
  };
  readonly limits: {
    /** Largest body, in bytes. */
    readonly bodyBytes: number;
    /** Nesting of containers in a body. */
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
