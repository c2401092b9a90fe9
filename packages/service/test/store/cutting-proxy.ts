import { connect, createServer } from "node:net";
import { listen } from "../delivery/listening.ts";

/** The fate of a client's message that contains a text. */
export type Fault =
  /** It never arrives, and the connection ends. */
  | "lost"
  /** It arrives, its answer does not, and the connection ends. */
  | "unanswered"
  /** It is lost without an error. */
  | "swallowed"
  /** It arrives with other letters in the text's place. */
  | "garbled";

/** Stands between a client and a server on loopback until the running test ends. */
export async function cuttingProxy(serverPort: number) {
  let next: { readonly text: string; readonly fault: Fault } | undefined;
  let isShut = false;
  let isFrozen = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(serverPort, "127.0.0.1").on("error", () => {});
    let isCut = false;
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on("close", cut);
    client.on("end", () => (isFrozen ? undefined : cut()));
    upstream.on("close", cut);
    upstream.on("data", (chunk) => {
      if (isCut) cut();
      else if (!isFrozen) client.write(chunk);
    });
    client.on("data", (chunk) => {
      if (isFrozen) return;
      const at = next === undefined ? -1 : chunk.indexOf(next.text);
      const met = at === -1 ? undefined : next;
      if (met !== undefined) next = undefined;
      if (met?.fault === "unanswered") isCut = true;
      if (met?.fault === "garbled") chunk.fill("x", at, at + met.text.length);
      if (met?.fault === "lost") cut();
      else if (met?.fault !== "swallowed") upstream.write(chunk);
    });
  });
  const { port } = await listen(server);
  return {
    port,
    /** The next message that contains `text` meets the fault. */
    failNext: (text: string, fault: Fault) => void (next = { text, fault }),
    /** Refuses every later connection. */
    shut: () => void (isShut = true),
    /** Forwards nothing from now on, not even the end of a connection. */
    freeze: () => void (isFrozen = true),
  };
}
