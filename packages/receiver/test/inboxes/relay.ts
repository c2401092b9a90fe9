import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { InboxFault } from "./suite/faults.ts";

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  hangs: boolean;
}

/** What becomes of a connection when its client has sent something. */
export type Cut = "pass" | "hang before" | "hang after" | "cut before" | "cut after";

/** A TCP proxy in front of a server that stops forwarding, ends connections or refuses them. */
export class Relay {
  readonly #connections = new Set<Connection>();
  readonly #server = createServer((client) => this.#accept(client));
  readonly #target: number;
  #state: "passes" | "hangs" | "refuses" = "passes";
  /** Judges what a client sends, as Latin-1 text. */
  onSent: (text: string) => Cut = () => "pass";

  private constructor(target: number) {
    this.#target = target;
  }

  static async before({ port }: { readonly port: number }): Promise<Relay> {
    const relay = new Relay(port);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get port(): number {
    // A string only for a pipe, null only when it does not listen.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Forwards nothing from now on, on no connection, and ends none: as after the loss of a host or of a NAT's entry. */
  hang(): void {
    this.#state = "hangs";
    for (const connection of this.#connections) connection.hangs = true;
  }

  /** Ends all connections, and new ones at once. */
  refuse(): void {
    this.#state = "refuses";
    this.cut();
  }

  /** Ends all connections. */
  cut(): void {
    for (const { client, server } of this.#connections) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Serves new connections. Those that hung hang on. */
  restore(): void {
    this.#state = "passes";
    this.onSent = () => "pass";
  }

  stop(): void {
    this.refuse();
    this.#server.close();
  }

  #accept(client: Socket): void {
    if (this.#state === "refuses") {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target, "127.0.0.1");
    const connection: Connection = { client, server, hangs: this.#state === "hangs" };
    this.#connections.add(connection);
    client.on("data", (bytes: Buffer) => {
      const cut = connection.hangs ? "hang before" : this.onSent(bytes.toString("latin1"));
      if (cut === "pass" || cut.endsWith("after")) server.write(bytes);
      if (cut === "cut before") client.resetAndDestroy();
      else if (cut !== "pass") connection.hangs = true;
      // The server has done it, and its answer is lost.
      if (cut === "cut after") server.once("data", () => client.resetAndDestroy());
    });
    server.on("data", (bytes: Buffer) => {
      if (!connection.hangs && !client.destroyed) client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => undefined);
      one.on("close", () => {
        if (one === client) this.#connections.delete(connection);
        if (one === client || !connection.hangs) other.destroy();
      });
    }
  }
}

/** The faults of a connection through a relay. */
export const relayFaults = (relay: () => Relay): readonly InboxFault[] => [
  {
    name: "its connections hang without an end",
    begin: () => relay().hang(),
    end: () => relay().restore(),
  },
  {
    name: "its connections are lost and new ones refused",
    begin: () => relay().refuse(),
    end: () => relay().restore(),
  },
];
