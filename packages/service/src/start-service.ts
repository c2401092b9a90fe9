import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createService, type Service, type ServiceOptions } from "./create-service.ts";
import { ConnectionLimit, listen, type ListenOptions } from "./listen.ts";
import { checkSecrets } from "./secrets/stored-secrets.ts";
import type { Vault } from "./secrets/vault.ts";
import { StoreUnavailableError } from "./store/driver.ts";
import { migrate } from "./store/migrate.ts";
import { Housekeeping } from "./housekeeping.ts";
import { silentLogger } from "./http/log.ts";
import { systemClock } from "./clock.ts";

/** Work in addition to the calls, such as the delivery of events. */
export interface Worker {
  start(): void;
  /** Takes nothing more on and waits for what is under way. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface StartOptions extends ServiceOptions, ListenOptions {
  /** Seals the secrets of subscriptions; the delivery of events opens them. */
  readonly vault: Vault;
  /** True refuses a database without tables instead of making them. Default false. */
  readonly requiresDatabase?: boolean;
  /**
   * Age in milliseconds from which on events are deleted, with their deliveries and attempts, once all deliveries are
   * finished. Default: never.
   */
  readonly retentionMs?: number;
  /** Made of the service, started once it listens, stopped before the database is let go of. */
  readonly workers?: (service: Service) => readonly Worker[];
}

export interface RunningService extends Service {
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly port: number;
  /**
   * Finishes the calls under way, stops the workers and lets go of the database. Idempotent.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /** Longest time that calls and workers may each take, in milliseconds. Default 10 000. */
  readonly graceMs?: number;
  /**
   * Time during which calls are still taken while `GET /readyz` is 503, in milliseconds: until the load
   * balancer has noticed. Default 0.
   */
  readonly drainMs?: number;
}

/**
 * Brings the database up to date, listens, and starts the workers. The database is this service's from
 * now on: `close` closes it.
 *
 * @throws {StoreVersionError} `CS_STORE_VERSION`: the database belongs to another version.
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: the vault's keys are not those of the database.
 * @throws {TypeError} The profile asks for what this service cannot do.
 * @throws {Error} The port cannot be listened on.
 */
export async function startService(options: StartOptions): Promise<RunningService> {
  const { driver, clock = systemClock } = options;
  try {
    await migrate(driver, { now: clock.now(), mustExist: options.requiresDatabase ?? false });
    await checkSecrets(driver, options.vault);
    const connections = new ConnectionLimit();
    const isExcess = (socket: Socket): boolean => connections.isExcess(socket);
    const service = createService({ isExcess, ...options });
    const listener = await listen(service.app, { connections, ...options });
    driver.name?.(listener.url);
    const workers = [
      service.watch,
      housekeeping(service, options),
      ...(options.workers?.(service) ?? []),
    ];
    for (const worker of workers) worker.start();
    const close = async ({ drainMs = 0, ...grace }: CloseOptions): Promise<void> => {
      service.drain();
      if (drainMs > 0) await setTimeout(drainMs);
      await listener.close(grace);
      await Promise.all(workers.map((worker) => worker.stop(grace)));
      await driver.close();
    };
    let closing: Promise<void> | undefined;
    return {
      ...service,
      url: listener.url,
      port: listener.port,
      close: (grace = {}) => (closing ??= close(grace)),
    };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

function housekeeping(
  { driver, clock }: Service,
  { logger = silentLogger, retentionMs }: StartOptions,
): Worker {
  const failed = (error: unknown): void => {
    // The store's own watch has written a line.
    if (error instanceof StoreUnavailableError) return;
    const errorName = error instanceof Error ? error.name : typeof error;
    logger.error({ errorName }, "expired tokens and old events could not be deleted");
  };
  return new Housekeeping({ driver, clock, retentionMs, failed });
}
