// Fastify and standardwebhooks: a content type parser that keeps the raw body.
import Fastify from "fastify";
import { Webhook } from "standardwebhooks";
import { effects, failNext, handleOnce } from "./ledger.mjs";

const { PORT, WEBHOOK_SECRET = "" } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const app = Fastify();

await app.register(async (webhooks) => {
  webhooks.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  webhooks.post("/webhooks", async (request, reply) => {
    let event;
    try {
      event = webhook.verify(request.body, request.headers);
    } catch {
      return reply.code(401).send({ error: "invalid signature" });
    }
    handleOnce(event);
    return reply.code(204).send();
  });
});

app.get("/effects", async () => effects());
app.put("/effects", async (request, reply) => {
  failNext(request.body);
  return reply.code(204).send();
});

await app.listen({ port: Number(PORT), host: "127.0.0.1" });
