import type { Clock } from "../clock.ts";
import type { EndpointPolicy } from "../delivery/endpoint-url.ts";
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
  /** Called after COMMIT when deliveries may be waiting. A lost call costs one polling interval. */
  readonly onWork: () => void;
}
