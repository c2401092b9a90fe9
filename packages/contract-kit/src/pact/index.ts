export {
  readPacts,
  standardPacts,
  type Pact,
  type PactInteraction,
  type PactMessage,
  type PactProvider,
  type PactState,
} from "./pact-file.ts";
export { isPactInstalled, PactMissingError } from "./run-child.ts";
export * as placeholders from "./pact-file.ts";
export { receiverProvider, type ReceiverProviderOptions } from "./receiver-provider.ts";
export { serviceProvider, type ServiceProviderOptions } from "./service-provider.ts";
export {
  verifyPacts,
  type PactResult,
  type PactRow,
  type VerifyPactsOptions,
} from "./verify-pacts.ts";
