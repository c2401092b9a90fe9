import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Effects } from "../../../packages/contract-kit/test/receiver/make-effects.ts";

/** What a receiver answers. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const ok: Answer = { status: 204 };

/** A refusal with a code and no more: a stranger learns nothing else. */
export function refusal(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ code }),
  };
}

/** An attempt as it came over the wire. */
export interface Arrived {
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Every value of a header, in the order in which they came. */
export function valuesOf({ rawHeaders }: Pick<Arrived, "rawHeaders">, name: string): string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

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
