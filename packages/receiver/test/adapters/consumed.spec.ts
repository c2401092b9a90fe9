import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { toExpress } from "@countersign/receiver/express";
import { toFastify } from "@countersign/receiver/fastify";
import { toFetch } from "@countersign/receiver/fetch";
import { toLambda } from "@countersign/receiver/lambda";
import { toNode } from "@countersign/receiver/node";
import express, { type RequestHandler } from "express";
import express4 from "express4";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it, vi } from "vitest";
import { genuine, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { mounted } from "./mounted.ts";
import { type Mount } from "./mounts.ts";
import { post } from "./wire.ts";

type Serve = Mount["serve"];

const expressAfter =
  (framework: typeof express, parser: RequestHandler): Serve =>
  (receiver) =>
    createServer(framework().use(parser).post("/webhooks", toExpress(receiver)));
const nodeAfter =
  (parser: RequestListener): Serve =>
  (receiver) => {
    const answer = toNode(receiver);
    return createServer((incoming, outgoing) => {
      parser(incoming, outgoing);
      setTimeout(() => void answer(incoming, outgoing), 20);
    });
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
/** Reads the body and keeps its bytes, as some platforms do. */
const keepRawBody = async (incoming: IncomingMessage): Promise<void> => {
  Object.assign(incoming, { rawBody: await buffer(incoming) });
};

/** Common parsers in front of each adapter, with the fix that the answer must name. */
const consuming: readonly (readonly [name: string, fix: string, Serve])[] = [
  [
    "Express 5 after express.json()",
    "above app.use(express.json())",
    expressAfter(express, express.json()),
  ],
  [
    "node:http after a stream consumer",
    "before any parser",
    nodeAfter((incoming) => void buffer(incoming)),
  ],
  [
    "node:http after a decoder",
    "bodyParser: false",
    nodeAfter((incoming) => void incoming.setEncoding("utf8")),
  ],
  [
    "Fastify's own parser, without preParsing",
    "preParsing included",
    fastifyWith(() => undefined, "handler"),
  ],
];

/** Mounts behind parsers that leave the bytes to the receiver. */
const harmless: readonly (readonly [name: string, Serve])[] = [
  [
    "Express 4 after a parser of other types",
    expressAfter(express4, express4.urlencoded({ extended: false })),
  ],
  ["Express 5 after express.raw()", expressAfter(express, express.raw({ type: "*/*" }))],
  [
    "Express 5 keeping rawBody",
    expressAfter(
      express,
      express.json({
        verify: (incoming, _response, rawBody) => void Object.assign(incoming, { rawBody }),
      }),
    ),
  ],
  [
    "node:http on a platform that keeps rawBody",
    nodeAfter((incoming) => void keepRawBody(incoming)),
  ],
  [
    "Fastify without preParsing, keeping the bytes",
    fastifyWith((app) => {
      app.removeAllContentTypeParsers();
      app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) =>
        done(null, bytes),
      );
    }, "handler"),
  ],
  [
    "Fastify after a hook that keeps rawBody",
    fastifyWith(
      (app) =>
        void app.addHook("preParsing", async (incoming) => {
          Object.assign(incoming, { rawBody: await buffer(incoming.raw) });
        }),
    ),
  ],
];

describe("[R-BODY-CONSUMED] A21: a genuine attempt", () => {
  it.each(consuming)(
    "behind %s gets a 500 that names the fix, and so does one line of the log",
    async (_name, fix, serve) => {
      const warn = vi.fn<(text: string) => void>();
      const { port, handled, outcomes } = await mounted({ serve }, { log: { warn, error: warn } });
      const replies = [await post(port, genuine), await post(port, genuine)];
      expect(replies.map(({ status }) => status)).toEqual([500, 500]);
      const named = expect.stringContaining(fix) as string;
      expect(JSON.parse(replies[0]?.body ?? "")).toEqual({ code: "CS_BODY_CONSUMED", fix: named });
      const consumed = { kind: "rejected", code: "CS_BODY_CONSUMED", facts: { fix: named } };
      expect(outcomes).toEqual([consumed, consumed]);
      expect(warn.mock.calls).toEqual([[named]]);
      expect(handled).toEqual([]);
    },
  );

  it("parsed by a Lambda middleware gets a 500 that names the fix", async () => {
    const { receiver, handled } = recordingReceiver();
    const handler = toLambda(receiver);
    const { headers } = genuine;
    const parsed = { httpMethod: "POST", headers, body: refundAuthorized() };
    const answers = [await handler(parsed), await handler({ ...parsed, isBase64Encoded: true })];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 500]);
    expect(answers[0]?.body).toContain("httpJsonBodyParser");
    expect(handled).toEqual([]);
  });

  it("in a Request that was read, locked, or is a stream of text gets a 500 that names the fix", async () => {
    const { receiver } = recordingReceiver();
    const init = { method: "POST", headers: genuine.headers, body: Buffer.from(genuine.body) };
    const read = new Request("http://localhost/", init);
    await read.json();
    const locked = new Request("http://localhost/", init);
    locked.body?.getReader();
    const body = new ReadableStream({ start: (controller) => controller.enqueue("text") });
    const { method, url, headers } = locked;
    const text = { method, url, headers, bodyUsed: false, body };
    const answer = toFetch(receiver);
    for (const request of [read, locked, text, { ...text, bodyUsed: true, body: null }]) {
      const response = await answer(request);
      const fix: unknown = expect.stringContaining("c.req.json()");
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({ code: "CS_BODY_CONSUMED", fix });
    }
  });

  it.each(harmless)("mounted on %s is handled", async (_name, serve) => {
    const { port, handled } = await mounted({ serve });
    expect((await post(port, genuine)).status).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });
});
