import { policyOf, type RunningService } from "@countersign/service/internal";
import type { Profile } from "@countersign/schemas/profiles";
import { secretFrom } from "./environment.ts";
import { Failure } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** A merchant's OAuth client. */
export interface Client {
  readonly id: string;
  readonly secret: string;
}

/**
 * The client that the environment names; `undefined` where it names none.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: one half is missing, or not of its form.
 */
export async function clientFrom(env: Surroundings["env"]): Promise<Client | undefined> {
  const id = await secretFrom(env, "COUNTERSIGN_CLIENT_ID");
  const secret = await secretFrom(env, "COUNTERSIGN_CLIENT_SECRET");
  if (id === undefined && secret === undefined) return undefined;
  if (id === undefined || secret === undefined) {
    const message = "COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET go together";
    throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
  }
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id) || !/^[\x21-\x7E]{24,256}$/.test(secret)) {
    const message =
      "COUNTERSIGN_CLIENT_ID must be 1 to 64 characters of [A-Za-z0-9_-], COUNTERSIGN_CLIENT_SECRET 24 to 256 printable ones";
    throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
  }
  return { id, secret };
}

/**
 * The merchant of the environment's client: made at the first start, recognised at later ones.
 *
 * @throws {Failure} `CS_CLI_CLIENT_REFUSED`: it is in the database with another secret.
 */
export async function ensureClient(
  { useCases }: RunningService,
  profile: Profile,
  client: Client,
): Promise<void> {
  const scopes = Object.values(policyOf(profile).token.scopes);
  const made = await useCases.createMerchant({ name: "Merchant", clock: "live", scopes, client });
  if (made.ok) return;
  const credentials = { clientId: client.id, clientSecret: client.secret };
  if ((await useCases.authenticateClient(credentials)) !== undefined) return;
  const message = "COUNTERSIGN_CLIENT_ID is in the database with another secret";
  throw new Failure("CS_CLI_CLIENT_REFUSED", message);
}
