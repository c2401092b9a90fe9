import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { messageOf } from "../values.ts";
import type { HttpCall } from "../http-send.ts";
import type { PactInteraction, PactProvider } from "./pact-file.ts";

/** The server on loopback that the core calls instead of the provider. */
export interface Front {
  readonly url: string;
  readonly port: number;
  /** Problems by interaction, in order of arrival; under `undefined` those of calls that name none. */
  readonly problems: ReadonlyMap<PactInteraction | undefined, readonly string[]>;
  /** Takes the oldest error of a state's handler. */
  readonly takeStateError: (state: string) => string | undefined;
  readonly close: () => Promise<void>;
}

export const STATES_PATH = "/.countersign/states";
export const MESSAGES_PATH = "/.countersign/messages";
/** Header that names a call's interaction; it is only in the core's copy of a pact and is not forwarded. */
export const INTERACTION_HEADER = "countersign-interaction";

/**
 * Proxy between the core and the provider. Handlers that throw are failures instead of log lines, bodies
 * pass as bytes, and a silent provider costs a deadline and not the process.
 *
 * @param interactions By the number that `INTERACTION_HEADER` has.
 */
export async function openFront(
  provider: PactProvider,
  interactions: readonly PactInteraction[],
): Promise<Front> {
  const problems = new Map<PactInteraction | undefined, string[]>();
  const stateErrors = new Map<string, string[]>();
  const note = (interaction: PactInteraction | undefined, ...more: readonly string[]): void => {
    problems.set(interaction, [...(problems.get(interaction) ?? []), ...more]);
  };

  const setState = async (body: Buffer, response: ServerResponse): Promise<void> => {
    // Pact's core sends these members; `params` are the pact's.
    const { state, params, action } = JSON.parse(body.toString()) as {
      readonly state?: string;
      readonly params?: Readonly<Record<string, unknown>>;
      readonly action: "setup" | "teardown";
    };
    // An interaction without a state has one without a name.
    if (action === "teardown" || !state) return respond(response, 200, {});
    try {
      respond(response, 200, await provider.enter(state, params ?? {}));
    } catch (error) {
      const problem = `state "${state}": ${messageOf(error)}`;
      stateErrors.set(state, [...(stateErrors.get(state) ?? []), problem]);
      // Not 500: the core would ask again for two minutes.
      respond(response, 400, { problem });
    }
  };

  const giveMessage = async (body: Buffer, response: ServerResponse): Promise<void> => {
    // Pact's core sends these members.
    const asked = JSON.parse(body.toString()) as { readonly description: string };
    const interaction = interactions.find(({ description }) => description === asked.description);
    try {
      if (provider.message === undefined) throw new Error("nothing gives the messages");
      const message = await provider.message(asked.description);
      note(interaction, ...(provider.judgeMessage?.(message) ?? []));
      const metadata = Buffer.from(JSON.stringify(message.metadata)).toString("base64");
      const contentType = message.metadata["contentType"] ?? "application/json";
      const headers = { "content-type": contentType, "pact-message-metadata": metadata };
      response.writeHead(200, headers).end(message.body);
    } catch (error) {
      note(interaction, `message: ${messageOf(error)}`);
      respond(response, 400, {});
    }
  };

  const forward = async (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const number = request.headers[INTERACTION_HEADER];
    const interaction = typeof number === "string" ? interactions[Number(number)] : undefined;
    try {
      const asked = callOf(request, body);
      const call = (await provider.prepare?.(asked, interaction)) ?? asked;
      const answer = await provider.send(call);
      note(interaction, ...(provider.judge?.(call, answer) ?? []));
      const headers = Object.entries(answer.headers).filter(([name]) => !HOP.has(name));
      response.writeHead(answer.status, Object.fromEntries(headers)).end(answer.body);
    } catch (error) {
      note(interaction, `no answer came: ${messageOf(error)}`);
      respond(response, 502, {});
    }
  };

  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        if (request.url === STATES_PATH) return setState(body, response);
        if (request.url === MESSAGES_PATH) return giveMessage(body, response);
        return forward(request, body, response);
      },
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    problems,
    takeStateError: (state) => stateErrors.get(state)?.shift(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const HOP = new Set(["connection", "keep-alive", "transfer-encoding", "content-length"]);
// The core's own client adds this: a provider would compress for it.
const OWN = new Set(["host", "user-agent", "accept-encoding", INTERACTION_HEADER]);

function callOf(request: IncomingMessage, body: Buffer): HttpCall {
  const headers = Object.entries(request.headers)
    .filter(([name]) => !HOP.has(name) && !OWN.has(name))
    .map(([name, value]) => [name, [value ?? ""].flat().join(", ")] as const)
    // The core's default if the pact has none.
    .filter(([name, value]) => name !== "accept" || value !== "*/*");
  return {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: Object.fromEntries(headers),
    ...(body.length > 0 && { body }),
  };
}

function respond(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(json));
}
