import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { schemeOf, type Secret, standardWebhooks } from "../src/index.ts";
import { provider } from "./samples.ts";

interface Vector {
  readonly kind: "sign" | "verify" | "secret" | "options";
  readonly name: string;
  readonly secret: string | readonly string[] | null;
  readonly expect: "valid" | "invalid" | "either";
  readonly reason?: string;
  readonly id?: string;
  readonly timestamp?: number;
  readonly body?: string;
  readonly body_base64?: string;
  readonly headers?: Record<string, string>;
  readonly now?: number;
  readonly expected_signature?: string;
  readonly options?: { readonly tolerance?: number | string };
}

const file = new URL("../../../contracts/vectors/standard-webhooks.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { readonly vectors: Vector[] };

const of = (kind: Vector["kind"]) => vectors.filter((vector) => vector.kind === kind);

/** Vectors that other verifiers accept and this one refuses, each by its own decision. */
const decisions: Readonly<Record<string, RegExp>> = {
  // Other header names are another scheme: `svix-*` never falls back into `webhook-*`.
  "svix-docs/how example (g0hM9…)": /^CS_SIGNATURE_HEADER_MISSING$/,
  // A duplicated header is refused before choosing one of the two.
  'sig/duplicate headers joined by Node with ", "': /^CS_SIGNATURE_HEADER_DUPLICATE$/,
  // An id with a full stop is refused always, not only if an option asks for it.
  "signet/id containing separator": /^CS_SIGNATURE_ID_INVALID$/,
  // A tolerance is at most a day.
  "svix/php/non-positive timestamp with huge tolerance": /^TypeError$/,
};

const verdicts = {
  valid: /^valid$/,
  invalid: /^CS_SIGNATURE_/,
  // The secret is base64 without padding and with bits that no byte uses: not canonical. A library
  // that guesses what it means signs with another key than one that guesses otherwise.
  either: /^TypeError$/,
};

// The upstream suites hold keys of 10, 16 and 18 bytes; the default minimum is the specification's.
const scheme = standardWebhooks({ minSecretBytes: 10 });

describe("a vector of the Standard Webhooks libraries", () => {
  it.each(of("sign"))("$name signs to its signature", (v) => {
    const message = { id: v.id, timestamp: v.timestamp, body: bodyOf(v) };
    const { headers } = scheme.sign(message, secretsOf(v));
    expect(headers["webhook-signature"]).toBe(v.expected_signature);
  });

  it.each(of("verify"))("$name is judged as expected", (v) => {
    const { tolerance } = v.options ?? {};
    const options = typeof tolerance === "number" ? { toleranceSeconds: tolerance } : {};
    const attempt = { headers: v.headers ?? {}, body: bodyOf(v) };

    const verdict = verdictOf(() => {
      const now = (v.now ?? Number.NaN) * 1000;
      const verification = scheme.verify(attempt, secretsOf(v), { now, ...options });
      return verification.ok ? "valid" : verification.code;
    });

    expect(verdict).toMatch(decisions[v.name] ?? verdicts[v.expect]);
  });

  it.each(of("options"))("$name is refused", (v) => {
    const options = { now: 0, toleranceSeconds: Number(v.options?.tolerance) };
    const attempt = { headers: {}, body: new Uint8Array() };
    expect(() => scheme.verify(attempt, secretsOf(v), options)).toThrow(TypeError);
  });

  it.each(of("secret"))("$name is judged as expected at start-up", (v) => {
    // JSON has no `undefined`: null represents a secret that the environment did not set.
    const secrets = [v.secret] as Secret[];
    const verdict = verdictOf(() => {
      standardWebhooks().check(secrets, "sign");
      return "valid";
    });
    // Text without a known prefix is a key as it is; a misspelt prefix only warns.
    const isText = v.name === "secret/svix transposed prefix";
    expect(verdict).toBe(v.expect === "valid" || isText ? "valid" : "TypeError");
  });
});

describe("the vectors of HMAC", () => {
  const rfc4231 = new URL("../../../contracts/vectors/rfc-4231.json", import.meta.url);
  const { vectors: digests } = JSON.parse(readFileSync(rfc4231, "utf8")) as {
    readonly vectors: readonly Readonly<
      Record<"name" | "key" | "data" | "sha256" | "sha384" | "sha512", string>
    >[];
  };

  it.each(digests)("$name is the signature of its data in every algorithm", (vector) => {
    const body = Buffer.from(vector.data, "hex");
    const raw = Buffer.from(vector.key, "hex");
    for (const algorithm of ["sha256", "sha384", "sha512"] as const) {
      const own = schemeOf(
        provider({ algorithm: `hmac-${algorithm}` }, { secret: { where: "", minBytes: 1 } }),
      );
      // A receiver refuses keys of one repeated byte, which some of these are.
      if (raw.every((byte) => byte === raw[0]))
        expect(() => own.check([{ raw }], "sign")).toThrow("one byte again and again");
      else expect(own.sign({ body }, [{ raw }]).headers["X-Signature"]).toBe(vector[algorithm]);
    }
  });
});

function verdictOf(judge: () => string): string {
  try {
    return judge();
  } catch (error) {
    return error instanceof TypeError ? "TypeError" : String(error);
  }
}

function secretsOf({ secret }: Vector): Secret[] {
  // Upstream takes base64 without a prefix; here the prefix says what the text is.
  return [secret ?? ""].flat().map((one) => (/^wh(sec|pk|sk)_/.test(one) ? one : `whsec_${one}`));
}

const bodyOf = ({ body = "", body_base64: base64 }: Vector): Uint8Array =>
  base64 === undefined ? Buffer.from(body) : Buffer.from(base64, "base64");
