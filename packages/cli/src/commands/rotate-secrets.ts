import { checkSecrets, migrate, rotateSecrets, systemClock } from "@countersign/service/internal";
import { serviceVault } from "../encryption-keys.ts";
import { serviceDatabase } from "../service-database.ts";
import { asFailure } from "../service-failure.ts";
import type { Surroundings } from "../terminal.ts";

/** `countersign serve rotate-secrets`: seals every secret under the first key. */
export async function runRotateSecrets(
  { database: file }: { readonly database: string | undefined },
  { terminal, env }: Surroundings,
): Promise<void> {
  const vault = await serviceVault(env);
  const database = await serviceDatabase(file, env);
  const driver = await database.open();
  try {
    await migrate(driver, { now: systemClock.now() });
    await checkSecrets(driver, vault);
    const rotated = await rotateSecrets(driver, vault);
    terminal.err(`database  ${database.name}`);
    terminal.out(`rotated ${rotated}, every secret is encrypted with ${vault.keyId}`);
  } catch (error) {
    throw asFailure(error);
  } finally {
    await driver.close();
  }
}
