// Other hosts for receivers whose fault needs them. Each replaces the listener, and keeps the steps of the honest receiver.
import Fastify from "fastify";
import { Refusal } from "../shared.mjs";

const attemptOf = ({ headers, method, url }, bytes) => ({
  bytes,
  headers,
  method,
  url,
  header: (name) => headers[name],
});

/** A Fastify application with a route whose hook calls `verify(receiver, attempt, request)`. */
export const onFastify =
  ({ verify }) =>
  (receiver) => {
    const app = Fastify({ bodyLimit: receiver.limit });
    const keep = (_request, body, done) => done(null, body);
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, keep);
    const send = (reply, { status, headers = {}, body = "" }) =>
      reply.code(status).headers(headers).send(body);
    const read = (request) => attemptOf(request.raw, Buffer.from(request.body));
    const preHandler = async (request, reply) => {
      try {
        await verify(receiver, read(request), request);
      } catch (error) {
        await send(reply, receiver.refused(error));
      }
    };
    app.post(receiver.path, { preHandler }, async (request, reply) => {
      try {
        await send(reply, await receiver.once(await receiver.event(read(request))));
      } catch (error) {
        await send(reply, receiver.refused(error));
      }
    });
    app.setNotFoundHandler((_request, reply) => reply.code(405).header("Allow", "POST").send());
    receiver.listener = async (request, response) => {
      await app.ready();
      app.routing(request, response);
    };
  };

/** A route of fetch's Request and Response: `post(receiver, attempt)` returns a Response. */
export const onFetch = (post) => (receiver) => {
  receiver.receive = async (attempt) => {
    const response = await post(receiver, attempt);
    const body = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  };
};

/** A bare `node:http` listener: `onBody(receiver, attempt)` runs in the `end` event, and nothing catches what it throws. */
export const onEnd = (onBody) => (receiver) => {
  receiver.listener = (request, response) => {
    const send = ({ status, headers = {}, body = "" }) =>
      response.writeHead(status, headers).end(body);
    const refuse = (error) => send(receiver.refused(error));
    const media = (request.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
    const isIdentity = (request.headers["content-encoding"] ?? "identity") === "identity";
    if (request.method !== "POST") return send({ status: 405, headers: { Allow: "POST" } });
    if (!receiver.media.includes(media) || !isIdentity) return refuse(new Refusal(415));
    const chunks = [];
    let size = 0;
    const timer = setTimeout(() => request.destroy(), receiver.bodySeconds * 1000);
    request.on("error", () => clearTimeout(timer));
    request.on("data", (chunk) => {
      size += chunk.length;
      if (size <= receiver.limit) chunks.push(chunk);
      else if (!response.headersSent) refuse(new Refusal(413, { Connection: "close" }));
    });
    request.on("end", () => {
      clearTimeout(timer);
      if (response.headersSent) return;
      const answer = onBody(receiver, attemptOf(request, Buffer.concat(chunks)));
      Promise.resolve(answer).then(send).catch(refuse);
    });
    return request;
  };
};
