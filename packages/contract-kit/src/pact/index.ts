export { providerPacts, type ProviderPactsOptions } from "../checks/provider/pacts.ts";
export type { PactBroker } from "./verify-pacts.ts";
export { readPacts, type Pact, type PactInteraction, type PactState } from "./pact-file.ts";
export { isPactInstalled, PactMissingError } from "./run-child.ts";
export type { AskedMessage, PactMessage, PactProvider } from "./pact-provider.ts";
export * as placeholders from "./pact-file.ts";
export { receiverProvider, type ReceiverProviderOptions } from "./receiver-provider.ts";
export type { ReceiverState } from "./receiver-provider.ts";
export { serviceProvider, type ServiceProviderOptions } from "./service-provider.ts";
export type { ServiceStates } from "./service-states.ts";
export { standardPacts } from "./pact-file.ts";
export {
  verifyPacts,
  type PactResult,
  type PactRow,
  type VerifyPactsOptions,
} from "./verify-pacts.ts";
