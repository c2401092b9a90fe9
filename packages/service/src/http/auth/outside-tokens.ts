import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyOptions,
  type RemoteJWKSet,
} from "jose";

/** Cannot fetch an outside issuer's keys, so its tokens can be neither accepted nor refused. */
export class IssuerUnavailableError extends Error {
  readonly code = "CS_ISSUER_UNAVAILABLE";
  constructor(options?: ErrorOptions) {
    super("cannot fetch the keys of the token issuer", options);
    this.name = new.target.name;
  }
}

/** The claims of a genuine token. */
export interface OutsideIdentity {
  readonly merchantId: string;
  readonly clientId: string | null;
  readonly scopes: readonly string[];
}

export interface OutsideTokensOptions {
  readonly issuer: TokenIssuer;
  /** Real time, in milliseconds. */
  readonly now: () => number;
}

/** Errors caused by the token; every other one is caused by the issuer or the network. */
const FAULTS_OF_TOKENS: ReadonlySet<string> = new Set(
  [
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JWTClaimValidationFailed,
    errors.JWTExpired,
    errors.JWTInvalid,
  ].map(({ code }) => code),
);

/**
 * Verifies the JWTs of an outside issuer with its published keys (S 5, rule 2; RFC 8725). Keys are kept for
 * ten minutes; a token with an unknown key makes it fetch them at most every 30 seconds.
 */
export class OutsideTokens {
  readonly #keys: RemoteJWKSet;
  readonly #options: JWTVerifyOptions;
  readonly #claims: { readonly scope: string; readonly merchant: string; readonly client: string };
  readonly #now: () => number;

  /** @throws {TypeError} The issuer's description is not valid. */
  constructor({ issuer, now }: OutsideTokensOptions) {
    const checked = checkedIssuer(issuer);
    this.#now = now;
    this.#claims = {
      scope: checked.scopeClaim,
      merchant: checked.merchantClaim,
      client: checked.clientClaim,
    };
    this.#keys = createRemoteJWKSet(new URL(checked.jwksUrl), {
      timeoutDuration: 5000,
      cooldownDuration: 30_000,
      cacheMaxAge: 600_000,
    });
    this.#options = {
      issuer: checked.issuer,
      audience: checked.audience,
      // Never the token's own choice: `none` and shared keys must not pass.
      algorithms: [...checked.algorithms],
      clockTolerance: checked.clockToleranceSeconds,
      requiredClaims: ["exp", checked.merchantClaim],
      ...(issuer.type !== undefined && { typ: issuer.type }),
    };
  }

  /** True if a text has the form of a JWT, which no token of this service has. */
  static isOfForm(token: string): boolean {
    return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
  }

  /**
   * @returns The token's claims, or `undefined` if it is not genuine, not for this service, or not valid
   *   now.
   * @throws {IssuerUnavailableError} `CS_ISSUER_UNAVAILABLE`
   */
  async verify(token: string): Promise<OutsideIdentity | undefined> {
    try {
      return this.#identityOf(await this.#verified(token));
    } catch (cause) {
      if (cause instanceof errors.JOSEError && FAULTS_OF_TOKENS.has(cause.code)) return undefined;
      throw new IssuerUnavailableError({ cause });
    }
  }

  async #verified(token: string): Promise<JWTPayload> {
    const options = { ...this.#options, currentDate: new Date(this.#now()) };
    try {
      return (await jwtVerify(token, this.#keys, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // The token names no key, and the issuer has several of that kind.
      for await (const key of error) {
        try {
          return (await jwtVerify(token, key, options)).payload;
        } catch (inner) {
          if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  #identityOf(payload: JWTPayload): OutsideIdentity | undefined {
    const merchantId = payload[this.#claims.merchant];
    const clientId = payload[this.#claims.client];
    if (typeof merchantId !== "string") return undefined;
    return {
      merchantId,
      clientId: typeof clientId === "string" ? clientId : null,
      scopes: scopesOf(payload[this.#claims.scope]),
    };
  }
}

/** One text by RFC 8693, section 4.2; some issuers write a list. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}

/** Signature algorithms of an outside issuer: only those of key pairs, since a shared key proves nothing. */
const issuerAlgorithms = [
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

type IssuerAlgorithm = (typeof issuerAlgorithms)[number];

/** An authorization server outside this service whose JWTs are access tokens (RFC 7519, RFC 9068). */
export interface TokenIssuer {
  /** Value of `iss`. */
  readonly issuer: string;
  /** The URL of its public keys (RFC 7517): https, or http to a loopback host. */
  readonly jwksUrl: string;
  /** Value of `aud`: the issuer's name for this service. */
  readonly audience: string;
  /** Default `RS256`, `PS256`, `ES256`, `EdDSA` and `Ed25519`. */
  readonly algorithms?: readonly IssuerAlgorithm[];
  /** Value of `typ`, such as `at+jwt`. Default: any. */
  readonly type?: string;
  /** Accepted difference of the two clocks in seconds, 0 to 300. Default 30. */
  readonly clockToleranceSeconds?: number;
  /** Claim with the scopes: separated by spaces, or a list. Default `scope`. */
  readonly scopeClaim?: string;
  /** Claim with the id of the merchant. Default `merchant_id`. */
  readonly merchantClaim?: string;
  /** Claim with the client, whose calls are limited together. Default `client_id`. */
  readonly clientClaim?: string;
}

/**
 * Returns an issuer with its defaults.
 *
 * @throws {TypeError} A member is missing or not valid.
 */
export function checkedIssuer(issuer: TokenIssuer): Required<Omit<TokenIssuer, "type">> {
  if (typeof issuer !== "object" || issuer === null) throw new TypeError("expected an object");
  const algorithms = issuer.algorithms ?? ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];
  const { clockToleranceSeconds = 30 } = issuer;
  // A handwritten document may contain anything.
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

/** Keys fetched without TLS could be anyone's, except from this machine. */
function isFetchable(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol === "https:") return true;
  return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}
