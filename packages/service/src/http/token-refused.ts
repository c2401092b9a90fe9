/** The error codes of RFC 6749, section 5.2, that this service answers with. */
export const tokenErrors = {
  invalid_request: {
    status: 400,
    meaning:
      "A parameter is missing, comes twice or is malformed, or the client authenticates twice.",
  },
  invalid_client: {
    status: 401,
    meaning: "No client authenticates, or its id and secret do not belong together.",
  },
  invalid_scope: { status: 400, meaning: "The client does not have a scope that is asked for." },
  unsupported_grant_type: { status: 400, meaning: "The grant is not client_credentials." },
} as const;

export type TokenError = keyof typeof tokenErrors;

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
