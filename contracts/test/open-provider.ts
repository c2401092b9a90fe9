import { createServer } from "node:http";
import { httpSend } from "@countersign/contract-kit";
import {
  receiverProvider,
  serviceProvider,
  type PactProvider,
} from "@countersign/contract-kit/pact";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { profiles } from "@countersign/schemas/profiles";
import { listen } from "../../packages/contract-kit/test/listen.ts";
import { openTarget, quick } from "../../packages/contract-kit/test/provider/open-target.ts";
import { TOKEN } from "../../packages/sandbox/test/open-sandbox.ts";
import type { AtEnd } from "../../test/temporary-folder.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Opens a real receiver on a real socket, as the provider of pacts. */
export async function openReceiver() {
  const options = {
    secrets: [SECRET],
    fallback: () => {},
    inbox: memoryInbox(),
    log: false,
  } as const;
  const receiver = toNode(createReceiver(options));
  const server = createServer((request, response) => void receiver(request, response));
  const { origin, close: closeServer } = await listen(server);
  const { send, close: closeSend } = httpSend(origin);
  const close = async (): Promise<void> => {
    closeSend();
    await closeServer();
  };
  const profile = profiles.standard;
  return { ...receiverProvider({ send, path: "/", secret: SECRET, profile }), close };
}

/** Opens a real sandbox on a real socket, as the provider of pacts. New members of its answers are refused. */
export async function openService(): Promise<
  PactProvider & { readonly close: () => Promise<void> }
> {
  const ends: Parameters<AtEnd>[0][] = [];
  const { send, states } = await openTarget({ atEnd: (end) => void ends.push(end) });
  if (states === undefined) throw new Error("a sandbox prepares states");
  const provider = await serviceProvider({ send, states, profile: quick, token: TOKEN });
  return {
    ...provider,
    close: async () => {
      provider.close();
      for (const end of ends.toReversed()) await end();
    },
  };
}
