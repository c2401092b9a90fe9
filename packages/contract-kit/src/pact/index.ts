export { readPacts, SERVICE, standardPacts, type Pact, type PactInteraction } from "./pact-file.ts";
export { PactMissingError } from "./run-child.ts";
export {
  verifyPacts,
  type PactResult,
  type PactRow,
  type VerifyPactsOptions,
} from "./verify-pacts.ts";
