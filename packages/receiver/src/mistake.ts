/**
 * - `CS_PROVIDER_INVALID`: the provider is missing, or its document is malformed or could be fooled.
 * - `CS_SECRET_INVALID`: a secret is missing, unset, too weak or not in the provider's form, or there are more than 4.
 * - `CS_OPTION_UNKNOWN`: no option has this name; the message lists the names.
 * - `CS_OPTION_INVALID`: an option or an argument is missing, or its value is not the expected one.
 * - `CS_OPTION_CONFLICT`: an option does not fit another option, the inbox or the provider: events could be lost or run twice.
 * - `CS_HANDLER_INVALID`: `receiver.on` got no function, an unknown or a used name, or was called after the first attempt.
 */
export type MistakeCode =
  | "CS_PROVIDER_INVALID"
  | "CS_SECRET_INVALID"
  | "CS_OPTION_UNKNOWN"
  | "CS_OPTION_INVALID"
  | "CS_OPTION_CONFLICT"
  | "CS_HANDLER_INVALID";

/** A mistake of the app, found when it starts. Its message begins with the code and contains no secret. */
export class MistakeError extends TypeError {
  readonly code: MistakeCode;

  constructor(text: string, code: MistakeCode = "CS_OPTION_INVALID", options?: ErrorOptions) {
    super(`${code}: ${text}`, options);
    this.code = code;
  }
}

/** Runs a check of another package, whose `TypeError` gets the code and the caller's name. */
export function withCode<Result>(
  { code, caller }: { readonly code: MistakeCode; readonly caller: string },
  check: () => Result,
): Result {
  try {
    return check();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new MistakeError(`${caller}: ${cause.message}`, code, { cause });
  }
}
