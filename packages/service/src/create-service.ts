import type { Socket } from "node:net";
import type { Profile } from "@countersign/schemas/profiles";
import type { Express } from "express";
import { DueClock, systemClock, type Clock } from "./clock.ts";
import type { Work } from "./delivery/types.ts";
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
import { addGauges } from "./gauges.ts";
import type { Driver } from "./store/driver.ts";
import { StoreWatch } from "./store/watch.ts";
import type { Context } from "./use-cases/context.ts";

export interface ServiceOptions {
  /** A database with its tables: see `migrate`. The service does not close it. */
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
  readonly onWork?: (work: Work) => void;
  /** True to apply the profile's rate limits. Default true; the sandbox has none. */
  readonly limitsRates?: boolean;
  /**
   * Addresses and networks (`10.0.0.0/8`, `loopback`) of the proxies in front of this service, whose
   * `x-forwarded-for` names a call's source. Default none: the source is the connection's address, so all
   * callers behind a proxy share the limits of wrong credentials.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * True to validate each answer against its schema; one that does not match becomes a 500 and a line of
   * the log. Default false; the sandbox sets it.
   */
  readonly checksAnswers?: boolean;
  /** The bearer token of `GET /metrics`. Default none: only programs on this machine may read it. */
  readonly metricsToken?: string;
  /** True for a connection beyond those that the process can serve: it is answered 503. Default: none is. */
  readonly isExcess?: (socket: Socket) => boolean;
  /** Routes in addition to those of the interface, with the same checks. Default: none. */
  readonly routes?: Routes;
}

export interface Service {
  /** The HTTP interface, to be mounted or listened with. */
  readonly app: Express;
  /** Dependencies of the use cases. */
  readonly context: Context;
  /** The database, whose failures are counted and logged. */
  readonly driver: Driver;
  readonly watch: StoreWatch;
  readonly clock: Clock;
  /** The clock that due times of live deliveries follow; the engine of this process uses the same one. */
  readonly dueClock: DueClock;
  readonly metrics: Metrics;
  /** Reads the bodies of calls, in added routes too. */
  readonly bodies: RequestBodies;
  /** From now on `GET /readyz` is 503, and connections end with their next answer. Calls are still taken. */
  drain(): void;
}

/**
 * The reference service over a database. Opens no port, starts no timer and delivers nothing by
 * itself: `startService` does.
 *
 * @throws {TypeError} The profile requires something that this service does not support.
 */
export function createService(options: ServiceOptions): Service {
  const clock = options.clock ?? systemClock;
  const elapsed = (): number => clock.elapsed();
  const policy = policyOf(options.profile);
  const rates =
    (options.limitsRates ?? true) ? new Rates({ limits: policy.rateLimit, elapsed }) : undefined;
  const metrics = new Metrics();
  const logger = options.logger ?? silentLogger;
  const watch = new StoreWatch(options.driver, {
    failures: new FailureLog(logger, elapsed),
    elapsed,
    failed: (fault) => metrics.storeFailed(fault),
  });
  const dueClock = options.dueClock ?? new DueClock(clock);
  addGauges(metrics, { driver: watch.driver, watch, now: () => dueClock.now(), elapsed });
  const bodies = new RequestBodies({ clock, bodyBytes: policy.limits.bodyBytes });
  let draining = false;
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
    onRefundsMoved: (count) => metrics.refundsMoved(count),
    logger,
    metrics,
    bodies,
    checksAnswers: options.checksAnswers ?? false,
    isDraining: () => draining,
    isExcess: options.isExcess ?? (() => false),
    rates,
  };
  return {
    app: createApp(context, {
      routes: options.routes ?? {},
      trustedProxies: options.trustedProxies ?? [],
      metricsToken: options.metricsToken,
      documents: {
        "/openapi.json": () => openApiOf(options.profile, schemas),
        "/asyncapi.json": () => asyncApiOf(options.profile, schemas),
        "/reader/openapi.json": () => openApiOf(options.profile, schemas, "reader"),
        "/reader/asyncapi.json": () => asyncApiOf(options.profile, schemas, "reader"),
      },
    }),
    context,
    driver: watch.driver,
    watch,
    clock,
    dueClock,
    metrics,
    bodies,
    drain: () => {
      draining = true;
    },
  };
}

function refuseToSeal(): never {
  throw new SecretKeysError("the service was made without a vault");
}
