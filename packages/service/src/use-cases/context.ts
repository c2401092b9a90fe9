import type { Clock, DueClock } from "../clock.ts";
import type { Work } from "../delivery/types.ts";
import type { EndpointPolicy } from "../delivery/egress/addresses.ts";
import type { Policy } from "../profile/policy.ts";
import type { Random } from "../random.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Driver } from "../store/driver.ts";

/** Ends a use case that has stored nothing. */
export interface Refusal<Code extends string> {
  readonly ok: false;
  readonly code: Code;
}

/**
 * Dependencies of every use case. Each is one transaction: if it throws `StoreUnavailableError` (`CS_STORE_UNAVAILABLE`),
 * nothing is stored.
 */
export interface Context {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly random: Random;
  readonly policy: Policy;
  /** Encrypts the secrets of subscriptions. */
  readonly vault: Pick<Vault, "seal">;
  /** The URLs that may be subscribed. */
  readonly endpoints: EndpointPolicy;
  /** The clock that due times of live deliveries follow. */
  readonly dueClock: Pick<DueClock, "now">;
  /** Called after COMMIT with the deliveries of each new event. A lost call delays them by some seconds. */
  readonly onWork: (work: Work) => void;
  /** Called with the merchant of each new event, after COMMIT. */
  readonly onEvent: (merchantId: string) => void;
}
