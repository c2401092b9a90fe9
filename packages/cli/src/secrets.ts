import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { createVault, parseSecretKeys, type Vault } from "@countersign/service";
import { secretFrom } from "./environment.ts";
import { Failure, systemCode } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** A new key of secrets at rest, `ID:KEY`. */
export function newEncryptionKey(): string {
  return `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}`;
}

/**
 * The vault of `countersign serve`, over the keys of `COUNTERSIGN_ENCRYPTION_KEYS`.
 *
 * @throws {Failure} `CS_CLI_ENCRYPTION_KEYS_UNUSABLE`: no key is set, or one is invalid.
 *   `CS_CLI_ENVIRONMENT_UNUSABLE`: see `secretFrom`.
 */
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
    throw badKeys(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function badKeys(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_ENCRYPTION_KEYS_UNUSABLE", message, options);
}

/** A second, in all. */
const TRIES = 50;
const PAUSE_MS = 20;

export interface KeptSecret {
  readonly value: string;
  readonly isNew: boolean;
}

/**
 * Reads a secret from a file that only its owner can read. Creates both at the first call.
 *
 * @throws {Failure} `CS_CLI_DATABASE_UNUSABLE`: cannot read or create the file.
 */
export async function keptSecret(file: string, make: () => string): Promise<KeptSecret> {
  try {
    const value = make();
    // `wx`: of two processes that start together one makes it, the other reads it.
    await writeFile(file, `${value}\n`, { mode: 0o600, flag: "wx" });
    return { value, isNew: true };
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw badFile(file, error);
  }
  try {
    return { value: await writtenBy(file), isNew: false };
  } catch (error) {
    throw badFile(file, error);
  }
}

/** Reads the secret that another process has created; waits while that process still writes it. */
async function writtenBy(file: string): Promise<string> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const value = (await readFile(file, "utf8")).trim();
    if (value !== "") return value;
    await setTimeout(PAUSE_MS);
  }
  throw new Error("the file stays empty");
}

function badFile(file: string, cause: unknown): Failure {
  return new Failure("CS_CLI_DATABASE_UNUSABLE", `${file} can neither be read nor made`, { cause });
}
