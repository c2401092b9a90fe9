import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { createVault, parseSecretKeys, type Vault } from "@countersign/service";
import { secretFrom } from "./environment.ts";
import { Failure, messageOf, systemCode } from "./failure.ts";
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

/** A second, in all. */
const TRIES = 50;
const PAUSE_MS = 20;

/** Reads a secret from a file that only its owner can read; creates both at the first call. */
export async function keptSecret(file: string, make: () => string): Promise<string> {
  try {
    const value = make();
    // `wx`: of two processes that start together one makes it, the other reads it.
    await writeFile(file, `${value}\n`, { mode: 0o600, flag: "wx" });
    return value;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw badFile(file, error);
  }
  // Another process may still be writing it.
  for (let tries = 0; tries < TRIES; tries += 1) {
    const text = await readFile(file, "utf8").catch((cause: unknown) => {
      throw badFile(file, cause);
    });
    if (text.trim() !== "") return text.trim();
    await setTimeout(PAUSE_MS);
  }
  throw badFile(file, new Error("the file stays empty"));
}

const badFile = (file: string, cause: unknown): Failure =>
  new Failure("CS_CLI_DATABASE_UNUSABLE", `${file} can neither be read nor made`, cause);
