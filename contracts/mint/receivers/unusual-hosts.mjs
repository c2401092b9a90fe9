// More receivers that are unusual but correct: other hosts, stores and answers.
import { randomUUID } from "node:crypto";
import { createServer, request as connect } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import { handle, once, respond, step } from "./faults/plant.mjs";
import { Refusal } from "./shared.mjs";

const answerTo = step("answerTo");

function inFastify(receiver) {
  const app = Fastify({ bodyLimit: receiver.limit });
  app.removeAllContentTypeParsers();
  const asBytes = (_request, bytes, done) => done(null, bytes);
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, asBytes);
  app.post(receiver.path, async ({ body: bytes, headers, method, url }, reply) => {
    const isCoded = (headers["content-encoding"] ?? "identity") !== "identity";
    const attempt = { bytes, headers, method, url, header: (name) => headers[name] };
    const work = isCoded ? Promise.reject(new Refusal(415)) : receiver.receive(attempt);
    const answer = await work.catch((error) => receiver.refused(error));
    return reply
      .code(answer.status)
      .headers(answer.headers ?? {})
      .send(answer.body);
  });
  const ready = app.ready();
  receiver.listener = async (request, response) => {
    await ready;
    app.routing(request, response);
  };
}

function behindProxy(receiver) {
  const inner = createServer(receiver.listener).listen(0, "127.0.0.1");
  inner.unref();
  receiver.listener = (incoming, outgoing) => {
    const { connection: _, "content-length": length, expect: _expect, ...given } = incoming.headers;
    const headers = {
      ...given,
      ...(length && { "transfer-encoding": "chunked" }),
      via: "1.1 edge",
      "x-forwarded-for": "203.0.113.7, 10.0.0.2",
      "x-forwarded-proto": "https",
      "x-request-id": randomUUID(),
    };
    const { method, url: path } = incoming;
    const upstream = connect({ port: inner.address().port, method, path, headers });
    upstream.on("response", (answer) => {
      const { connection: _own, "keep-alive": _time, ...own } = answer.headers;
      outgoing.writeHead(answer.statusCode, { ...own, server: "edge", via: "1.1 edge" });
      answer.pipe(outgoing);
    });
    upstream.on("error", () => {
      if (!outgoing.headersSent) outgoing.writeHead(502).end();
    });
    incoming.pipe(upstream);
  };
}

/** Keeps claims and effects in SQLite; one transaction records an effect and completes its event. */
function inSqlite(receiver) {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE claims (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;
    CREATE TABLE effects (id TEXT NOT NULL, type TEXT NOT NULL, amount TEXT) STRICT`);
  const sql = (text) => db.prepare(text);
  const claim = sql("INSERT INTO claims VALUES (?, 'running') ON CONFLICT DO NOTHING");
  const state = sql("SELECT state FROM claims WHERE id = ?");
  const complete = sql("UPDATE claims SET state = 'handled' WHERE id = ?");
  const release = sql("DELETE FROM claims WHERE id = ? AND state = 'running'");
  const insert = sql("INSERT INTO effects VALUES (?, ?, ?)");
  const list = sql(`SELECT id AS eventId, type, amount AS amountCents, count(*) AS count
    FROM effects GROUP BY id, type`);
  receiver.store = {
    claim: (key) => (claim.run(key).changes === 1 ? "claimed" : state.get(key).state),
    complete: () => undefined,
    release: (key) => release.run(key),
    record({ eventId, type, amountCents }) {
      db.exec("BEGIN IMMEDIATE");
      try {
        insert.run(eventId, type, amountCents ?? null);
        complete.run(eventId);
        db.exec("COMMIT");
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
    list: () =>
      list
        .all()
        .map(({ amountCents, ...each }) =>
          amountCents === null ? each : { ...each, amountCents },
        ),
  };
}

export const unusualHosts = {
  "stripe fastify | Runs in Fastify, which answers 404 to other methods.": inFastify,
  "shopify proxied | Is behind a proxy that adds headers and sends bodies in chunks.": behindProxy,
  "paddle sqlite | Claims events in SQLite, and records each in one transaction.": inSqlite,
  "standard-webhooks one_at_a_time | Handles one event at a time, each for at most 3 s.": (
    planted,
  ) => {
    let last = Promise.resolve();
    handle((_receiver, next, event) => {
      const bounded = () =>
        Promise.race([
          next(event),
          sleep(3000).then(() => {
            throw new Error("timed out");
          }),
        ]);
      const work = last.then(bounded, bounded);
      last = work.catch(() => undefined);
      return work;
    })(planted);
  },
  "square created | Answers 201 with JSON to an event, and 200 with other JSON to a duplicate.": (
    planted,
  ) => {
    planted.success = { status: 201, body: '{"received":true}' };
    once(async (receiver, next, event) => {
      const isDuplicate = receiver.store.handled.has(receiver.key(event));
      const answer = await next(event);
      return isDuplicate ? { status: 200, body: '{"duplicate":true}' } : answer;
    })(planted);
  },
  "openai fetch_style | Takes a Request and returns a Response, as functions at the edge do.":
    answerTo(async (receiver, next, incoming) => {
      if (incoming.method !== "POST") return next(incoming);
      const { method, headers } = incoming;
      const given = new Request(receiver.publicUrl, {
        method,
        headers: Object.entries(headers).filter(([name]) => name !== "connection"),
        body: await receiver.read(incoming),
      });
      const own = Object.fromEntries(given.headers);
      const bytes = Buffer.from(await given.bytes());
      const attempt = { bytes, headers: own, method, url: given.url, header: (name) => own[name] };
      const answer = await receiver.receive(attempt).catch((error) => receiver.refused(error));
      const response = Response.json({ ok: answer.status < 300 }, answer);
      const { "content-type": type, ...others } = Object.fromEntries(response.headers);
      return { status: response.status, headers: others, type, body: await response.text() };
    }),
  "github problem_json | Refuses with WWW-Authenticate, a problem document and an id of the request.":
    step("refused")((_receiver, next, error) => {
      const { status, headers } = next(error);
      const instance = `urn:uuid:${randomUUID()}`;
      return {
        status,
        headers: {
          ...headers,
          ...(status === 401 && { "WWW-Authenticate": 'Signature realm="webhooks"' }),
          "Strict-Transport-Security": "max-age=31536000",
        },
        type: "application/problem+json",
        body: JSON.stringify({ type: "about:blank", status, instance }),
      };
    }),
  "svix interim | Sends 102 Processing before each answer to a POST.": respond(
    (_receiver, next, request, response) => {
      if (request.method === "POST") response.writeProcessing();
      return next(request, response);
    },
  ),
};
