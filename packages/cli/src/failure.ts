/** Why a command could not run. Codes are never renamed; they end the command with status 2. */
export const failureCodes = {
  CS_CLI_ALLOW_HOST_MISSING: "`--listen` goes beyond loopback without `--allow-host`.",
  CS_CLI_ARGUMENT_UNUSABLE: "An argument is not of its form, or names nothing.",
  CS_CLI_BASELINE_UNUSABLE: "The file of `--baseline` cannot be read or written, or is none.",
  CS_CLI_DATABASE_UNUSABLE:
    "The database, or a file beside it, cannot be opened or is of another version.",
  CS_CLI_DELIVER_TO_REFUSED: "The address of `--deliver-to`, or its secret, cannot be subscribed.",
  CS_CLI_ENCRYPTION_KEYS_UNUSABLE:
    "The encryption keys are missing, not of their form, or not those of the database.",
  CS_CLI_ENVIRONMENT_UNUSABLE:
    "A variable is empty, contradicts another one, or is not of its form.",
  CS_CLI_ISSUER_UNUSABLE: "The file of `--token-issuer` cannot be read, or describes none.",
  CS_CLI_NODE_TOO_OLD: "Node.js is older than the package's `engines`; the message names both.",
  CS_CLI_PACT_MISSING: "Pact is not installed; the message says how it is.",
  CS_CLI_PORT_TAKEN: "Somebody listens on the port that was asked for.",
  CS_CLI_PORT_UNUSABLE: "The address or the port cannot be listened on.",
  CS_CLI_PROFILE_UNUSABLE: "There is no such profile, or the document is none.",
  CS_CLI_REPORT_UNWRITABLE: "A file of `--report` cannot be written.",
  CS_CLI_SECRET_UNUSABLE: "There is no secret to sign with, or the profile's scheme refuses it.",
  CS_CLI_TARGET_NOT_OWNED: "The target is another machine, and `--i-own` does not name it.",
  CS_CLI_TOKEN_UNUSABLE: "`COUNTERSIGN_TOKEN` is not of its form.",
  CS_CLI_UNVERIFIED:
    "Nothing could be verified: the target is not there, or the pacts say too little.",
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

/** `code` of an error of Node's, such as `EADDRINUSE`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
