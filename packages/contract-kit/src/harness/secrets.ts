import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import type { ProviderDocument } from "@countersign/schemas/providers";

/** True if the signature is a digest that anyone with the secret can make. */
export function signsWithSecret({ signature: { algorithm } }: ProviderDocument): boolean {
  return /^(?:hmac-|sha|jwt-hs)/.test(algorithm);
}

/**
 * Returns a new secret of the provider's form.
 *
 * @throws {TypeError} The provider signs with a private key, which only the sender has.
 */
export function newSecret(provider: ProviderDocument): string {
  if (signsWithSecret(provider)) return secretText(provider, randomBytes(32));
  throw new TypeError(
    `${provider.title} signs with a private key: set COUNTERSIGN_SECRET to its public key`,
  );
}

/** Returns a secret, or a private key, of the provider's form that no receiver has. */
export function strangerSecret(provider: ProviderDocument, name: string): string {
  const bytes = createHash("sha256").update(`a stranger's: ${name}`).digest();
  if (signsWithSecret(provider)) return secretText(provider, bytes);
  const { algorithm, key } = provider.signature;
  if (algorithm === "ed25519") return bytes.toString(key === "hex" ? "hex" : "base64");
  const { privateKey } = algorithm.startsWith("rsa")
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

function secretText({ secret, signature: { key } }: ProviderDocument, bytes: Buffer): string {
  if (key === "whsec") return `whsec_${bytes.toString("base64")}`;
  const [prefix = ""] = [secret?.prefix ?? []].flat();
  return prefix + bytes.toString(key === "base64" ? "base64" : "hex");
}
