import { Refused } from "@countersign/service";
import { sandboxErrorCodes, type SandboxErrorCode } from "./error-codes.ts";

/** The refusal of a code of the sandbox's own. */
export function refuseControl(
  code: SandboxErrorCode,
  details: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Refused {
  const { status, title, meaning } = sandboxErrorCodes[code];
  return new Refused({ code, status, title, message: meaning, ...details });
}
