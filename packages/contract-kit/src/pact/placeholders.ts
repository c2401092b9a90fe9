/**
 * What stands in a pact where only the verification knows the value. It is put in for each call, so that
 * pacts hold no secret and no signature that grows old.
 */
export const ACCESS_TOKEN = "ACCESS_TOKEN";
/** Of HTTP Basic at the token endpoint. */
export const CLIENT_ID = "CLIENT_ID";
export const CLIENT_SECRET = "CLIENT_SECRET";
/** Where merchants' receivers stand in pacts; the path of the receiver's own URL takes its place. */
export const RECEIVER_PATH = "/webhooks";
/** The signature of no bytes: of the form, and never genuine. */
export const SIGNATURE: string = `v1,${"A".repeat(43)}=`;

/** The header of HTTP Basic for two texts that need no form-encoding. */
export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}
