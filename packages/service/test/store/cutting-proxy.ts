import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What happens to a message of the client's that holds a text. */
export type Fault =
  /** It never arrives, and the connection ends. */
  | "lost"
  /** It arrives, its answer does not, and the connection ends. */
  | "unanswered"
  /** It never arrives, and nothing says so. */
  | "swallowed"
  /** It arrives with other letters in the text's place. */
  | "garbled";

export interface Proxy {
  readonly port: number;
  /** The next message that holds `text` meets the fault. */
  failNext: (text: string, fault: Fault) => void;
  /** From now on nobody is let in. */
  shut: () => void;
}

/** Stands between a client and a server on loopback until the running test ends. */
export async function cuttingProxy(serverPort: number): Promise<Proxy> {
  let next: { readonly text: string; readonly fault: Fault } | undefined;
  let isShut = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(serverPort, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    let isCut = false;
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on("close", cut);
    upstream.on("close", cut);
    upstream.on("data", (chunk) => (isCut ? cut() : client.write(chunk)));
    client.on("data", (chunk) => {
      const met = next !== undefined && chunk.includes(next.text) ? next : undefined;
      if (met !== undefined) next = undefined;
      const fault = met?.fault;
      if (fault === "lost") cut();
      if (fault === "unanswered") isCut = true;
      if (met?.fault === "garbled")
        chunk.fill("x", chunk.indexOf(met.text), chunk.indexOf(met.text) + met.text.length);
      if (fault !== "lost" && fault !== "swallowed") upstream.write(chunk);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    // A listening TCP server has one.
    port: (server.address() as AddressInfo).port,
    failNext: (text, fault) => (next = { text, fault }),
    shut: () => (isShut = true),
  };
}
