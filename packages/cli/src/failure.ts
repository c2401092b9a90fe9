/** Reasons why a command could not run, which exits with 2. Codes are never renamed. */
export const failureCodes = {
  CS_CLI_ALLOW_HOST_MISSING: "`--listen` names a non-loopback address without `--allow-host`.",
  CS_CLI_ARGUMENT_UNUSABLE: "An argument is invalid, or names something unknown.",
  CS_CLI_BASELINE_UNUSABLE:
    "The file of `--baseline` cannot be read or written, or is not a baseline.",
  CS_CLI_DATABASE_UNUSABLE:
    "The database or a file next to it cannot be opened, or has another version's schema.",
  CS_CLI_DELIVER_TO_REFUSED: "`--deliver-to` or its secret is invalid.",
  CS_CLI_ENCRYPTION_KEYS_UNUSABLE:
    "The encryption keys are missing or invalid, or are not those of the database.",
  CS_CLI_ENVIRONMENT_UNUSABLE: "A variable is empty, invalid, or contradicts another one.",
  CS_CLI_NODE_TOO_OLD: "Node.js is older than the package's `engines`; the message names both.",
  CS_CLI_PACT_MISSING: "Pact is not installed; the message says how to install it.",
  CS_CLI_PORT_TAKEN: "The requested port is in use.",
  CS_CLI_PORT_UNUSABLE: "Cannot listen on the address or the port.",
  CS_CLI_PROFILE_UNUSABLE: "The profile is unknown, or its document is invalid.",
  CS_CLI_PROVIDER_UNUSABLE:
    "The provider is unknown, or its document is invalid. `countersign providers` lists the known ones.",
  CS_CLI_REPORT_UNWRITABLE: "A file of `--report` cannot be written.",
  CS_CLI_SECRET_UNUSABLE: "The secret is missing, or the provider's scheme refuses it.",
  CS_CLI_TARGET_NOT_OWNED: "The target is another machine, and `--i-own` does not name it.",
  CS_CLI_TOKEN_UNUSABLE: "`COUNTERSIGN_TOKEN` is invalid.",
  CS_CLI_UNVERIFIED:
    "Nothing could be verified: the target does not answer, or the pacts are empty.",
} as const;

export type FailureCode = keyof typeof failureCodes;

/** The command could not run. The message is for the person at the terminal and holds no secret. */
export class Failure extends Error {
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The failure of an argument that is invalid, or that names something unknown. */
export function badArgument(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message, { cause });
}

/** `code` of an error of Node's, such as `EADDRINUSE`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
