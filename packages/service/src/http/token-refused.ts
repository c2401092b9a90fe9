/** The error codes of RFC 6749, section 5.2, that this service answers with. */
export type TokenError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_scope"
  | "unsupported_grant_type";

/** Ends a token request with the body of RFC 6749, section 5.2. */
export class TokenRefused extends Error {
  readonly error: TokenError;
  /** For developers, printable ASCII, without anything that was sent but names of parameters. */
  readonly description: string | undefined;
  constructor(error: TokenError, description?: string) {
    super(description ?? error);
    this.name = new.target.name;
    this.error = error;
    this.description = description;
  }
}
