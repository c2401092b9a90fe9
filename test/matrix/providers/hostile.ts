import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** What a service does to whoever asks it anything. */
export const hostile: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "answers without an end": (response) => {
    response.writeHead(200, json);
    const more = (): void => {
      while (!response.destroyed && response.write(MUCH));
      response.once("drain", more);
    };
    more();
  },
  "answers a byte now and then": (response) => {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  },
  "says nothing": () => {},
  "breaks the connection": (response) => void response.socket?.destroy(),
  "answers half of what it promises": (response) => {
    response.writeHead(200, { ...json, "content-length": "1000" }).write("{");
    setTimeout(() => response.destroy(), 5);
  },
  "answers a bomb": (response) => {
    response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(BOMB);
  },
  "answers arrays in arrays": (response) => {
    response.writeHead(200, json).end("[".repeat(200_000) + "]".repeat(200_000));
  },
  "answers objects in objects": (response) => {
    response.writeHead(200, json).end(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
  },
  "answers members that objects have already": (response) => {
    response
      .writeHead(401, json)
      .end('{"__proto__":{"polluted":1},"constructor":1,"toString":null}');
  },
  "answers a page, and codes for a terminal": (response) => {
    response
      .writeHead(401, { "content-type": "text/html", "www-authenticate": "Bearer" })
      .end("<script>alert(1)</script>\u001b[2J\u001b]0;title\u0007");
  },
  "sends elsewhere": (response) => {
    response.writeHead(307, { location: "http://192.0.2.1/" }).end();
  },
};

const json = { "content-type": "application/json" };
const MUCH = Buffer.alloc(65_536, 0x20);
const BOMB = gzipSync(Buffer.alloc(50_000_000, 0x20));

export interface HostileService {
  /** Base URL of the service that does so. */
  readonly urlOf: (what: string) => string;
  readonly close: () => void;
}

/** One server for all of them: the first segment of the path says which. */
export async function startHostile(): Promise<HostileService> {
  const names = Object.keys(hostile);
  const server = createServer((request, response) => {
    // What was cut off here was cut off by the kit.
    response.on("error", () => undefined);
    request.on("error", () => undefined).resume();
    const index = Number(request.url?.split("/")[1]);
    hostile[names[index] ?? ""]?.(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (what) => `http://127.0.0.1:${port}/${names.indexOf(what)}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
