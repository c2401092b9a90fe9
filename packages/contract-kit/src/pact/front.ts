import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { valueAt } from "@countersign/schemas";
import type { Endpoint, ReceivedAttempt } from "../harness/endpoints.ts";
import { changeState, post, type Values } from "../provider/provider-states.ts";
import type { ProviderTarget } from "../target.ts";
import { messageOf, parseJson } from "../values.ts";

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

/** An order of Pact's core; `params` are the pact's. */
interface Order {
  readonly state?: string;
  readonly params?: Values;
  readonly action?: "setup" | "teardown";
  readonly description?: string;
}

/**
 * Serves what the core cannot do itself: states need a token of their own, and a message is a delivery that must be
 * caused and captured. The core calls the interface of the provider directly.
 */
export async function openFront(target: ProviderTarget): Promise<Front> {
  const problems = new Map<string, string[]>();
  let event: Caused | undefined;
  const enter = async ({ state = "", params = {}, action }: Order): Promise<Values> => {
    // An interaction without a state has one without a name.
    if (action === "teardown" || state === "") return {};
    const own = { accessToken: await target.token() };
    if (state !== "an event") return { ...own, ...(await stateOf(target, state, params)) };
    const merchant = { ...own, ...(await stateOf(target, "a merchant")) };
    event = await causeEvent(target, { ...params, accessToken: merchant.accessToken });
    return merchant;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const order = (await json(request)) as Order;
    const { state = "", description = "" } = order;
    const isState = request.url === STATES_PATH;
    try {
      const { headers, body } = isState
        ? {
            headers: { "content-type": "application/json" },
            body: JSON.stringify(await enter(order)),
          }
        : await messageOfEvent(event);
      response.writeHead(200, headers).end(body);
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

function stateOf({ states }: ProviderTarget, state: string, params: Values = {}): Promise<Values> {
  if (states === undefined) throw new Error("no state-change URL is given");
  return changeState(states, state, params);
}

interface Caused {
  readonly type: unknown;
  readonly endpoint: Endpoint;
}

/** Subscribes a merchant by the interface, and lets the event of the interaction happen. */
async function causeEvent(target: ProviderTarget, params: Values): Promise<Caused> {
  const { receiver, send } = target;
  if (receiver === undefined) throw new Error("nothing can be delivered to the kit");
  const endpoint = receiver.open();
  const subscription = {
    url: endpoint.url,
    secretKey: "a-secret-of-24-characters-or-more",
    subscriptionDetails: { type: "ALL" },
  };
  const path = "/v1/webhook/subscribe";
  const answer = await send(post(path, params["accessToken"], JSON.stringify(subscription)));
  if (answer.status >= 300)
    throw new Error(`POST ${path} → ${answer.status} ${Buffer.from(answer.body).toString()}`);
  await stateOf(target, "an event", params);
  return { type: params["type"], endpoint };
}

/** Waits for the delivery of an event. */
async function messageOfEvent(event: Caused | undefined) {
  if (event === undefined) throw new Error("the interaction has no state");
  const { type, endpoint } = event;
  const isWanted = ({ body }: ReceivedAttempt): boolean =>
    valueAt(parseJson(body), "/type") === type;
  await endpoint.until((all) => all.some(isWanted));
  const attempt = endpoint.attempts.find(isWanted);
  if (attempt === undefined) throw new Error("no such delivery came in time");
  const { "content-type": contentType = "", ...others } = attempt.headers;
  const metadata = Buffer.from(JSON.stringify({ contentType, ...others })).toString("base64");
  const headers = { "content-type": contentType, "pact-message-metadata": metadata };
  return { headers, body: attempt.body };
}
