import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Effects } from "./effects.ts";

/** Where a server of this machine listens, until it is closed. */
export interface Listening {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

export async function listen(server: Server): Promise<Listening> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Effects at an address of their own, for receivers that have no room for them. */
export function serveEffects(effects: Effects): Promise<Listening> {
  return listen(
    createServer((request, response) => {
      effects.answer(request, response).catch(() => response.destroy());
    }),
  );
}
