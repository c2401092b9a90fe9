// The parts that the receivers share: reading, claiming, answering, and a record of handled events for `--effects-url`.
// A receiver is a plain object, so that a fault can replace any of its steps.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import express from "express";

/** A request that is answered with `status` and runs no handler. */
export class Refusal extends Error {
  constructor(status, headers = {}) {
    super("refused");
    this.status = status;
    this.headers = headers;
  }
}

/** Keeps claims, handled ids and effects in memory, where a shop has a table with a unique key. */
export function openStore() {
  const handled = new Set();
  const running = new Set();
  const effects = new Map();
  return {
    handled,
    running,
    claim(key) {
      if (handled.has(key)) return "handled";
      if (running.has(key)) return "running";
      running.add(key);
      return "claimed";
    },
    complete(key) {
      handled.add(key);
      running.delete(key);
    },
    release: (key) => running.delete(key),
    record(effect) {
      const name = JSON.stringify([effect.eventId, effect.type]);
      effects.set(name, { ...effect, count: (effects.get(name)?.count ?? 0) + 1 });
    },
    list: () => [...effects.values()],
  };
}

/** The steps of an honest receiver. A vendor's file adds `genuine` and `event`, and what differs. */
const careful = {
  path: "/webhooks",
  media: ["application/json"],
  limit: 1_048_576,
  bodySeconds: 10,
  deadlineMs: 8_000,
  success: { status: 200 },
  handlers: {},

  /** Reads at most `limit` bytes of a body of an accepted media type. */
  async read(request) {
    const media = (request.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
    if (!this.media.includes(media)) throw new Refusal(415);
    if ((request.headers["content-encoding"] ?? "identity") !== "identity") throw new Refusal(415);
    const tooLarge = new Refusal(413, { Connection: "close" });
    if (Number(request.headers["content-length"]) > this.limit) throw tooLarge;
    const chunks = [];
    let size = 0;
    const timer = setTimeout(() => request.destroy(), this.bodySeconds * 1000);
    try {
      for await (const chunk of request) {
        size += chunk.length;
        if (size > this.limit) throw tooLarge;
        chunks.push(chunk);
      }
    } finally {
      clearTimeout(timer);
    }
    return Buffer.concat(chunks);
  },

  /** Returns the event of an attempt that one of the secrets signed. */
  async verify(attempt) {
    for (const secret of this.secrets) {
      try {
        if (await this.genuine(attempt, secret)) return this.event(attempt);
      } catch {
        // The next secret may be the right one.
      }
    }
    throw new Refusal(401);
  },

  key: (event) => event.id,

  /** Runs the handler of the event's type, and records the effect as its last step. */
  async handle(event) {
    const known = Object.hasOwn(this.handlers, event.type);
    await sleep(20);
    const amountCents = known ? this.handlers[event.type](event) : undefined;
    await this.effect({ eventId: event.id, type: event.type, amountCents });
  },

  async effect(effect) {
    if (this.orders.failNext > 0) {
      this.orders.failNext -= 1;
      throw new Error(this.orders.reason ?? "the database is away");
    }
    if (this.orders.hangNext > 0) {
      this.orders.hangNext -= 1;
      await new Promise(() => undefined);
    }
    this.store.record(effect);
  },

  /** Claims the event, runs its handler, and answers once it has succeeded. */
  async once(event) {
    const key = this.key(event);
    const state = this.store.claim(key);
    if (state === "handled") return this.success;
    if (state === "running") return { status: 409, headers: { "Retry-After": "1" } };
    const work = this.handle(event).then(
      () => this.store.complete(key),
      (error) => {
        this.store.release(key);
        throw error;
      },
    );
    const late = sleep(this.deadlineMs, "late", { ref: false });
    try {
      return (await Promise.race([work, late])) === "late" ? this.failed() : this.success;
    } catch (error) {
      return this.failed(error);
    }
  },

  failed: () => ({ status: 503, headers: { "Retry-After": "1" } }),

  async receive(attempt) {
    const event = await this.verify(attempt);
    if (event.answer) return event.answer;
    if (![event.id, event.type].every((text) => typeof text === "string" && text !== ""))
      throw new Refusal(400);
    return this.once(event);
  },

  refused(error) {
    const status = error instanceof Refusal ? error.status : 400;
    return { status, headers: error.headers, body: '{"error":"refused"}' };
  },

  async respond(request, response) {
    const answer = await this.answerTo(request).catch((error) => this.refused(error));
    if (response.destroyed) return;
    const { status, headers = {}, body = "", type = "application/json" } = answer;
    response.writeHead(status, { ...(body && { "Content-Type": type }), ...headers }).end(body);
  },

  async answerTo(request) {
    if (request.method !== "POST") return { status: 405, headers: { Allow: "POST" } };
    const { headers, method, url } = request;
    const bytes = await this.read(request);
    return this.receive({ bytes, headers, method, url, header: (name) => headers[name] });
  },
};

/** Serves the effects route: GET lists handled events, PUT makes the next handlers fail or hang. */
async function serveEffects(receiver, request, response) {
  if (request.method === "PUT") {
    const body = Buffer.concat(await Array.fromAsync(request));
    receiver.orders = JSON.parse(body.toString());
    response.writeHead(204).end();
  } else {
    const list = JSON.stringify(receiver.store.list());
    response.writeHead(200, { "Content-Type": "application/json" }).end(list);
  }
}

const middleware = {
  /** Express reads the body; the receiver's own `read` finds it read. */
  express(receiver) {
    const { limit, media } = receiver;
    const app = express().disable("x-powered-by");
    const raw = express.raw({ type: media, limit, inflate: false });
    receiver.read = (request) => {
      if (!Buffer.isBuffer(request.body)) throw new Refusal(415);
      return request.body;
    };
    app.use(receiver.path, (...step) => (receiver.parser ?? raw)(...step));
    app.use(receiver.path, (request, response) => receiver.respond(request, response));
    app.use((error, _request, response, _next) => {
      const { status, headers } = receiver.refused(new Refusal(error.status ?? 500));
      response.status(status).set(headers).end();
    });
    return app;
  },
  http: (receiver) => (request, response) => {
    if (request.url.split("?")[0] === receiver.path) void receiver.respond(request, response);
    else response.writeHead(404).end();
  },
};

export function createReceiver(vendor, { secrets, fault }) {
  const receiver = { ...careful, ...vendor, secrets, orders: {} };
  receiver.store = openStore();
  receiver.listener = middleware[vendor.host](receiver);
  fault?.plant(receiver);
  receiver.server = createServer((request, response) =>
    request.url === "/effects"
      ? serveEffects(receiver, request, response)
      : receiver.listener(request, response),
  );
  return receiver;
}
