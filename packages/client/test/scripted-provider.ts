import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer, or a function that writes one or none. */
export type Scripted =
  | {
      readonly status: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | ((response: ServerResponse, received: Received) => void);

export interface ScriptedProvider {
  readonly url: string;
  readonly received: Received[];
}

/** A provider that says what the test wants, in turn; the last answer for ever. */
export async function openProvider(...answers: readonly Scripted[]): Promise<ScriptedProvider> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      const answer = answers[Math.min(received.length, answers.length) - 1];
      if (typeof answer === "function") answer(response, one);
      else if (answer !== undefined) write(response, answer);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received };
}

function write(
  response: ServerResponse,
  { status, json, text, headers }: Exclude<Scripted, (...args: never) => unknown>,
): void {
  const type = { "content-type": "application/json" };
  response.writeHead(status, { ...(json !== undefined && type), ...headers });
  response.end(json === undefined ? text : JSON.stringify(json));
}
