import { createService, type Service, type ServiceOptions } from "./create-service.ts";
import { listen, type ListenOptions } from "./listen.ts";
import { checkSecrets } from "./store/tables/subscriptions.ts";
import type { Vault } from "./secrets/vault.ts";
import { createTables } from "./store/create-tables.ts";

/** Work in addition to the calls, such as the delivery of events. */
interface Worker {
  start(): void;
  /** Takes nothing more on and waits for what is under way. */
  stop(options?: CloseOptions): Promise<void>;
}

export interface StartOptions extends ServiceOptions, ListenOptions {
  /** Seals the secrets of subscriptions; the delivery of events opens them. */
  readonly vault: Vault;
  /** Made of the service, started once it listens, stopped before the database is let go of. */
  readonly workers?: (service: Service) => readonly Worker[];
}

export interface RunningService extends Service {
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Finishes the calls under way, stops the workers and lets go of the database. Idempotent. */
  close(options?: CloseOptions): Promise<void>;
}

interface CloseOptions {
  /** Longest time that calls and workers may each take, in milliseconds. Default 10 000. */
  readonly graceMs?: number;
}

/** Connections of callers: deliveries and the database need descriptors too, of which a process usually has 4096. */
const MAX_CONNECTIONS = 2000;

/**
 * Creates missing tables, listens, and starts the workers. The database is this service's from now on.
 *
 * @throws {StoreVersionError} `CS_STORE_VERSION`: the database belongs to another version.
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: the vault's keys are not those of the database.
 * @throws {TypeError} The profile is not valid.
 * @throws {Error} The port cannot be listened on.
 */
export async function startService(options: StartOptions): Promise<RunningService> {
  const { driver } = options;
  try {
    await createTables(driver);
    await checkSecrets(driver, options.vault);
    const service = createService(options);
    const listener = await listen(service.app, { maxConnections: MAX_CONNECTIONS, ...options });
    driver.name?.(listener.url);
    const workers = options.workers?.(service) ?? [];
    for (const worker of workers) worker.start();
    const close = async (grace: CloseOptions): Promise<void> => {
      await listener.close(grace);
      await Promise.all(workers.map((worker) => worker.stop(grace)));
      await driver.close();
    };
    let closing: Promise<void> | undefined;
    const { url, port } = listener;
    return { ...service, url, port, close: (grace = {}) => (closing ??= close(grace)) };
  } catch (error) {
    await driver.close();
    throw error;
  }
}
