import { createVault, parseSecretKeys, type Vault } from "@countersign/service";

/** A vault with a key that everybody knows: for databases that last as long as a test. */
export function developmentVault(): Vault {
  const key = Buffer.alloc(32, "development only ").toString("base64");
  return createVault(parseSecretKeys(`development:${key}`));
}
