import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import { toExpress } from "@countersign/receiver/express";
import { toFastify } from "@countersign/receiver/fastify";
import { toFetch } from "@countersign/receiver/fetch";
import { toNode } from "@countersign/receiver/node";
import express from "express";
import express4 from "express4";
import fastify from "fastify";
import { Hono } from "hono";
import { gateways } from "./gateway.ts";
import type { Mount } from "./mount.ts";

const web = { streams: true, endsConnections: false, seesDuplicates: true, keepsBytes: true };
const node = { ...web, endsConnections: true };
const anyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export const mounts: readonly Mount[] = [
  {
    name: "toNode on node:http",
    ...node,
    serve(receiver) {
      const answer = toNode(receiver);
      return createServer((incoming, outgoing) => void answer(incoming, outgoing));
    },
  },
  {
    name: "toExpress on Express 5",
    ...node,
    serve: (receiver) => createServer(express().all("/webhooks", toExpress(receiver))),
  },
  {
    name: "toExpress on Express 4",
    ...node,
    serve: (receiver) => createServer(express4().all("/webhooks", toExpress(receiver))),
  },
  {
    name: "toFastify on Fastify 5",
    ...node,
    async serve(receiver) {
      const app = fastify();
      app.route({ method: anyMethod, url: "/webhooks", ...toFastify(receiver) });
      await app.ready();
      return app.server;
    },
  },
  {
    name: "toFetch on Hono",
    ...web,
    serve(receiver) {
      const answer = toFetch(receiver);
      const app = new Hono().all("/webhooks", (context) => answer(context.req.raw));
      return createAdaptorServer({ fetch: app.fetch }) as Server;
    },
  },
  {
    name: "toFetch as a Next.js route handler",
    ...web,
    serve(receiver) {
      const route = { POST: toFetch(receiver), GET: toFetch(receiver) };
      return createServer((incoming, outgoing) => {
        void route[incoming.method === "GET" ? "GET" : "POST"](webRequest(incoming)).then(
          async (response) => {
            outgoing.writeHead(response.status, Object.fromEntries(response.headers));
            outgoing.end(await response.text());
          },
        );
      });
    },
  },
  ...gateways,
];

/** A Web `Request` over Node's stream, as frameworks on Node make it. */
function webRequest(incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (let index = 0; index < incoming.rawHeaders.length; index += 2)
    headers.append(incoming.rawHeaders[index] ?? "", incoming.rawHeaders[index + 1] ?? "");
  const { method = "GET", url = "/" } = incoming;
  if (method === "GET") return new Request(`http://localhost${url}`, { headers });
  const init = { method, headers, body: Readable.toWeb(incoming), duplex: "half" };
  // Node's types have no `duplex`, which its `Request` demands of a stream.
  return new Request(`http://localhost${url}`, init as RequestInit);
}

/** A receiver that listens on a free port of this machine. */
export interface Listening {
  readonly port: number;
  readonly server: Server;
  close(): void;
}

export async function listen(server: Server): Promise<Listening> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    server,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
