import type { HeadersLike, Secret, SignatureScheme } from "@countersign/signatures";
import type { CatalogueEntry } from "@countersign/schemas";
import type { Inbox, InboxQueue, TransactionalInbox } from "./inbox/inbox.ts";
import type { BodyLimits } from "./read-body.ts";
import type { Router } from "./router.ts";
import type { Slots } from "./slots.ts";

export interface ReceiverLimits extends BodyLimits {
  /** How deep the body's JSON may nest. */
  readonly depth: number;
  /** How long a handler may take, in milliseconds. */
  readonly handlerMs: number;
  /** Events that are claimed or handled at once. */
  readonly concurrentHandlers: number;
}

/** The secrets of an attempt, with the tenant that they belong to. */
export interface TenantSecrets {
  readonly tenant: string;
  readonly secrets: readonly Secret[];
}

/** The envelope's members, as unescaped JSON Pointers. */
export interface EnvelopePointers {
  readonly id: readonly string[];
  readonly type: readonly string[];
  readonly timestamp: readonly string[];
  readonly data: readonly string[];
}

/** Everything that the flow needs: made once by `createReceiver`, the same for every attempt. */
export interface ReceiverParts {
  readonly scheme: SignatureScheme;
  readonly toleranceSeconds: number;
  readonly envelope: EnvelopePointers;
  /** A Map, since a type named "constructor" must not be found in an object's prototype. */
  readonly catalogue: ReadonlyMap<string, CatalogueEntry<unknown>>;
  readonly inbox: Inbox;
  /** The inbox's transactions, where it has them. */
  readonly begin: TransactionalInbox<unknown>["begin"] | undefined;
  /** The inbox's queue, with `acknowledge: 'after-store'`. */
  readonly queue: InboxQueue | undefined;
  /** Called when an event was stored. */
  readonly onStored: () => void;
  readonly order: "none" | "per-resource";
  /** With `onIdReuse: 'duplicate'`. */
  readonly anyBody: boolean;
  readonly leaseMs: number;
  readonly limits: ReceiverLimits;
  readonly router: Router;
  /** For events that attempts claim and handle, or store, at once. */
  readonly slots: Slots;
  readonly now: () => number;
  readonly secretsOf: (attempt: {
    readonly headers: HeadersLike;
    readonly path: string | undefined;
  }) => Promise<TenantSecrets> | TenantSecrets;
}
