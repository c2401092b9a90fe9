// More receivers that are unusual but correct: other answers, limits and stores.
import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync } from "node:fs";
import { rmSync, writeFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { handle, once, respond, step } from "./faults/plant.mjs";

/** Claims an event by creating a file exclusively, and appends effects to a file. */
function inFiles(receiver) {
  const folder = mkdtempSync(`${tmpdir()}/receiver-`);
  const effects = `${folder}/effects`;
  writeFileSync(effects, "");
  const file = (key, state) =>
    `${folder}/${createHash("sha256").update(key).digest("hex")}.${state}`;
  receiver.store = {
    claim(key) {
      if (existsSync(file(key, "handled"))) return "handled";
      try {
        writeFileSync(file(key, "running"), key, { flag: "wx" });
        return "claimed";
      } catch {
        return "running";
      }
    },
    complete: (key) => renameSync(file(key, "running"), file(key, "handled")),
    release: (key) => rmSync(file(key, "running")),
    record: (effect) => appendFileSync(effects, `${JSON.stringify(effect)}\n`),
    list() {
      const lines = readFileSync(effects, "utf8").split("\n").slice(0, -1);
      const groups = Map.groupBy(lines, (line) => line);
      return [...groups].map(([line, { length: count }]) => ({ ...JSON.parse(line), count }));
    },
  };
}

/** Answers as a server of HTTP/1.0: without a length, and by closing the connection. */
const inHttp10 = respond(async (receiver, _next, request) => {
  // A request that its sender has cut off loses its socket.
  const { socket } = request;
  const answer = await receiver.answerTo(request).catch((error) => receiver.refused(error));
  const { status, headers = {}, body = "" } = answer;
  const { Connection: _, ...own } = headers;
  const lines = [`HTTP/1.0 ${status} ${STATUS_CODES[status]}`, "Server: BaseHTTP/0.6"];
  lines.push(...Object.entries(own).map(([name, value]) => `${name}: ${value}`));
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  socket.destroySoon();
});

function asRails(receiver) {
  step("refused")((_receiver, next, error) => {
    const { status, headers } = next(error);
    const body = `<!DOCTYPE html>\n<html lang="en"><title>Rejected (422)</title>${" ".repeat(1500)}</html>\n`;
    const type = "text/html; charset=utf-8";
    return { status: status === 401 ? 422 : status, headers, type, body };
  })(receiver);
  respond(async (_receiver, next, request, response) => {
    response.setHeader("X-Request-Id", randomUUID());
    response.setHeader("X-Runtime", (Math.random() / 100).toFixed(6));
    response.setHeader("Set-Cookie", `_shop_session=${randomUUID()}; Path=/; HttpOnly`);
    response.setHeader("Cache-Control", "no-cache");
    return next(request, response);
  })(receiver);
}

export const unusualAnswers = {
  "github already_reported | Answers 201 with a Location to an event, and 208 with a message to a duplicate.":
    (planted) => {
      let entries = 0;
      once(async (receiver, next, event) => {
        const isDuplicate = receiver.store.handled.has(receiver.key(event));
        const answer = await next(event);
        if (answer.status !== 200) return answer;
        if (isDuplicate) return { status: 208, body: '{"message":"Already reported."}' };
        entries += 1;
        return { status: 201, headers: { Location: `/journal/${entries}` } };
      })(planted);
    },
  "shopify files | Claims an event by creating a file exclusively, and appends effects to another.":
    inFiles,
  "twilio slow | Takes a second for each event.": handle(async (_receiver, next, event) => {
    await sleep(1000);
    return next(event);
  }),
  "paddle http10 | Answers in HTTP/1.0 without a length, and closes the connection.": inHttp10,
  "openai four_at_once | Runs four handlers at most, and answers 503 with Retry-After to other attempts.":
    (planted) => {
      let running = 0;
      once(async (receiver, next, event) => {
        if (running === 4) return receiver.failed();
        running += 1;
        return next(event).finally(() => (running -= 1));
      })(planted);
    },
  "stripe as_rails | Answers as Rails does, with a cookie, the time that it took, and 422 with a page of HTML to forgeries.":
    asRails,
};
