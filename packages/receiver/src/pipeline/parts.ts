import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Attempt as SignedAttempt, Secret, SignatureScheme } from "@countersign/signatures";
import type { Inbox, InboxQueue } from "../inbox/inbox.ts";
import type { TransactionalInbox } from "../inbox/transaction.ts";
import type { ReceiverOptions, Replay } from "../options.ts";
import type { HandlerSlots, Running } from "./admission.ts";
import type { Attempt, BodyLimits, BodyMemory } from "./body.ts";
import type { EventParts } from "./read-events.ts";
import type { FailureLog } from "./failure-log.ts";
import type { HandshakePlan } from "./handshake.ts";
import type { KeyCache } from "./credentials.ts";
import type { MediaReader } from "./headers.ts";
import type { Outcome, OutcomeFacts } from "./outcome.ts";
import type { Router } from "./router.ts";

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

/** The part of a provider's document and its catalogue that verifies and reads an attempt. */
export interface ProviderParts extends EventParts {
  readonly provider: ProviderDocument;
  readonly scheme: SignatureScheme;
  readonly media: MediaReader;
  readonly handshakes: readonly HandshakePlan[];
  /** True if the catalogue has the types that handlers are written for. */
  readonly isTyped: boolean;
}

/** Checked secrets of an attempt's tenant. */
export interface Credentials {
  readonly tenant: string;
  readonly secrets: readonly Secret[];
  readonly labels: readonly (string | undefined)[];
  /** True if the time of a refusal must not reveal which tenants exist. */
  readonly decoys: boolean;
}

/** The merchant's function, whose answer is checked. */
export type FindCredentials = (
  attempt: Pick<Attempt, "headers" | "path" | "url">,
) => Promise<Credentials>;

/** The parts that verify attempts, for a receiver and for `verifyEvent`. */
export interface VerifyParts extends ProviderParts {
  /** The option `url`. */
  readonly publicUrl: string | undefined;
  readonly claims: Readonly<Record<string, string>> | undefined;
  /** True if a body that does not fit its schema is refused. */
  readonly refuses: boolean;
}

/** Everything that the flow needs: made once by `createReceiver`, the same for every attempt. */
export interface ReceiverParts
  extends VerifyParts, Required<Pick<ReceiverOptions<unknown>, "order" | "mode" | "onIdReuse">> {
  readonly inbox: Inbox;
  /** Begins one of the inbox's transactions, if it has them. */
  readonly begin: TransactionalInbox<unknown>["begin"] | undefined;
  /** The inbox's queue, with `acknowledge: 'after-store'`. */
  readonly queue: InboxQueue | undefined;
  /** Called when an event was stored. */
  readonly onStored: () => void;
  readonly replayOf: (type: string) => Replay;
  readonly verifyToken: string | undefined;
  readonly leaseMs: number;
  /** Time for which equal bytes of an event without an id are its retry, in milliseconds. */
  readonly retryMs: number;
  readonly limits: ReceiverLimits;
  readonly router: Router;
  /** For attempts that run a handler, or store an event. */
  readonly slots: HandlerSlots;
  readonly memory: BodyMemory;
  readonly failures: FailureLog;
  /** The keys that attempts name, if the scheme needs one. */
  readonly keys: KeyCache | undefined;
  /** Explains why a signature is refused, with the option `explain`; `undefined` if it explained one just before. */
  readonly explain:
    | ((
        attempt: SignedAttempt,
        secrets: readonly Secret[],
        now: number,
      ) => Promise<readonly string[] | undefined>)
    | undefined;
  /** Wall time in milliseconds, for what is stored or compared with a sender's time. */
  readonly now: () => number;
  /** Monotonic time in milliseconds, for everything that is measured. */
  readonly elapsed: () => number;
  readonly credentials: Credentials | FindCredentials;
  readonly running: Running;
  /** Logs, observes and counts an outcome. */
  readonly report: (outcome: Outcome, facts: OutcomeFacts) => void;
}
