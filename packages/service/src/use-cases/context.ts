import type { Clock, DueClock } from "../clock.ts";
import type { Work } from "../delivery/types.ts";
import type { EndpointPolicy } from "../delivery/egress/addresses.ts";
import type { Policy } from "../profile/policy.ts";
import type { Random } from "../random.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Driver } from "../store/driver.ts";

/** Dependencies of every use case. */
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
  /** Called with the number of due refunds that have moved. */
  readonly onRefundsMoved: (count: number) => void;
}
