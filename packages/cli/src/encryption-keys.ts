import { randomBytes } from "node:crypto";
import { createVault, parseSecretKeys, type Vault } from "@countersign/service";
import { secretFrom } from "./environment.ts";
import { Failure } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** A new key of secrets at rest, `ID:KEY`. */
export function newEncryptionKey(): string {
  return `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}`;
}

/**
 * The vault of `countersign serve`, over the keys of `COUNTERSIGN_ENCRYPTION_KEYS`.
 *
 * @throws {Failure} `CS_CLI_ENCRYPTION_KEYS_UNUSABLE`: there is none, or one is not of its form.
 *   `CS_CLI_ENVIRONMENT_UNUSABLE`: see `secretFrom`.
 */
export async function serviceVault(env: Surroundings["env"]): Promise<Vault> {
  const text = await secretFrom(env, "COUNTERSIGN_ENCRYPTION_KEYS");
  if (text !== undefined) return vaultOf(text);
  throw unusable(
    "COUNTERSIGN_ENCRYPTION_KEYS is missing: subscriptions' secrets are stored sealed; make a key with `countersign serve new-key`",
  );
}

/** @throws {Failure} `CS_CLI_ENCRYPTION_KEYS_UNUSABLE`: the keys are not of their form. */
export function vaultOf(keys: string): Vault {
  try {
    return createVault(parseSecretKeys(keys));
  } catch (cause) {
    throw unusable(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_ENCRYPTION_KEYS_UNUSABLE", message, options);
}
