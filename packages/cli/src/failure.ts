/** Why a command could not run. Codes are never renamed; they end the command with status 2. */
export type FailureCode =
  | "CS_CLI_ALLOW_HOST_MISSING"
  | "CS_CLI_CLIENT_REFUSED"
  | "CS_CLI_DATABASE_UNUSABLE"
  | "CS_CLI_DELIVER_TO_REFUSED"
  | "CS_CLI_ENVIRONMENT_UNUSABLE"
  | "CS_CLI_POSTGRESQL_UNSUPPORTED"
  | "CS_CLI_PORT_TAKEN"
  | "CS_CLI_PORT_UNUSABLE"
  | "CS_CLI_PROFILE_UNUSABLE"
  | "CS_CLI_TOKEN_UNUSABLE"
  | "CS_CLI_USAGE";

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
