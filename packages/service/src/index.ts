// Running the service
export { createService, type Service, type ServiceOptions } from "./create-service.ts";
export { errorCodes, type ErrorCode } from "./error-codes.ts";
export {
  startService,
  type CloseOptions,
  type RunningService,
  type StartOptions,
  type Worker,
} from "./start-service.ts";

// Ports and their defaults
export { DueClock, systemClock, type Clock } from "./clock.ts";
export { jsonLogger, type Logger } from "./http/log.ts";
export { systemRandom, type Random } from "./random.ts";

// Secrets at rest
export { createVault, parseSecretKeys, SecretKeysError, type Vault } from "./secrets/vault.ts";

// Store
export { StoreInUseError, StoreUnavailableError, type Driver } from "./store/driver.ts";
export { migrate, StoreVersionError } from "./store/migrate.ts";
export { postgresDriver } from "./store/postgres/driver.ts";
export { sqliteDriver } from "./store/sqlite/driver.ts";
export { deliveryStore } from "./store/tables/delivery-queue.ts";

// Delivery
export { undiciTransport } from "./delivery/egress/transport.ts";
export { DeliveryEngine, type EngineOptions } from "./delivery/engine.ts";
export { replayDeliveries } from "./delivery/operator.ts";
export { deliveryPolicyOf } from "./delivery/policy.ts";
export { postgresHints } from "./delivery/postgres-hints.ts";
export { signerOf } from "./delivery/attempt.ts";
export type { DeliveryObserver, Transport } from "./delivery/types.ts";
export { DueRefunds } from "./due-refunds.ts";
