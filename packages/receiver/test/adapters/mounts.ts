import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createAdaptorServer } from "@hono/node-server";
import { toExpress } from "@countersign/receiver/express";
import { toFastify } from "@countersign/receiver/fastify";
import { toFetch } from "@countersign/receiver/fetch";
import { type LambdaEvent, toLambda } from "@countersign/receiver/lambda";
import { toNode } from "@countersign/receiver/node";
import express from "express";
import express4 from "express4";
import fastify from "fastify";
import { Hono } from "hono";
import type { Receiver } from "@countersign/receiver";

/** One way to mount a receiver at `/webhooks`, behind a server that listens. */
export interface Mount {
  readonly name: string;
  /** True if the adapter itself sees the body arrive; a gateway hands over a whole one. */
  readonly streams: boolean;
  /** True if the adapter itself closes a connection whose body it left unread; on the Web, the runtime does. */
  readonly endsConnections: boolean;
  /** True if the adapter sees both values of a header that was sent twice. */
  readonly seesDuplicates: boolean;
  serve(receiver: Receiver): Promise<Server> | Server;
}

type Shape = (request: IncomingMessage, body: Buffer) => LambdaEvent;

const queryOf = ({ url = "" }: IncomingMessage): string => url.split("?")[1] ?? "";
/** The query's parameters, as a load balancer sends them: undecoded. */
const undecoded = (request: IncomingMessage): Record<string, string> => {
  const pairs = queryOf(request)
    .split("&")
    .filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.map((pair): [string, string] => {
      const [name = "", value = ""] = pair.split("=");
      return [name, value];
    }),
  );
};
const elb = (request: IncomingMessage, body: Buffer) =>
  ({
    httpMethod: request.method ?? "",
    path: "/webhooks",
    requestContext: { elb: {} },
    queryStringParameters: undecoded(request),
    ...encoded(body),
  }) as const;
const version2 = (request: IncomingMessage) =>
  ({
    rawPath: "/webhooks",
    rawQueryString: queryOf(request),
    requestContext: { http: { method: request.method ?? "" } },
  }) as const;
const encoded = (body: Buffer) => ({ body: body.toString("base64"), isBase64Encoded: true });
const decoded = (body: Buffer) => ({ body: text(body), isBase64Encoded: false });

/** The events that API Gateway, function URLs and load balancers make of a request, by their manuals. */
const shapes = {
  "API Gateway 1.0": (request, body) => ({
    ...elb(request, body),
    requestContext: {},
    queryStringParameters: Object.fromEntries(new URLSearchParams(queryOf(request))),
    headers: lastOf(request),
    multiValueHeaders: request.headersDistinct,
    ...(body.length === 0 ? { body: null, isBase64Encoded: false } : decoded(body)),
  }),
  "API Gateway 2.0": (request, body) => ({
    ...version2(request),
    headers: joined(request),
    ...(body.length === 0 ? { isBase64Encoded: false } : decoded(body)),
  }),
  "a function URL": (request, body) => ({
    ...version2(request),
    headers: joined(request),
    ...encoded(body),
  }),
  "a load balancer": (request, body) => ({ ...elb(request, body), headers: lastOf(request) }),
  "a load balancer with multi-value headers": (request, body) => ({
    ...elb(request, body),
    multiValueHeaders: request.headersDistinct,
  }),
} satisfies Record<string, Shape>;

const gateways: readonly Mount[] = Object.entries<Shape>(shapes).map(([name, shape]) => ({
  name: `toLambda behind ${name}`,
  streams: false,
  endsConnections: false,
  // Its single values keep only the last one.
  seesDuplicates: name !== "a load balancer",
  serve(receiver) {
    const handler = toLambda(receiver);
    return createServer((request, response) => {
      const answered = buffer(request).then(async (body) => {
        // Lambda events are JSON.
        const event = JSON.parse(JSON.stringify(shape(request, body))) as LambdaEvent;
        const answer = await handler(event);
        response.writeHead(answer.statusCode, answer.multiValueHeaders ?? answer.headers);
        response.end(answer.body);
      });
      answered.catch(() => response.destroy());
    });
  },
}));

const node = { streams: true, endsConnections: true, seesDuplicates: true };
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
    ...node,
    endsConnections: false,
    serve(receiver) {
      const answer = toFetch(receiver);
      const app = new Hono().all("/webhooks", (context) => answer(context.req.raw));
      return createAdaptorServer({ fetch: app.fetch }) as Server;
    },
  },
  ...gateways,
];

const text = (body: Buffer): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);

/** The headers of a request, with one text for all values of each. */
const headersBy =
  (pick: (values: readonly string[]) => string) =>
  ({ headersDistinct }: IncomingMessage): Record<string, string> =>
    Object.fromEntries(
      Object.entries(headersDistinct).map(([name, values = []]) => [name, pick(values)]),
    );

const lastOf = headersBy((values) => values.at(-1) ?? "");
const joined = headersBy((values) => values.join(","));

/** Listens on a free port of this machine. */
export async function listen(server: Server): Promise<{ port: number; close: () => void }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close };
}
