/**
 * Placeholders of values that only the verification knows. They are replaced in each call, so that
 * pacts hold no secret and no signature that grows old.
 */
export const ACCESS_TOKEN = "ACCESS_TOKEN";
/** Of HTTP Basic at the token endpoint. */
export const CLIENT_ID = "CLIENT_ID";
export const CLIENT_SECRET = "CLIENT_SECRET";
/** The path of receivers in pacts; the path of the receiver's own URL replaces it. */
export const RECEIVER_PATH = "/webhooks";
/** The signature of no bytes: of the form, and never genuine. */
export const SIGNATURE: string = `v1,${"A".repeat(43)}=`;

/** The header of HTTP Basic for two texts that need no form-encoding. */
export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}
