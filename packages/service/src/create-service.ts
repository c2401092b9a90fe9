import type { Profile } from "@countersign/schemas/profiles";
import type { Express } from "express";
import { DueClock, systemClock, type Clock } from "./clock.ts";
import type { EndpointPolicy } from "./delivery/egress/addresses.ts";
import { asyncApiOf } from "./documents/asyncapi.ts";
import { schemas } from "./documents/generated/schemas.ts";
import { openApiOf } from "./documents/openapi.ts";
import { createApp, type Routes } from "./http/app.ts";
import type { HttpContext } from "./http/route.ts";
import { silentLogger, type Logger, FailureLog } from "./http/log.ts";
import { Metrics } from "./http/metrics.ts";
import { Rates } from "./http/limits.ts";
import { RequestBodies } from "./http/request-bodies.ts";
import { policyOf } from "./profile/policy.ts";
import { systemRandom, type Random } from "./random.ts";
import { SecretKeysError, type Vault } from "./secrets/vault.ts";
import type { Driver } from "./store/driver.ts";
import { StoreWatch } from "./store/watch.ts";
import type { Context } from "./use-cases/context.ts";

export interface ServiceOptions {
  /** A database with its tables: see `createTables`. The service does not close it. */
  readonly driver: Driver;
  readonly profile: Profile;
  /** Encrypts the secrets of subscriptions. Default: none, and subscribing answers 500. */
  readonly vault?: Vault;
  /** Real time. Default: this machine's. */
  readonly clock?: Clock;
  /** The clock that due times of live deliveries follow. Default: made from `clock`. */
  readonly dueClock?: DueClock;
  /** Default: the operating system's. */
  readonly random?: Random;
  /** The URLs that may be subscribed; the delivery engine gets the same. Default: `https:`, any port. */
  readonly endpoints?: EndpointPolicy;
  /** Receives one line for each call. Default: no log. */
  readonly logger?: Logger;
  /** Is called after COMMIT with the deliveries of each new event. Default: the engine finds them some seconds later. */
  readonly onWork?: Context["onWork"];
  /** Is called after COMMIT with the merchant of each new event. */
  readonly onEvent?: Context["onEvent"];
  /** True if the profile's rate limits apply to a merchant; without one, to wrong credentials. Default: to all. */
  readonly limitsRates?: (merchantId?: string) => boolean;
  /** Addresses and networks (`10.0.0.0/8`, `loopback`) of the proxies whose `x-forwarded-for` names a call's source. Default none. */
  readonly trustedProxies?: readonly string[];
  /** The bearer token of `GET /metrics`. Default: nobody may read it. */
  readonly metricsToken?: string;
  /** Routes in addition to those of the interface, with the same checks. Default: none. */
  readonly routes?: Routes;
}

export interface Service {
  /** The HTTP interface, to be mounted or listened with. */
  readonly app: Express;
  /** Dependencies of the use cases and of the HTTP interface. */
  readonly context: HttpContext;
  /** The database, whose failures are counted and logged. */
  readonly driver: Driver;
  readonly clock: Clock;
  /** The clock that due times of live deliveries follow; the engine of this process uses the same one. */
  readonly dueClock: DueClock;
  readonly metrics: Metrics;
}

/** The reference service over a database, without a port and timers. @throws {TypeError} The profile is not valid. */
export function createService(options: ServiceOptions): Service {
  const { profile, clock = systemClock, logger = silentLogger } = options;
  const { dueClock = new DueClock(clock), limitsRates: isLimited = () => true } = options;
  const elapsed = (): number => clock.elapsed();
  const policy = policyOf(profile);
  const metrics = new Metrics();
  const watch = new StoreWatch(options.driver, {
    failures: new FailureLog(logger, elapsed),
    elapsed,
    failed: () => metrics.storeFailed(),
  });
  const context: HttpContext = {
    driver: watch.driver,
    watch,
    clock,
    dueClock,
    random: options.random ?? systemRandom,
    policy,
    vault: options.vault ?? { seal: refuseToSeal },
    endpoints: options.endpoints ?? { allowLoopback: false },
    onWork: options.onWork ?? (() => {}),
    onEvent: options.onEvent ?? (() => {}),
    logger,
    metrics,
    bodies: new RequestBodies({ clock, bodyBytes: policy.limits.bodyBytes }),
    rates: new Rates({ limits: policy.rateLimit, elapsed, isLimited }),
  };
  return {
    app: createApp(context, {
      routes: options.routes ?? {},
      trustedProxies: options.trustedProxies ?? [],
      metricsToken: options.metricsToken,
      documents: {
        "/openapi.json": () => openApiOf(profile, schemas),
        "/asyncapi.json": () => asyncApiOf(profile, schemas),
      },
    }),
    context,
    driver: watch.driver,
    clock,
    dueClock,
    metrics,
  };
}

function refuseToSeal(): never {
  throw new SecretKeysError("the service was made without a vault");
}
