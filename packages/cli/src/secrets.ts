import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createVault, parseSecretKeys, type Vault } from "@countersign/service";
import { secretFrom } from "./environment.ts";
import { Failure, messageOf } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** A new key of secrets at rest, `ID:KEY`. */
export const newEncryptionKey = (): string =>
  `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}`;

/** The vault of `countersign serve`, over the keys of `COUNTERSIGN_ENCRYPTION_KEYS`. */
export async function serviceVault(env: Surroundings["env"]): Promise<Vault> {
  const text = await secretFrom(env, "COUNTERSIGN_ENCRYPTION_KEYS");
  if (text !== undefined) return vaultOf(text);
  throw badKeys(
    "COUNTERSIGN_ENCRYPTION_KEYS is missing: subscriptions' secrets are stored sealed; make a key with `countersign serve new-key`",
  );
}

/** @throws {Failure} `CS_CLI_ENCRYPTION_KEYS_UNUSABLE`: the keys are not of their form. */
export function vaultOf(keys: string): Vault {
  try {
    return createVault(parseSecretKeys(keys));
  } catch (cause) {
    throw badKeys(messageOf(cause), cause);
  }
}

const badKeys = (message: string, cause?: unknown): Failure =>
  new Failure("CS_CLI_ENCRYPTION_KEYS_UNUSABLE", message, cause);

/**
 * Reads a secret from a file that only its owner can read; creates both at the first call. Call it with the database of
 * the file open: no other process has it then.
 */
export async function keptSecret(file: string, make: () => string): Promise<string> {
  try {
    const kept = existsSync(file) ? (await readFile(file, "utf8")).trim() : "";
    // A process that was killed may have left an empty file.
    if (kept !== "") return kept;
    const value = make();
    await writeFile(file, `${value}\n`, { mode: 0o600 });
    return value;
  } catch (cause) {
    throw badFile(file, cause);
  }
}

const badFile = (file: string, cause: unknown): Failure =>
  new Failure("CS_CLI_DATABASE_UNUSABLE", `${file} can neither be read nor made`, cause);
