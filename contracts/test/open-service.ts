import { type PactProvider, serviceProvider } from "@countersign/contract-kit/pact";
import { profiles } from "@countersign/schemas/profiles";
import { openSandbox, TOKEN } from "../../packages/contract-kit/test/provider/open-sandbox.ts";

/** Opens a real sandbox on a real socket, as the provider of pacts. */
export async function openService(): Promise<
  PactProvider & { readonly close: () => Promise<void> }
> {
  const { send, close } = await openSandbox();
  const provider = await serviceProvider({ send, profile: profiles.standard, token: TOKEN });
  return {
    ...provider,
    close: async () => {
      provider.close();
      await close();
    },
  };
}
