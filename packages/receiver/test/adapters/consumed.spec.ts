import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { createAdaptorServer } from "@hono/node-server";
import type { Receiver } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { toFastify } from "@countersign/receiver/fastify";
import { toFetch } from "@countersign/receiver/fetch";
import { toLambda } from "@countersign/receiver/lambda";
import { toNode } from "@countersign/receiver/node";
import express from "express";
import express4 from "express4";
import fastify, { type FastifyInstance, type preParsingAsyncHookHandler } from "fastify";
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { type Listening, listen } from "./mounts.ts";
import { exchange, linesOf, request } from "./wire.ts";

type Serve = (receiver: Receiver) => Server | Promise<Server>;

const expressLine = "above app.use(express.json())";
const before =
  (...parsers: RequestListener[]): Serve =>
  (receiver) => {
    const answer = toNode(receiver);
    return createServer((incoming, outgoing) => {
      for (const parser of parsers) parser(incoming, outgoing);
      setTimeout(() => void answer(incoming, outgoing), 20);
    });
  };
// With its type said: the compiler takes two seconds to find it among the overloads.
const readsFirst: preParsingAsyncHookHandler = async (incoming) => {
  await buffer(incoming.raw);
};
const hono =
  (middleware: MiddlewareHandler): Serve =>
  (receiver) => {
    const answer = toFetch(receiver);
    const app = new Hono().use(middleware).post("/webhooks", (context) => answer(context.req.raw));
    return createAdaptorServer({ fetch: app.fetch }) as Server;
  };
const fastifyWith =
  (prepare: (app: FastifyInstance) => void, parts?: "handler"): Serve =>
  async (receiver) => {
    const app = fastify();
    prepare(app);
    const options = toFastify(receiver);
    app.post("/webhooks", parts === "handler" ? { handler: options.handler } : options);
    await app.ready();
    return app.server;
  };

const swallow = (incoming: IncomingMessage): void => {
  void buffer(incoming).catch(() => undefined);
};

/** Each common parser in front of each adapter, with what the answer and the warning must name. */
const parsers: readonly (readonly [string, Serve, string])[] = [
  [
    "Express 5 after express.json()",
    (receiver) =>
      createServer(express().use(express.json()).post("/webhooks", toExpress(receiver))),
    expressLine,
  ],
  [
    "Express 5 after express.text()",
    (receiver) =>
      createServer(
        express()
          .use(express.text({ type: "*/*" }))
          .post("/webhooks", toExpress(receiver)),
      ),
    expressLine,
  ],
  [
    "Express 5 after express.urlencoded()",
    (receiver) =>
      createServer(
        express()
          .use(express.urlencoded({ type: "*/*" }))
          .post("/webhooks", toExpress(receiver)),
      ),
    expressLine,
  ],
  [
    "Express 4 after express.json()",
    (receiver) =>
      createServer(express4().use(express4.json()).post("/webhooks", toExpress(receiver))),
    expressLine,
  ],
  [
    "Express 4 after express.text()",
    (receiver) =>
      createServer(
        express4()
          .use(express4.text({ type: "*/*" }))
          .post("/webhooks", toExpress(receiver)),
      ),
    expressLine,
  ],
  ["node:http after a stream consumer", before(swallow), "before any parser"],
  [
    "node:http after a decoder",
    before((incoming) => void incoming.setEncoding("utf8")),
    "bodyParser: false",
  ],
  [
    "Fastify's own parser, without preParsing",
    fastifyWith(() => undefined, "handler"),
    "preParsing included",
  ],
  [
    "Fastify after a preParsing hook that reads",
    fastifyWith((app) => void app.addHook("preParsing", readsFirst)),
    "without a preParsing hook that reads",
  ],
  [
    "Hono after c.req.json()",
    hono(async (context, next) => (await context.req.json(), next())),
    "c.req.json()",
  ],
  [
    "Hono after c.req.text()",
    hono(async (context, next) => (await context.req.text(), next())),
    "request.clone()",
  ],
  [
    "Hono after c.req.arrayBuffer()",
    hono(async (context, next) => (await context.req.arrayBuffer(), next())),
    "request.clone()",
  ],
  [
    "Hono after a reader of the stream",
    hono((context, next) => (context.req.raw.body?.getReader(), next())),
    "request.clone()",
  ],
];

let warn: MockInstance<typeof process.emitWarning>;
let listening: Listening | undefined;
beforeEach(() => {
  warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});
afterEach(() => {
  warn.mockRestore();
  listening?.close();
  listening = undefined;
});

const { headers, body } = attemptOf(refundAuthorized());
const genuine = request(linesOf(headers, body), body);

describe("A21: a genuine attempt", () => {
  it.each(parsers)(
    "[R-BODY-CONSUMED] behind %s is a coded 500 that names the fix, warned of once",
    async (_what, serve, fix) => {
      const { receiver, handled, outcomes } = recordingReceiver();
      listening = await listen(await serve(receiver));

      const first = await exchange(listening.port, genuine);
      const second = await exchange(listening.port, genuine);

      expect([first.status, second.status]).toEqual([500, 500]);
      expect(JSON.parse(first.body)).toEqual({
        code: "CS_BODY_CONSUMED",
        fix: expect.stringContaining(fix) as string,
      });
      expect(warn.mock.calls).toEqual([
        [expect.stringContaining(fix), { code: "CS_BODY_CONSUMED" }],
      ]);
      expect(outcomes).toHaveLength(2);
      expect(handled).toEqual([]);
    },
  );

  it("[R-BODY-CONSUMED] that a Lambda middleware has parsed is a coded 500 that names the fix, warned of once", async () => {
    const { receiver, handled } = recordingReceiver();
    const handler = toLambda(receiver);
    const parsed = { httpMethod: "POST", headers, body: refundAuthorized() };

    const first = await handler(parsed);
    const second = await handler({ ...parsed, isBase64Encoded: true });

    expect([first.statusCode, second.statusCode]).toEqual([500, 500]);
    expect(first.body).toContain("httpJsonBodyParser");
    expect(warn).toHaveBeenCalledTimes(1);
    expect(handled).toEqual([]);
  });

  it("[R-BODY-CONSUMED] as a Request that was read, or is being read, is a coded 500", async () => {
    const { receiver } = recordingReceiver();
    const answer = toFetch(receiver);
    const read = new Request("http://localhost/", {
      method: "POST",
      headers,
      body: Buffer.from(body),
    });
    await read.json();
    const locked = new Request("http://localhost/", {
      method: "POST",
      headers,
      body: Buffer.from(body),
    });
    locked.body?.getReader();
    expect([(await answer(read)).status, (await answer(locked)).status]).toEqual([500, 500]);
  });

  it.each([
    [
      "Express 5 above express.json()",
      (receiver) =>
        createServer(express().post("/webhooks", toExpress(receiver)).use(express.json())),
    ],
    [
      "Express 4 above express.json()",
      (receiver) =>
        createServer(express4().post("/webhooks", toExpress(receiver)).use(express4.json())),
    ],
    [
      "Express 5 with a parser of other types",
      (receiver) =>
        createServer(express().use(express.urlencoded()).post("/webhooks", toExpress(receiver))),
    ],
    [
      "Express 4 with a parser of other types",
      (receiver) =>
        createServer(
          express4()
            .use(express4.urlencoded({ extended: true }))
            .post("/webhooks", toExpress(receiver)),
        ),
    ],
    [
      "Express 5 after express.raw()",
      (receiver) =>
        createServer(
          express()
            .use(express.raw({ type: "*/*" }))
            .post("/webhooks", toExpress(receiver)),
        ),
    ],
    [
      "Express 4 after express.raw()",
      (receiver) =>
        createServer(
          express4()
            .use(express4.raw({ type: "*/*" }))
            .post("/webhooks", toExpress(receiver)),
        ),
    ],
    [
      "Express 5 after express.json() that keeps rawBody",
      (receiver) =>
        createServer(
          express()
            .use(express.json({ verify: keepRawBody }))
            .post("/webhooks", toExpress(receiver)),
        ),
    ],
    [
      "node:http behind a platform that keeps rawBody",
      (receiver) => {
        const answer = toNode(receiver);
        return createServer((incoming, outgoing) => {
          void buffer(incoming).then((rawBody) =>
            answer(Object.assign(incoming, { rawBody }), outgoing),
          );
        });
      },
    ],
    ["Fastify with its own parsers", fastifyWith(() => undefined)],
    [
      "Fastify with a parser of every type",
      fastifyWith((app) =>
        app.addContentTypeParser("*", { parseAs: "string" }, (_request, _body, done) =>
          done(null, {}),
        ),
      ),
    ],
    [
      "Fastify without preParsing, but with a parser that keeps the bytes",
      fastifyWith((app) => {
        app.removeAllContentTypeParsers();
        app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) =>
          done(null, bytes),
        );
      }, "handler"),
    ],
    [
      "Fastify after a preParsing hook that keeps rawBody",
      fastifyWith((app) => {
        app.addHook("preParsing", async (incoming) => {
          Object.assign(incoming, { rawBody: await buffer(incoming.raw) });
        });
      }),
    ],
    [
      "Hono after c.req.raw.clone().json()",
      hono(async (context, next) => (await context.req.raw.clone().json(), next())),
    ],
    ["Hono after bodyLimit()", hono(bodyLimit({ maxSize: 100_000 }))],
  ] satisfies [string, Serve][])("mounted on %s is handled", async (_what, serve) => {
    const { receiver, handled } = recordingReceiver();
    listening = await listen(await serve(receiver));
    expect((await exchange(listening.port, genuine)).status).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    expect(warn).not.toHaveBeenCalled();
  });
});

function keepRawBody(incoming: IncomingMessage, _response: unknown, bytes: Buffer): void {
  Object.assign(incoming, { rawBody: bytes });
}
