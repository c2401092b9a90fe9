import type { HeadersLike, Secret } from "@countersign/signatures/stated";
import type { Inbox, InboxQueue, TransactionalInbox } from "../inbox/inbox.ts";
import type { HandlerSlots } from "./admission.ts";
import type { BodyLimits, BodyMemory } from "./body.ts";
import type { FailureLog } from "./failure-log.ts";
import type { Router } from "./router.ts";
import type { ProfileParts } from "../profile.ts";

export interface ReceiverLimits extends BodyLimits {
  /** Maximum nesting of the body's JSON. */
  readonly depth: number;
  /** The longest time from an attempt's arrival to its answer, in milliseconds: body, waiting and handler. */
  readonly answerMs: number;
  /** Handlers that run at once; further events wait, with their claims. */
  readonly concurrentHandlers: number;
  /** Memory of all bodies that are being received or wait, in bytes. */
  readonly bytesInFlight: number;
}

/** The secrets of an attempt, with the tenant that they belong to. */
export interface TenantSecrets {
  readonly tenant: string;
  readonly secrets: readonly Secret[];
}

/** Everything that the flow needs: made once by `createReceiver`, the same for every attempt. */
export interface ReceiverParts extends ProfileParts {
  readonly inbox: Inbox;
  /** Begins one of the inbox's transactions, if it has them. */
  readonly begin: TransactionalInbox<unknown>["begin"] | undefined;
  /** The inbox's queue, with `acknowledge: 'after-store'`. */
  readonly queue: InboxQueue | undefined;
  /** Called when an event was stored. */
  readonly onStored: () => void;
  readonly order: "none" | "per-resource";
  readonly onIdReuse: "duplicate" | "conflict";
  readonly leaseMs: number;
  readonly limits: ReceiverLimits;
  readonly router: Router;
  /** For attempts that run a handler, or store an event. */
  readonly slots: HandlerSlots;
  readonly memory: BodyMemory;
  readonly failures: FailureLog;
  /** Explains why a signature is refused, with the option `explain`. */
  readonly explain:
    | ((refused: {
        readonly headers: HeadersLike;
        readonly body: Uint8Array;
        readonly secrets: readonly Secret[];
        readonly now: number;
      }) => Promise<readonly string[]>)
    | undefined;
  /** Wall time in milliseconds, for what is stored or compared with a sender's time. */
  readonly now: () => number;
  /** Monotonic time in milliseconds, for everything that is measured. */
  readonly elapsed: () => number;
  readonly findSecrets: (attempt: {
    readonly headers: HeadersLike;
    readonly path: string | undefined;
  }) => Promise<TenantSecrets> | TenantSecrets;
}
