import {
  DeliveryEngine,
  deliveryPolicyOf,
  deliveryStore,
  DueClock,
  newId,
  DueRefunds,
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
import { serviceVault } from "../encryption-keys.ts";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import { listenOn, type PortChoice } from "../listen-on.ts";
import { loadIssuer } from "../load-issuer.ts";
import { loadProfile } from "../load-profile.ts";
import { lineLogger } from "../line-logger.ts";
import { printableJson } from "../printable.ts";
import { serviceDatabase } from "../service-database.ts";
import { asFailure } from "../service-failure.ts";
import type { Surroundings } from "../terminal.ts";

export interface ServeCommand {
  readonly port: PortChoice;
  readonly database: string | undefined;
  /** True refuses a database that does not exist or has no tables. */
  readonly requiresDatabase: boolean;
  /** Age in days from which on finished events are deleted; 0 keeps them. */
  readonly retentionDays: number;
  readonly profile: string;
  /** Address to listen on. */
  readonly listen: string;
  /** File that describes an outside issuer of tokens. */
  readonly tokenIssuer: string | undefined;
  /** Proxies whose word on a call's source is taken. */
  readonly trustProxy: readonly string[];
  /** Ports that the URLs of subscriptions may name. */
  readonly subscriptionPorts: readonly number[];
  /** How long calls are still taken once the process is asked to end. */
  readonly drainSeconds: number;
  /** Whether `ready` is told as JSON. */
  readonly json: boolean;
}

/** `countersign serve`: the service without any controls, until somebody asks it to end. */
export async function runServe(command: ServeCommand, surroundings: Surroundings): Promise<void> {
  const { terminal, env } = surroundings;
  const database = await serviceDatabase(command.database, env, {
    mustExist: command.requiresDatabase,
  });
  const profile = await loadProfile(command.profile);
  const metricsToken = await secretFrom(env, "COUNTERSIGN_METRICS_TOKEN");
  const { tokenIssuer: issuerFile } = command;
  const sending = await sendingFrom(env, profile);
  const options = {
    profile,
    host: command.listen,
    requiresDatabase: command.requiresDatabase,
    ...(command.retentionDays > 0 && { retentionMs: command.retentionDays * 86_400_000 }),
    trustedProxies: command.trustProxy,
    endpoints: { allowLoopback: false, ports: command.subscriptionPorts },
    ...(issuerFile !== undefined && { tokenIssuer: await loadIssuer(issuerFile) }),
    ...(metricsToken !== undefined && { metricsToken }),
    vault: await serviceVault(env),
  };
  const service = await listenOn(command.port, async (port) =>
    start({ ...options, driver: await database.open(), port }, sending, surroundings),
  ).catch((error: unknown) => {
    throw asFailure(error, database.name);
  });
  try {
    terminal.err(`database  ${database.name}`);
    const ready = { ready: service.url, profile: profile.name, database: database.name };
    terminal.out(command.json ? printableJson(ready) : `ready ${service.url}`);
    await surroundings.asked();
    await service.close({ drainMs: command.drainSeconds * 1000 });
  } finally {
    await service.close();
  }
}

type Start = Omit<StartOptions, "logger" | "onWork" | "workers"> &
  Required<Pick<StartOptions, "endpoints">>;

function start(
  options: Start,
  { sign, egressProxy, postgresUrl }: Sending,
  { terminal, version }: Surroundings,
): Promise<RunningService> {
  const { profile, vault, endpoints } = options;
  const policy = deliveryPolicyOf(profile);
  const logger = lineLogger(terminal, systemClock);
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
    workers: ({ driver, useCases, metrics }) => {
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
        driver,
        clock: systemClock,
        moveDueRefunds: useCases.moveDueRefunds,
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

/** What attempts are signed and sent with, and how other processes are told of them. */
interface Sending {
  readonly sign: Signer;
  readonly egressProxy: string | undefined;
  readonly postgresUrl: string | undefined;
}

async function sendingFrom(env: Surroundings["env"], profile: Profile): Promise<Sending> {
  const egressProxy = await secretFrom(env, "COUNTERSIGN_EGRESS_PROXY");
  if (egressProxy !== undefined && !/^https?:\/\/[^/]+\/?$/.test(egressProxy)) {
    const message = "COUNTERSIGN_EGRESS_PROXY must be http://HOST:PORT or https://HOST:PORT";
    throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
  }
  const keys = await secretFrom(env, "COUNTERSIGN_SIGNING_KEYS");
  const providerKeys = keys?.split("\n").filter((line) => line !== "") ?? [];
  try {
    const sign = signerOf(profile, { providerKeys });
    return { sign, egressProxy, postgresUrl: await secretFrom(env, "COUNTERSIGN_DATABASE_URL") };
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
