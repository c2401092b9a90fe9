import { httpSend } from "@countersign/contract-kit";
import {
  receiverProvider,
  serviceProvider,
  type PactProvider,
} from "@countersign/contract-kit/pact";
import { profiles } from "@countersign/schemas/profiles";
import { openTarget, quick } from "../../packages/contract-kit/test/provider/open-target.ts";
import * as kit from "../../packages/contract-kit/test/receiver/open-receiver.ts";
import { TOKEN } from "../../packages/sandbox/test/open-sandbox.ts";
import type { AtEnd } from "../../test/temporary-folder.ts";

type Opened = PactProvider & { readonly close: () => Promise<void> };

/** Opens a provider of pacts, whose `close` ends what was opened, the last one first. */
async function opened(open: (atEnd: AtEnd) => Promise<PactProvider>): Promise<Opened> {
  const ends: Parameters<AtEnd>[0][] = [];
  const provider = await open((end) => void ends.push(end));
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  return { ...provider, close };
}

/** Opens a real receiver on a real socket, as the provider of pacts. */
export const openReceiver = (): Promise<Opened> =>
  opened(async (atEnd) => {
    const { origin, pathname: path } = new URL((await kit.openReceiver({}, atEnd)).url);
    const { send, close } = httpSend(origin);
    atEnd(close);
    const [secret = ""] = kit.secrets["standard"] ?? [];
    return receiverProvider({ send, path, secret, profile: profiles.standard });
  });

/** Opens a real sandbox on a real socket, as the provider of pacts. New members of its answers are refused. */
export const openService = (): Promise<Opened> =>
  opened(async (atEnd) => {
    const { send, states } = await openTarget({ atEnd });
    if (states === undefined) throw new Error("a sandbox prepares states");
    const provider = await serviceProvider({ send, states, profile: quick, token: TOKEN });
    atEnd(provider.close);
    return provider;
  });
