import { createVault, parseSecretKeys, type Vault } from "../src/secrets/vault.ts";

/** A vault with one key for each id; the first seals. */
export function testVault(...ids: readonly string[]): Vault {
  const lines = (ids.length === 0 ? ["k1"] : ids).map(
    (id) => `${id}:${Buffer.alloc(32, id).toString("base64")}`,
  );
  return createVault(parseSecretKeys(lines.join("\n")));
}
