/** Signatures that an outside issuer may make: of key pairs alone, since a shared key proves nothing. */
export const issuerAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

export type IssuerAlgorithm = (typeof issuerAlgorithms)[number];

/** An authorization server beside this service whose JWTs are access tokens (RFC 7519, RFC 9068). */
export interface TokenIssuer {
  /** Value of `iss`. */
  readonly issuer: string;
  /** Where its public keys are (RFC 7517): https, or http to a loopback host. */
  readonly jwksUrl: string;
  /** Value of `aud`: what the issuer calls this service. */
  readonly audience: string;
  /** Default `RS256`, `PS256`, `ES256`, `EdDSA` and `Ed25519`. */
  readonly algorithms?: readonly IssuerAlgorithm[];
  /** Value of `typ`, such as `at+jwt`. Default: any. */
  readonly type?: string;
  /** Seconds by which both clocks may differ, 0 to 300. Default 30. */
  readonly clockToleranceSeconds?: number;
  /** Claim with the scopes: a text with spaces, or a list. Default `scope`. */
  readonly scopeClaim?: string;
  /** Claim with the id of the merchant. Default `merchant_id`. */
  readonly merchantClaim?: string;
  /** Claim with the client, whose calls are limited together. Default `client_id`. */
  readonly clientClaim?: string;
}

/**
 * An issuer with its defaults.
 *
 * @throws {TypeError} A member is missing or is not of its form.
 */
export function checkedIssuer(issuer: TokenIssuer): Required<Omit<TokenIssuer, "type">> {
  if (typeof issuer !== "object" || issuer === null) throw new TypeError("it is no object");
  const algorithms = issuer.algorithms ?? ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];
  const { clockToleranceSeconds = 30 } = issuer;
  // A document that somebody wrote by hand may hold anything.
  const known: readonly unknown[] = issuerAlgorithms;
  if (!Array.isArray(algorithms) || !algorithms.every((name) => known.includes(name)))
    throw new TypeError(`"algorithms" must be some of ${issuerAlgorithms.join(", ")}`);
  if (algorithms.length === 0) throw new TypeError('"algorithms" must not be empty');
  if (
    typeof clockToleranceSeconds !== "number" ||
    !(clockToleranceSeconds >= 0 && clockToleranceSeconds <= 300)
  )
    throw new TypeError('"clockToleranceSeconds" must be 0 to 300');
  const checked = {
    issuer: issuer.issuer,
    jwksUrl: issuer.jwksUrl,
    audience: issuer.audience,
    scopeClaim: issuer.scopeClaim ?? "scope",
    merchantClaim: issuer.merchantClaim ?? "merchant_id",
    clientClaim: issuer.clientClaim ?? "client_id",
  };
  for (const [name, value] of Object.entries<unknown>(checked)) {
    if (typeof value !== "string" || value === "") throw new TypeError(`"${name}" must be a text`);
  }
  if (!isFetchable(checked.jwksUrl)) throw new TypeError('"jwksUrl" must be an https address');
  return { ...checked, algorithms, clockToleranceSeconds };
}

/** Keys that come unprotected are anybody's, but on this machine. */
function isFetchable(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol === "https:") return true;
  return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}
