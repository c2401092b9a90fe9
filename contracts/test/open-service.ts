import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpSend, serviceProvider, type PactProvider } from "@countersign/contract-kit";
import { openNamespace, startSandbox } from "@countersign/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";

const TOKEN = "token-of-the-first-namespace";

/** A real sandbox over a new database and a real socket, as the provider of pacts. */
export async function openService(): Promise<
  PactProvider & { readonly close: () => Promise<void> }
> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-pact-service-"));
  const profile = profiles.standard;
  const driver = sqliteDriver(join(folder, "sandbox.db"));
  const sandbox = await startSandbox({ driver, profile, port: 0 });
  await openNamespace({ driver, profile, seed: 1, token: TOKEN });
  const { send, close } = httpSend(sandbox.url);
  const provider = await serviceProvider({ send, profile, token: TOKEN });
  return {
    ...provider,
    close: async () => {
      provider.close();
      close();
      await sandbox.close({ graceMs: 0 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
