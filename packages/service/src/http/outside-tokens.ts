import {
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
  type RemoteJWKSet,
} from "jose";
import { checkedIssuer, type TokenIssuer } from "./token-issuer.ts";

/** The keys of an outside issuer cannot be had, so that its tokens can be judged neither way. */
export class IssuerUnavailableError extends Error {
  readonly code = "CS_ISSUER_UNAVAILABLE";
  constructor(options?: ErrorOptions) {
    super("the keys of the token issuer cannot be had", options);
    this.name = new.target.name;
  }
}

/** What a genuine token says. */
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

/** Faults of a token itself; every other one is the issuer's, or of the way to it. */
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
 * Judges the JWTs of an outside issuer by its published keys (S 5, rule 2; RFC 8725). Keys are kept for
 * ten minutes; a key that is unknown is asked for at most every 30 seconds.
 */
export class OutsideTokens {
  readonly #keys: RemoteJWKSet;
  readonly #options: JWTVerifyOptions;
  readonly #claims: { readonly scope: string; readonly merchant: string; readonly client: string };
  readonly #now: () => number;

  /** @throws {TypeError} The issuer is not described as it must be. */
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
      // Never the token's own word alone: `none` and shared keys are no choice.
      algorithms: [...checked.algorithms],
      clockTolerance: checked.clockToleranceSeconds,
      requiredClaims: ["exp", checked.merchantClaim],
      ...(issuer.type !== undefined && { typ: issuer.type }),
    };
  }

  /** Whether a text has the form of a JWT, which no token of this service has. */
  static isOfForm(token: string): boolean {
    return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
  }

  /**
   * @returns What the token says, or `undefined` where it is not genuine, not for this service, or not
   *   valid now.
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
      // The token names no key, and the issuer has several of its kind.
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

/** RFC 8693, section 4.2, has one text; some issuers write a list. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}
