import { clientToken, type ProviderTarget, type Send } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas/profiles";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";

export interface ProviderCredentials {
  readonly token: ProviderTarget["token"];
  readonly client?: NonNullable<ProviderTarget["client"]>;
  /** What no report may hold. */
  readonly secrets: readonly string[];
}

export interface CredentialsOptions {
  /** Behind the variables' names: nothing for the first merchant, `_2` for the second. */
  readonly suffix: "" | "_2";
  readonly send: Send;
  readonly profile: Profile;
}

/**
 * A merchant's credentials from the environment: a token, a client, or both. `undefined` where there are
 * none.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: a client's id comes without its secret, or the other way
 *   round, or a variable is not of its form. `CS_CLI_UNVERIFIED`: the client is granted no token.
 */
export async function providerCredentials(
  env: Surroundings["env"],
  { suffix, send, profile }: CredentialsOptions,
): Promise<ProviderCredentials | undefined> {
  const token = await secretFrom(env, `COUNTERSIGN_TOKEN${suffix}`);
  const id = await secretFrom(env, `COUNTERSIGN_CLIENT_ID${suffix}`);
  const secret = await secretFrom(env, `COUNTERSIGN_CLIENT_SECRET${suffix}`);
  if ((id === undefined) !== (secret === undefined)) {
    const [missing, there] = id === undefined ? ["ID", "SECRET"] : ["SECRET", "ID"];
    const message = `COUNTERSIGN_CLIENT_${there}${suffix} is set, and COUNTERSIGN_CLIENT_${missing}${suffix} is not`;
    throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message);
  }
  const client = id === undefined || secret === undefined ? undefined : { id, secret };
  if (token === undefined && client === undefined) return undefined;
  const source =
    token === undefined && client !== undefined
      ? clientToken({ send, path: profile.token.path, client })
      : () => Promise.resolve(token ?? "");
  return {
    token: source,
    ...(client && { client }),
    secrets: [
      await firstToken(source),
      ...(client === undefined
        ? []
        : [client.secret, Buffer.from(`${client.id}:${client.secret}`).toString("base64")]),
    ],
  };
}

/** Asked for before anything else: without it nothing is verified, and no report may hold it. */
async function firstToken(source: () => Promise<string>): Promise<string> {
  try {
    return await source();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "no access token was granted";
    throw new Failure("CS_CLI_UNVERIFIED", message, { cause });
  }
}
