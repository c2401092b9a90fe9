import { Failure, systemCode } from "./failure.ts";

/** A failure of the service's own start as the command's; every other error stays what it is. */
export function asFailure(error: unknown): unknown {
  switch (systemCode(error)) {
    case "CS_STORE_VERSION":
    case "CS_STORE_UNAVAILABLE":
    case "ERR_SQLITE_ERROR":
      return new Failure("CS_CLI_DATABASE_UNUSABLE", messageOf(error), { cause: error });
    case undefined:
    default:
      return error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
