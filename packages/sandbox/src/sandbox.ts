import type { Profile } from "@countersign/schemas/profiles";
import {
  checkSecrets,
  createService,
  createVault,
  DeliveryEngine,
  deliveryPolicyOf,
  deliveryStore,
  DueClock,
  listen,
  migrate,
  moveDueRefunds,
  NamespaceClocks,
  newId,
  parseSecretKeys,
  policyOf,
  signerOf,
  systemClock,
  systemRandom,
  undiciTransport,
  type Clock,
  type Completion,
  type DeliveryPolicy,
  type Driver,
  type Logger,
  type Random,
  type Service,
  type Vault,
} from "@countersign/service/internal";
import { controls } from "./controls.ts";
import { Faults, faultyTransport } from "./faults.ts";
import { gate } from "./gate.ts";
import { CheckRuns } from "./inspector/checks.ts";
import { Outcomes } from "./inspector/outcomes.ts";
import { Inspector, type InspectorOptions } from "./inspector/page.ts";
import { inspectRoutes } from "./inspector/routes.ts";
import { Wires } from "./inspector/wires.ts";
import { subscribeAll } from "./seed.ts";
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
  /** Default: the operating system's. */
  readonly random?: Random;
  /** Receives one line for each call. Default: none. */
  readonly logger?: Logger;
  /** Overrides of the profile. */
  readonly delivery?: Partial<DeliveryPolicy>;
  /** Value of the `user-agent` header of deliveries. Default `Countersign`. */
  readonly userAgent?: string;
  /** Called with each recorded attempt of a delivery. */
  readonly onAttempt?: (attempt: Completion) => void;
  /** Default: no page, and `/inspector/` answers 404. */
  readonly inspector?: InspectorOptions;
}

export interface RunningSandbox {
  readonly service: Service;
  readonly engine: DeliveryEngine;
  readonly clocks: NamespaceClocks;
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
  const { driver, profile, clock = systemClock, random = systemRandom } = options;
  const { userAgent = "Countersign" } = options;
  try {
    const vault = options.vault ?? developmentVault();
    await migrate(driver, { now: clock.now() });
    await checkSecrets(driver, vault);
    const sign = signerOf(profile);
    const policy = { ...deliveryPolicyOf(profile), ...options.delivery };
    const faults = new Faults();
    const wires = new Wires(faults);
    const streams = new Streams(driver, Buffer.from(random.bytes(6)).toString("base64url"));
    const inspector = options.inspector && new Inspector(options.inspector, random);
    const outcomes = new Outcomes();
    const { target, checks: runner } = options.inspector ?? {};
    const checks = target && runner && new CheckRuns(runner, streams);
    const dueClock = new DueClock(clock);
    const parts = { clock, dueClock, random, vault, endpoints: { allowLoopback: true } };
    const engine = new DeliveryEngine({
      id: newId(random, "req"),
      ...parts,
      store: deliveryStore(driver),
      policy,
      transport: wires.watch(
        faultyTransport(undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true }), {
          faults,
          deadlineMs: policy.deadlineMs,
        }),
        (merchantId) => streams.send(merchantId, "sending", {}),
      ),
      sign,
      userAgent,
      observer: {
        attempted: (attempt) => {
          service.metrics.deliveries.attempted(attempt);
          wires.add(attempt);
          streams.attempted(attempt);
          options.onAttempt?.(attempt);
        },
        failed: () => options.logger?.error({}, "deliveries could not be worked on"),
      },
    });
    const clocks = new NamespaceClocks({
      driver,
      clock,
      engine,
      moveDueRefunds: async (due) => {
        const moved = await moveDueRefunds(service.context, due);
        for (const { id, error } of moved.passedOver) {
          const errorName = error instanceof Error ? error.name : typeof error;
          options.logger?.error({ refundId: id, errorName }, "a due refund cannot be moved");
        }
        return moved;
      },
    });
    const onReset = (merchantId: string): void => {
      outcomes.clear(merchantId);
      streams.emptied(merchantId);
    };
    const service: Service = createService({
      ...parts,
      driver,
      profile,
      limitsRates: false,
      checksAnswers: true,
      ...(options.logger && { logger: options.logger }),
      onWork: (work) => {
        engine.onWork(work);
        streams.onWork();
      },
      routes: {
        ...controls({ clocks, faults, profile, sign, onReset }),
        ...(options.inspector &&
          inspectRoutes(
            { profile, vault, userAgent },
            {
              delivery: policy,
              outcomes,
              wires,
              streams,
              target,
              checks,
              clocks,
              faults,
              onReset,
              subscribeTarget: async (merchant) => {
                if (target !== undefined) await subscribeAll({ service, vault }, merchant, target);
              },
            },
          )),
      },
    });
    const listener = await listen(
      gate({
        service,
        policy: policyOf(profile),
        random,
        faults,
        streams,
        inspector,
        allowedHosts: (options.allowedHosts ?? []).map((host) => host.toLowerCase()),
      }),
      options,
    );
    driver.name?.(listener.url);
    engine.start();
    const close = async (grace: { readonly graceMs?: number }): Promise<void> => {
      streams.close();
      await checks?.close();
      await listener.close(grace);
      await engine.stop(grace);
      await driver.close();
    };
    let closing: Promise<void> | undefined;
    return {
      service,
      engine,
      clocks,
      vault,
      url: listener.url,
      port: listener.port,
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
