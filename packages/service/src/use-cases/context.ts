import type { Clock } from "../clock.ts";
import type { Policy } from "../policy.ts";
import type { Random } from "../random.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Driver } from "../store/driver.ts";

/** What every use case works with. */
export interface Context {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly random: Random;
  readonly policy: Policy;
  /** Seals the secrets of subscriptions. */
  readonly vault: Pick<Vault, "seal">;
  /** Takes `http:` subscriptions to loopback hosts. Only the sandbox sets it. */
  readonly allowLoopbackHttp: boolean;
  /** A hint, given after COMMIT, that deliveries may wait. Losing one costs a poll's interval. */
  readonly onWork: () => void;
}
