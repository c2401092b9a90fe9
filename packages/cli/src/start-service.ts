import {
  DeliveryEngine,
  describeError,
  deliveryPolicyOf,
  deliveryStore,
  DueClock,
  DueRefunds,
  jsonLogger,
  signerOf,
  startService,
  StoreUnavailableError,
  systemClock,
  systemRandom,
  undiciTransport,
  type RunningService,
  type Signer,
  type StartOptions,
} from "@countersign/service";
import type { Profile } from "@countersign/schemas/profiles";
import { badEnvironment, secretFrom } from "./environment.ts";
import type { Surroundings } from "./terminal.ts";

/** Options of the service. Its workers and logger are added here. */
type Start = Omit<StartOptions, "logger" | "onWork" | "workers"> &
  Required<Pick<StartOptions, "endpoints">>;

/** Starts the service with its delivery engine and its due refunds. */
export function startWorkingService(
  options: Start,
  { sign, egressProxy }: Sending,
  { terminal, version }: Surroundings,
): Promise<RunningService> {
  const { profile, vault, endpoints } = options;
  const policy = deliveryPolicyOf(profile);
  const logger = jsonLogger({ clock: systemClock, write: (line) => terminal.err(line) });
  const dueClock = new DueClock(systemClock);
  let engine: DeliveryEngine | undefined;
  return startService({
    ...options,
    logger,
    dueClock,
    onWork: (work) => engine?.onWork(work),
    workers: ({ driver, context, metrics }) => {
      metrics.collectProcess();
      // The service has written a line of a database that cannot be used.
      const failed = (error: unknown): void => {
        if (error instanceof StoreUnavailableError) return;
        logger.error(describeError(error), "due deliveries or refunds could not be worked on");
      };
      engine = new DeliveryEngine({
        store: deliveryStore(driver),
        policy,
        clock: systemClock,
        dueClock,
        random: systemRandom,
        transport: undiciTransport({
          deadlineMs: policy.deadlineMs,
          ...(egressProxy !== undefined && { egressProxy }),
        }),
        sign,
        vault,
        endpoints,
        userAgent: `Countersign/${version}`,
        observer: {
          attempted: (attempt) => metrics.attempted(attempt),
          paused: (key) =>
            logger.warn({ subscriptionKey: key }, "a subscription that only fails has been paused"),
          clockStepped: (stepMs) =>
            logger.warn({ durationMs: stepMs }, "the wall clock stepped; deliveries continue"),
          storeFailed: failed,
          attemptBroke: failed,
        },
      });
      return [engine, new DueRefunds({ context, failed })];
    },
  });
}

/** Parts that sign and send attempts. */
interface Sending {
  readonly sign: Signer;
  readonly egressProxy: string | undefined;
}

/** Reads how attempts are signed and sent from the environment. */
export async function sendingFrom(env: Surroundings["env"], profile: Profile): Promise<Sending> {
  const egressProxy = await secretFrom(env, "COUNTERSIGN_EGRESS_PROXY");
  if (egressProxy !== undefined && !/^https?:\/\/[^/]+\/?$/.test(egressProxy))
    throw badEnvironment("COUNTERSIGN_EGRESS_PROXY must be http://HOST:PORT or https://HOST:PORT");
  const keys = await secretFrom(env, "COUNTERSIGN_SIGNING_KEYS");
  const providerKeys = keys?.split("\n").filter((line) => line !== "") ?? [];
  try {
    return { sign: signerOf(profile, { providerKeys }), egressProxy };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Without the cause, which may hold a key.
    throw badEnvironment("COUNTERSIGN_SIGNING_KEYS must be one to three keys whsk_…, one a line");
  }
}
