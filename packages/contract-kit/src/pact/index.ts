export {
  readPacts,
  standardPacts,
  type Pact,
  type PactInteraction,
  type PactMessage,
  type PactProvider,
} from "./pact-file.ts";
export { PactMissingError } from "./run-child.ts";
export { serviceProvider, type ServiceProviderOptions } from "./service-provider.ts";
export {
  verifyPacts,
  type PactResult,
  type PactRow,
  type VerifyPactsOptions,
} from "./verify-pacts.ts";
