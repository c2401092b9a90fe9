import { type PactProvider, serviceProvider } from "@countersign/contract-kit/pact";
import {
  openSandbox,
  quick,
  TOKEN,
} from "../../packages/contract-kit/test/provider/open-sandbox.ts";

/** Opens a real sandbox on a real socket, as the provider of pacts. New members of its answers are refused. */
export async function openService(): Promise<
  PactProvider & { readonly close: () => Promise<void> }
> {
  const { target, close } = await openSandbox();
  const { send, states } = target();
  if (states === undefined) throw new Error("a sandbox prepares states");
  const provider = await serviceProvider({ send, states, profile: quick, token: TOKEN });
  return {
    ...provider,
    close: async () => {
      provider.close();
      await close();
    },
  };
}
