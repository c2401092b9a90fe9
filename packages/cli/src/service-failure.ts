import { Failure, systemCode } from "./failure.ts";

/**
 * A failure of the service's own start as the command's; every other error stays what it is.
 *
 * @param database Its name for people.
 */
export function asFailure(error: unknown, database?: string): unknown {
  const unusable = (cause: unknown): Failure => {
    const named = database === undefined ? "" : `${database}: `;
    return new Failure("CS_CLI_DATABASE_UNUSABLE", `${named}${messageOf(cause)}`, { cause });
  };
  // What PostgreSQL itself refuses, such as tables that its user may not make.
  if (error instanceof Error && "severity" in error) return unusable(error);
  switch (systemCode(error)) {
    case "CS_SECRET_KEYS":
    case "CS_SECRET_REFUSED":
      return new Failure("CS_CLI_ENCRYPTION_KEYS_UNUSABLE", messageOf(error), { cause: error });
    case "CS_STORE_VERSION":
    case "CS_STORE_UNAVAILABLE":
    case "ERR_SQLITE_ERROR":
      return unusable(error);
    case undefined:
    default:
      return error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
