/** `@pact-foundation/pact` is not installed: an optional peer, of 75 MB. */
export class PactMissingError extends Error {
  readonly code = "CS_KIT_PACT_MISSING";
  constructor(options?: ErrorOptions) {
    super(
      "Pact is not installed: npm install --save-dev --ignore-scripts @pact-foundation/pact@17.1.4",
      options,
    );
    this.name = "PactMissingError";
  }
}
