// Running the service
export { createService } from "./create-service.ts";
export { readImportLines } from "./import-lines.ts";
export { listen } from "./listen.ts";
export { startService, type RunningService, type StartOptions } from "./start-service.ts";

// Ports and their defaults
export { DueClock, systemClock } from "./clock.ts";
export { describeError, jsonLogger } from "./http/log.ts";
export { systemRandom } from "./random.ts";

// Secrets at rest
export { createVault, parseSecretKeys, type Vault } from "./secrets/vault.ts";

// Store
export { StoreInUseError, StoreUnavailableError, textOf, type Driver } from "./store/driver.ts";
export { createTables } from "./store/create-tables.ts";
export { postgresDriver } from "./store/postgres/driver.ts";
export { sqliteDriver } from "./store/sqlite/driver.ts";
export { dueInstantOf } from "./store/tables/clocks.ts";
export { listDeliveries } from "./store/tables/deliveries.ts";
export { deliveryStore } from "./store/tables/delivery-queue.ts";
export type { Replayed } from "./store/tables/replays.ts";

// Delivery
export { signerOf, type Signer } from "./delivery/signer.ts";
export { endpointUrl } from "./delivery/egress/addresses.ts";
export { attemptErrorCode, type AttemptErrorCode } from "./delivery/egress/attempt-error.ts";
export { undiciTransport } from "./delivery/egress/transport.ts";
export { DeliveryEngine } from "./delivery/deliver.ts";
export { pauseSubscription, replayDeliveries } from "./delivery/operator.ts";
export { deliveryPolicyOf } from "./delivery/policy.ts";
export type { DecidedAttempt, Transport } from "./delivery/types.ts";
export { DueRefunds } from "./due-refunds.ts";

// Use cases and documents
export type { Context } from "./use-cases/context.ts";
export { importRecords, type ImportOutcome } from "./use-cases/import-records.ts";
export { schemas as interfaceSchemas } from "./documents/generated/schemas.ts";
export { openApiOf } from "./documents/openapi.ts";
