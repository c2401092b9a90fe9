import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { messageOf } from "../values.ts";
import type { PactProvider } from "./pact-file.ts";

/** The server on loopback that gives Pact's core states and messages. */
export interface Front {
  readonly url: string;
  readonly port: number;
  /** Errors of states and messages, by the name of the state or the description of the message. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly close: () => Promise<void>;
}

export const STATES_PATH = "/states";
export const MESSAGES_PATH = "/messages";

/**
 * Serves what the core cannot do itself: states need a token of their own, and a message is a delivery that must be
 * caused and captured. The core calls the interface of the provider directly.
 */
export async function openFront(provider: PactProvider): Promise<Front> {
  const problems = new Map<string, string[]>();
  const setState = async ({ state = "", params = {}, action }: Order, response: ServerResponse) => {
    // An interaction without a state has one without a name.
    const isNothing = action === "teardown" || state === "";
    const values = isNothing ? {} : await provider.enter(state, params);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(values));
  };
  const giveMessage = async (description: string, response: ServerResponse) => {
    if (provider.message === undefined) throw new Error("nothing gives the messages");
    const { body, metadata } = await provider.message(description);
    const text = Buffer.from(JSON.stringify(metadata)).toString("base64");
    const contentType = metadata["contentType"] ?? "application/json";
    const headers = { "content-type": contentType, "pact-message-metadata": text };
    response.writeHead(200, headers).end(body);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Pact's core sends these members; `params` are the pact's.
    const order = (await json(request)) as Order;
    const { state = "", description = "" } = order;
    const isState = request.url === STATES_PATH;
    try {
      await (isState ? setState(order, response) : giveMessage(description, response));
    } catch (error) {
      const what = isState ? `state "${state}"` : "message";
      const name = isState ? state : description;
      problems.set(name, [...(problems.get(name) ?? []), `${what}: ${messageOf(error)}`]);
      // Not 500: the core would ask again for two minutes.
      response.writeHead(400).end();
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    problems,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

interface Order {
  readonly state?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly action?: "setup" | "teardown";
  readonly description?: string;
}
