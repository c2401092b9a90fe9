import type { Profile } from "@countersign/schemas/profiles";
import { DueClock, systemClock, type Clock } from "../clock.ts";
import { createService, type Service } from "../create-service.ts";
import { signerOf } from "../delivery/signer.ts";
import { undiciTransport } from "../delivery/egress/transport.ts";
import { DeliveryEngine } from "../delivery/deliver.ts";
import { NamespaceClocks } from "../delivery/namespace-clocks.ts";
import { deliveryPolicyOf, type DeliveryPolicy } from "../delivery/policy.ts";
import type { DecidedAttempt } from "../delivery/types.ts";
import { listen } from "../listen.ts";
import { systemRandom } from "../random.ts";
import { checkSecrets } from "../store/tables/subscriptions.ts";
import { createVault, parseSecretKeys, type Vault } from "../secrets/vault.ts";
import type { Driver } from "../store/driver.ts";
import { createTables } from "../store/create-tables.ts";
import { deliveryStore } from "../store/tables/delivery-queue.ts";
import { moveDueRefunds } from "../use-cases/refunds.ts";
import { faultControls, Faults, faultyTransport } from "./faults.ts";
import { gate } from "./gate.ts";
import { CheckRuns } from "./inspector/checks.ts";
import { Inspector, type InspectorOptions } from "./inspector/page.ts";
import { inspectRoutes } from "./inspector/routes.ts";
import { Wires } from "./inspector/wires.ts";
import type { Parts } from "./parts.ts";
import { customerRoutes } from "./routes/customers.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { namespaceRoutes } from "./routes/namespaces.ts";
import { paymentRoutes } from "./routes/payments.ts";
import { stateRoutes } from "./routes/states.ts";
import { Streams } from "./streams.ts";

export interface SandboxOptions {
  /** The database, which `close` closes. */
  readonly driver: Driver;
  readonly profile: Profile;
  /** 0 takes any free one. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /**
   * Hosts allowed for the controls in addition to loopback ones: `name` with any port, or
   * `name:port`. Default none.
   */
  readonly allowedHosts?: readonly string[];
  /** Encrypts the secrets of subscriptions. Default: with a published key. */
  readonly vault?: Vault;
  /** Real time. Default: this machine's clock. */
  readonly clock?: Clock;
  /** Overrides of the profile. */
  readonly delivery?: Partial<DeliveryPolicy>;
  /** Value of the `user-agent` header of deliveries. Default `Countersign`. */
  readonly userAgent?: string;
  /** Called with each recorded attempt of a delivery. */
  readonly onAttempt?: (attempt: DecidedAttempt) => void;
  /** Default: no page, and `/inspector/` answers 404. */
  readonly inspector?: InspectorOptions;
}

export interface RunningSandbox {
  readonly service: Service;
  readonly engine: DeliveryEngine;
  /** Encrypts and decrypts the secrets of subscriptions. */
  readonly vault: Vault;
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly port: number;
  /**
   * Ends the streams, finishes running calls and deliveries for up to `graceMs` milliseconds each
   * (default 10 000), and closes the database. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * The reference service with controls (`/sandbox/…`) for development: clocks that stand still, customers,
 * payments, faults. Delivers to loopback addresses too. Not for production: anyone with a token controls
 * its namespace's money and time.
 *
 * @throws {StoreVersionError} `CS_STORE_VERSION`: the database belongs to another version.
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: the vault's keys are not those of the database.
 * @throws {TypeError} The profile asks for what this service cannot do.
 * @throws {Error} The port cannot be listened on.
 */
export async function serveSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const { driver, profile, clock = systemClock, userAgent = "Countersign" } = options;
  const { vault = developmentVault(), inspector: page } = options;
  try {
    await createTables(driver);
    await checkSecrets(driver, vault);
    const delivery = { ...deliveryPolicyOf(profile), ...options.delivery };
    const { deadlineMs } = delivery;
    const sign = signerOf(profile);
    const [faults, wires, streams] = [new Faults(), new Wires(), new Streams()];
    const dueClock = new DueClock(clock);
    const shared = { clock, dueClock, vault, endpoints: { allowLoopback: true } };
    const network = undiciTransport({ deadlineMs, allowLoopback: true });
    const engine = new DeliveryEngine({
      ...shared,
      random: systemRandom,
      store: deliveryStore(driver),
      policy: delivery,
      transport: faultyTransport(network, { faults, deadlineMs }),
      sign,
      userAgent,
      observer: {
        attempted: (attempt) => {
          service.metrics.attempted(attempt);
          wires.add(attempt);
          streams.news(attempt.attempt.endpoint.merchantId);
          options.onAttempt?.(attempt);
        },
      },
    });
    const parts: Parts = {
      profile,
      delivery,
      sign,
      vault,
      userAgent,
      clocks: new NamespaceClocks({
        driver,
        clock,
        engine,
        moveDueRefunds: (due) => moveDueRefunds(service.context, due),
      }),
      faults,
      wires,
      streams,
      target: page?.target,
      checks: page?.target && page.checks && new CheckRuns(page.checks, streams),
    };
    const service: Service = createService({
      ...shared,
      driver,
      profile,
      limitsRates: (merchantId) => merchantId !== undefined && faults.limited.has(merchantId),
      onWork: (work) => engine.onWork(work),
      onEvent: (merchantId) => streams.news(merchantId),
      routes: {
        ...namespaceRoutes(parts),
        ...customerRoutes(profile.account.types),
        ...paymentRoutes,
        ...deliveryRoutes,
        ...faultControls(faults),
        ...stateRoutes(parts),
        ...(page && inspectRoutes(parts)),
      },
    });
    const inspector = page && new Inspector(page);
    const allowedHosts = (options.allowedHosts ?? []).map((host) => host.toLowerCase());
    const listener = await listen(
      gate({ service, faults, streams, inspector, allowedHosts }),
      options,
    );
    const { url, port } = listener;
    driver.name?.(url);
    engine.start();
    const close = async (grace: { readonly graceMs?: number }): Promise<void> => {
      streams.close();
      await parts.checks?.close();
      await listener.close(grace);
      await engine.stop(grace);
      await driver.close();
    };
    let closing: Promise<void> | undefined;
    return {
      service,
      engine,
      vault,
      url,
      port,
      close: (grace = {}) => (closing ??= close(grace)),
    };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** A vault with a published key, for databases of tests. */
function developmentVault(): Vault {
  const key = Buffer.alloc(32, "development only ").toString("base64");
  return createVault(parseSecretKeys(`development:${key}`));
}
