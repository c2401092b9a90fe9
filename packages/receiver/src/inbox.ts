/** What an event is known by. Both parts are signed or the receiver's own: no tenant can claim another's event. */
export interface EventKey {
  /** The tenant that `secrets` named; `''` where it names none. */
  readonly tenant: string;
  /** The event's signed id. */
  readonly id: string;
}

export interface ClaimRequest {
  readonly key: EventKey;
  /** SHA-256 of the body's bytes, base64url: a known key with another body is never a silent duplicate. */
  readonly digest: string;
  readonly type: string;
  /** How long the claim holds, in milliseconds. */
  readonly leaseMs: number;
  /** The receiver's clock, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * The answer to a claim.
 *
 * - `claimed`: the caller, and no one else, may run the handler until the lease ends. `token` fences its settlement.
 * - `busy`: another claim holds until `until` (milliseconds since 1970).
 * - `handled`: a handler succeeded before.
 * - `conflict`: the key is known with another body.
 */
export type Claim =
  | { readonly state: "claimed"; readonly token: number }
  | { readonly state: "busy"; readonly until: number }
  | { readonly state: "handled" }
  | { readonly state: "conflict" };

export interface Settlement {
  readonly key: EventKey;
  /** From the claim. A settlement whose token is no longer current changes nothing. */
  readonly token: number;
  readonly now: number;
}

/**
 * The receiver's record of events. Every call is atomic: of any number of simultaneous claims of one
 * key, one is `claimed`. A call that rejects (the store is away) fails the attempt, and the sender tries again.
 */
export interface Inbox {
  /** Whether events outlive the process. `acknowledge: 'after-store'` needs it. */
  readonly durable: boolean;
  claim(request: ClaimRequest): Promise<Claim>;
  /** Records that the handler succeeded. False where the claim was lost meanwhile. */
  complete(settlement: Settlement): Promise<boolean>;
  /** Frees the event for the sender's next attempt. False where the claim was lost meanwhile. */
  release(settlement: Settlement): Promise<boolean>;
}
