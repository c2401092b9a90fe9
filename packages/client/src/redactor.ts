const REDACTED = "[secret]";

/**
 * Removes secrets from the provider's messages: an error that echoes the request must not carry a token
 * into the caller's log. Secrets of fewer than 4 characters are in every text and stay.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 4);
  return (text) =>
    known.reduce<string>((cleaned, secret) => cleaned.replaceAll(secret, REDACTED), text);
}
