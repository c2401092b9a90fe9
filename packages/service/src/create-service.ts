import type { Profile } from "@countersign/schemas/profiles";
import type { Express } from "express";
import { systemClock, type Clock } from "./clock.ts";
import { createApp, type Routes } from "./http/app.ts";
import { silentLogger, type Logger } from "./http/logger.ts";
import { policyOf } from "./policy-of.ts";
import { systemRandom, type Random } from "./random.ts";
import type { Driver } from "./store/driver.ts";
import type { Context } from "./use-cases/context.ts";
import { useCasesOf, type UseCases } from "./use-cases/use-cases.ts";

export interface ServiceOptions {
  /** A database with its tables: see `migrate`. The service does not close it. */
  readonly driver: Driver;
  readonly profile: Profile;
  /** Real time. Default: this machine's. */
  readonly clock?: Clock;
  /** Default: the operating system's. */
  readonly random?: Random;
  /** Takes `http:` subscriptions to loopback hosts. Default false; the sandbox alone sets it. */
  readonly allowLoopbackHttp?: boolean;
  /** Gets one line for each call. Default: nobody. */
  readonly logger?: Logger;
  /** A hint, after COMMIT, that deliveries may wait. Default: nobody listens, a poll finds them. */
  readonly onWork?: () => void;
  /** Routes beside those of the interface, answered with the same checks. Default: none. */
  readonly routes?: Routes;
}

export interface Service {
  /** The HTTP interface, to be mounted or listened with. */
  readonly app: Express;
  readonly useCases: UseCases;
  readonly driver: Driver;
  readonly clock: Clock;
}

/**
 * The reference service over a database. Opens no port, starts no timer and delivers nothing by
 * itself: `startService` does.
 *
 * @throws {TypeError} The profile asks for what this service cannot do.
 */
export function createService(options: ServiceOptions): Service {
  const context: Context = {
    driver: options.driver,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    policy: policyOf(options.profile),
    allowLoopbackHttp: options.allowLoopbackHttp ?? false,
    onWork: options.onWork ?? (() => {}),
  };
  const logger = options.logger ?? silentLogger;
  return {
    app: createApp(context, { logger, routes: options.routes ?? {} }),
    useCases: useCasesOf(context),
    driver: context.driver,
    clock: context.clock,
  };
}
