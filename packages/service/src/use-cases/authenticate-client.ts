import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../sha256.ts";
import { findClient, type ClientRecord } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * The client that credentials belong to (RFC 6749, section 2.3). An unknown client and a wrong secret
 * look alike, also by the work that they take.
 */
export async function authenticateClient(
  { driver }: Pick<Context, "driver">,
  { clientId, clientSecret }: ClientCredentials,
): Promise<ClientRecord | undefined> {
  const client = await findClient(driver, clientId);
  const sent = Buffer.from(sha256Hex(clientSecret), "hex");
  const expected = Buffer.from(client?.secretHash ?? sha256Hex(""), "hex");
  const isGenuine = timingSafeEqual(sent, expected);
  return isGenuine ? client : undefined;
}
