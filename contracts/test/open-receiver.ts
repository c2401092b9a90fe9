import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { httpSend, receiverProvider, type PactProvider } from "@countersign/contract-kit";
import { createReceiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { profiles } from "@countersign/schemas/profiles";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** A real receiver on a real socket, as the provider of pacts. */
export async function openReceiver(): Promise<PactProvider & { readonly close: () => void }> {
  const receiver = createReceiver({ secrets: [SECRET], fallback: () => {} });
  const server = createServer((request, response) => void toNode(receiver)(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is no path.
  const { port } = server.address() as AddressInfo;
  const { send, close } = httpSend(`http://127.0.0.1:${port}`);
  const profile = profiles.standard;
  return {
    ...receiverProvider({ send, path: "/", secret: SECRET, profile }),
    close: () => {
      close();
      server.close();
    },
  };
}
