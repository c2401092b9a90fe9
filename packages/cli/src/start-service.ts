import {
  DeliveryEngine,
  deliveryPolicyOf,
  deliveryStore,
  DueClock,
  DueRefunds,
  jsonLogger,
  newId,
  postgresHints,
  signerOf,
  startService,
  StoreUnavailableError,
  systemClock,
  systemRandom,
  undiciTransport,
  type LogFields,
  type RunningService,
  type Signer,
  type StartOptions,
} from "@countersign/service/internal";
import type { Profile } from "@countersign/schemas/profiles";
import { databaseUrl, secretFrom } from "./environment.ts";
import { Failure } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** Options of the service. Its workers, logger and hints are added here. */
type Start = Omit<StartOptions, "logger" | "onWork" | "workers"> &
  Required<Pick<StartOptions, "endpoints">>;

/** Starts the service with its delivery engine and its due refunds. */
export function startWorkingService(
  options: Start,
  { sign, egressProxy, postgresUrl }: Sending,
  { terminal, version }: Surroundings,
): Promise<RunningService> {
  const { profile, vault, endpoints } = options;
  const policy = deliveryPolicyOf(profile);
  const logger = jsonLogger({ clock: systemClock, write: (line) => terminal.err(line) });
  const dueClock = new DueClock(systemClock);
  let engine: DeliveryEngine | undefined;
  const hints =
    postgresUrl === undefined
      ? undefined
      : postgresHints({
          url: postgresUrl,
          random: systemRandom,
          dueClock,
          onWork: (work) => engine?.onWork(work),
        });
  return startService({
    ...options,
    logger,
    dueClock,
    onWork: (work) => {
      engine?.onWork(work);
      hints?.tell(work);
    },
    workers: ({ driver, context, metrics }) => {
      metrics.collectProcess();
      metrics.addGauges(
        { deliveries_in_flight: "Attempts in flight of this process." },
        async () => ({
          deliveries_in_flight: engine?.inFlight ?? 0,
        }),
      );
      const storeFailed = (error: unknown): void => {
        metrics.deliveries.failed(error);
        // The service has written a line.
        if (error instanceof StoreUnavailableError) return;
        logger.error(described(error), "deliveries could not be worked on");
      };
      engine = new DeliveryEngine({
        id: newId(systemRandom, "req"),
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
          attempted: metrics.deliveries.attempted,
          paused: (key) => {
            metrics.deliveries.paused(key);
            logger.warn({ subscriptionKey: key }, "a subscription that only fails has been paused");
          },
          clockStepped: (stepMs) => {
            metrics.deliveries.clockStepped(stepMs);
            logger.warn({ durationMs: stepMs }, "the wall clock stepped; deliveries continue");
          },
          failed: storeFailed,
        },
      });
      const dueRefunds = new DueRefunds({
        context,
        observer: {
          passedOver: (refund) => {
            metrics.refundPassedOver();
            const fields = { refundId: refund.id, ...described(refund.error) };
            logger.error(fields, "a due refund cannot be moved");
          },
          failed: storeFailed,
        },
      });
      return [engine, dueRefunds, ...(hints === undefined ? [] : [hints])];
    },
  });
}

/** Parts that sign and send attempts, and notify other processes. */
export interface Sending {
  readonly sign: Signer;
  readonly egressProxy: string | undefined;
  readonly postgresUrl: string | undefined;
}

/**
 * Reads how attempts are signed and sent from the environment.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`
 */
export async function sendingFrom(env: Surroundings["env"], profile: Profile): Promise<Sending> {
  const egressProxy = await secretFrom(env, "COUNTERSIGN_EGRESS_PROXY");
  if (egressProxy !== undefined && !/^https?:\/\/[^/]+\/?$/.test(egressProxy)) {
    const message = "COUNTERSIGN_EGRESS_PROXY must be http://HOST:PORT or https://HOST:PORT";
    throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
  }
  const keys = await secretFrom(env, "COUNTERSIGN_SIGNING_KEYS");
  const providerKeys = keys?.split("\n").filter((line) => line !== "") ?? [];
  try {
    const sign = signerOf(profile, { providerKeys });
    return { sign, egressProxy, postgresUrl: await databaseUrl(env) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = "COUNTERSIGN_SIGNING_KEYS must be one to three keys whsk_…, one a line";
    throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
  }
}

function described(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  return { errorName: error.name, ...(error.stack !== undefined && { stack: error.stack }) };
}
