// A child process: a receiver on node:http by hand that breaks no requirement, for the faults of `receiver-faults.jsonl`.
// It shares nothing with `@countersign/receiver`, so that the kit is not judged by our own code.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { listen } from "../../packages/contract-kit/test/listen.ts";
import { makeEffects } from "../../packages/contract-kit/test/receiver/make-effects.ts";

const MAX_BODY_BYTES = 2 ** 20;
const BODY_MS = 5000;
const MAX_DEPTH = 16;
const TOLERANCE_SECONDS = 300;
/** Duration of the handler, during which the event is in progress. */
const HANDLER_MS = 15;
const HANDLER_LIMIT_MS = 1500;
/** Handlers that run at once. */
const MAX_RUNNING = 32;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The members that every type of event has. */
interface Happening {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const ok: Answer = { status: 204 };
const RETRY = { "retry-after": "1" };
const secrets = JSON.parse(process.argv[2] ?? "") as readonly string[];
const keys = secrets.map((secret) => Buffer.from(secret.replace("whsec_", ""), "base64"));
const schemas = readSchemas();
const effects = makeEffects({ handlerMs: HANDLER_MS });
const inbox = new Map<string, { readonly at: "running" | "handled"; readonly body: Buffer }>();
let running = 0;

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
const { origin } = await listen(server);
process.once("disconnect", () => process.exit());
process.send?.({ url: `${origin}/webhooks`, effectsUrl: `${origin}/effects` });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/effects") return effects.answer(request, response);
  const said = await receive(request);
  response.writeHead(said.status, said.headers).end(said.body);
}

/** A refusal that contains only a code, so that strangers learn nothing else. */
function refusal(status: number, code: string, headers: Answer["headers"] = {}): Answer {
  const type = { "content-type": "application/json" };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify({ code }) };
}

/** Headers → body → signature → event → inbox → handler. */
async function receive(request: IncomingMessage): Promise<Answer> {
  if (request.method !== "POST") return refusal(405, "method", { allow: "POST" });
  const early = judgeHeaders(request);
  if (early !== undefined) return early;
  const body = await Promise.race([
    readBody(request),
    setTimeout(BODY_MS, "late" as const, { ref: false }),
  ]);
  if (body === "late") return refusal(408, "slow", { connection: "close" });
  if (!Buffer.isBuffer(body)) return body;

  const reason = verify(request, body);
  if (reason !== undefined) return refusal(401, "signature");
  let event: Happening;
  try {
    event = readEvent(body);
  } catch {
    return refusal(400, "body");
  }
  if (event.id !== headerOf(request, "webhook-id")) return refusal(400, "id");
  if (schemas.get(event.type)?.(event) === false) return refusal(422, "schema");
  return handleOnce(event.id, event, body);
}

/** Refuses by the headers only, before the body is read. */
function judgeHeaders(request: IncomingMessage): Answer | undefined {
  const codings = valuesOf(request, "content-encoding");
  if (codings.some((one) => one.toLowerCase() !== "identity")) return refusal(415, "encoding");
  const types = valuesOf(request, "content-type");
  const isJson = types.length === 1 && /^application\/json\s*(;|$)/i.test(types[0] ?? "");
  return isJson ? undefined : refusal(415, "media_type");
}

/** Returns every value of a header, in the order of arrival. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

/** A header's only value; undefined if it is absent or repeated. */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const values = valuesOf(request, name);
  return values.length === 1 ? values[0] : undefined;
}

async function readBody(request: IncomingMessage): Promise<Buffer | Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // An early answer must leave the connection open.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) return refusal(413, "too_large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Returns the reason why an attempt is refused, or undefined if it is genuine by Standard Webhooks `v1`. */
function verify(request: IncomingMessage, body: Buffer): string | undefined {
  const id = headerOf(request, "webhook-id") ?? "";
  const timestamp = headerOf(request, "webhook-timestamp") ?? "";
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(id)) return "id";
  if (!/^(0|[1-9]\d{0,11})$/.test(timestamp)) return "timestamp";
  const candidates = (headerOf(request, "webhook-signature") ?? "")
    .split(" ")
    .filter((token) => token.startsWith("v1,"))
    .map((token) => token.slice(3));
  const isGenuine = keys.some((key) => {
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    return candidates.some((given) => isSame(digest, given));
  });
  if (!isGenuine) return "signature";
  const age = Math.floor(Date.now() / 1000) - Number(timestamp);
  return Math.abs(age) > TOLERANCE_SECONDS ? "time" : undefined;
}

function isSame(digest: Buffer, given: string): boolean {
  const bytes = Buffer.from(given, "base64");
  if (bytes.toString("base64") !== given) return false;
  return bytes.length === digest.length && timingSafeEqual(bytes, digest);
}

/** @throws {Error} The bytes are not UTF-8 or JSON, or JSON that two readers may read differently. */
function readEvent(body: Buffer): Happening {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  const value: unknown = JSON.parse(text);
  const open: Set<string>[] = [];
  // The text is JSON by now: a string before a colon names a member.
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      const names = open.at(-1);
      if (names?.has(name)) throw new Error("a member is repeated");
      names?.add(name);
    }
    if (open.length > MAX_DEPTH) throw new Error("too deep");
  }
  if (!isHappening(value)) throw new Error("not an event");
  return value;
}

function isHappening(value: unknown): value is Happening {
  if (typeof value !== "object" || value === null) return false;
  const { id, type, timestamp, data } = value as Record<string, unknown>;
  const texts = [id, type, timestamp].every((one) => typeof one === "string" && one !== "");
  return texts && typeof data === "object" && data !== null;
}

/** The readers' schemas by event, through another validator than ours: a fault of ours would excuse itself. */
function readSchemas(): ReadonlyMap<string, ValidateFunction> {
  const ajv = new Ajv2020({ validateFormats: false });
  const documents = new URL("../../schemas/reader/", import.meta.url);
  const ids = ["resources", "events"].flatMap((folder) =>
    readdirSync(new URL(folder, documents)).map((name) => {
      const text = readFileSync(new URL(`${folder}/${name}`, documents), "utf8");
      const schema = JSON.parse(text) as { readonly $id: string };
      ajv.addSchema(schema);
      return [name.replace(".schema.json", ""), schema.$id] as const;
    }),
  );
  return new Map(
    ids
      .filter(([name]) => name.includes("."))
      .map(([type, id]) => [type, ajv.getSchema(id) as ValidateFunction]),
  );
}

async function handleOnce(key: string, event: Happening, body: Buffer): Promise<Answer> {
  const known = inbox.get(key);
  if (known !== undefined) {
    if (!known.body.equals(body)) return refusal(409, "id_reused");
    return known.at === "handled" ? ok : refusal(409, "in_progress", RETRY);
  }
  if (running >= MAX_RUNNING) return refusal(503, "busy", RETRY);
  inbox.set(key, { at: "running", body });
  running += 1;
  try {
    const late = setTimeout(HANDLER_LIMIT_MS, "late", { ref: false });
    if ((await Promise.race([effects.handle(event), late])) === "late")
      throw new Error("the handler takes too long");
  } catch {
    inbox.delete(key);
    return refusal(503, "failed", RETRY);
  } finally {
    running -= 1;
  }
  inbox.set(key, { at: "handled", body });
  return ok;
}
