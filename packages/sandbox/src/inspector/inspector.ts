import type { IncomingMessage, ServerResponse } from "node:http";
import { refuse, type Random } from "@countersign/service";
import { refuseControl } from "../refusals.ts";
import type { InspectorOptions } from "./options.ts";
import { pageFiles, type PageFile } from "./page-files.ts";
import { Session } from "./session.ts";

const API = "/inspector/api";
/** Bytes of the body of the call that opens a session. */
const MAX_KEY_BYTES = 1024;

// Scripts and styles of this origin alone, no frame, no form, and no text that becomes markup.
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/**
 * The page's files, its session, and its calls: a call to `/inspector/api/…` with the session's cookie
 * goes on as the same call to `/…` with the namespace's token, which no browser ever holds.
 */
export class Inspector {
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #session: Session;
  readonly #bearer: string;

  constructor({ folder, token, key }: InspectorOptions, random: Random) {
    this.#files = pageFiles(folder);
    this.#session = new Session(key, random);
    this.#bearer = `Bearer ${token}`;
  }

  /**
   * Takes a call whose path begins with `/inspector` and whose Host and Origin are guarded.
   *
   * @returns Whether the call goes on, as one to the service or the controls.
   * @throws {Refused} `NOT_FOUND`, `METHOD_NOT_ALLOWED`, `UNAUTHENTICATED`, `FOREIGN_ORIGIN`,
   *   `UNSUPPORTED_MEDIA_TYPE`
   */
  async take(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    if (path === "/inspector/session") {
      await this.#openSession(request, response);
      return false;
    }
    if (path.startsWith(`${API}/`)) {
      this.#admit(request, path.slice(API.length));
      return true;
    }
    this.#sendFile(request, response, path);
    return false;
  }

  #sendFile(request: IncomingMessage, response: ServerResponse, path: string): void {
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET, HEAD" } });
    }
    if (path === "/inspector") {
      response.writeHead(308, { ...HEADERS, location: "/inspector/" }).end();
      return;
    }
    const file = this.#files.get(path);
    if (file === undefined) throw refuse("NOT_FOUND");
    response.writeHead(200, {
      ...HEADERS,
      "content-type": file.type,
      "content-length": file.bytes.length,
      "cache-control": file.isImmutable ? "max-age=31536000, immutable" : "no-store",
    });
    response.end(request.method === "HEAD" ? undefined : file.bytes);
  }

  /** GET tells an open session its token; POST opens one with the key of the printed URL. */
  async #openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers: Record<string, string> = {};
    if (request.method === "POST") {
      requireOwnPage(request);
      const sent = await readText(request);
      if (!this.#session.opensWith(keyIn(sent))) throw refuse("UNAUTHENTICATED");
      headers["set-cookie"] = this.#session.setCookie(request.socket.localPort ?? 0);
    } else if (request.method !== "GET") {
      throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET, POST" } });
    } else if (!this.#session.isOpenFor(request)) {
      throw refuse("UNAUTHENTICATED");
    }
    response.writeHead(200, {
      ...headers,
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.end(JSON.stringify({ token: this.#session.token }));
  }

  #admit(request: IncomingMessage, path: string): void {
    if (!this.#session.isOpenFor(request)) throw refuse("UNAUTHENTICATED");
    if (request.method !== "GET") {
      requireOwnPage(request);
      if (!this.#session.isMeant(request)) throw refuse("UNAUTHENTICATED");
    }
    if (!isOffered(request.method ?? "", path)) throw refuse("NOT_FOUND");
    request.url = (request.url ?? "").slice(API.length);
    request.headers.authorization = this.#bearer;
    request.headersDistinct["authorization"] = [this.#bearer];
  }
}

/**
 * What the page may call. Not `POST /sandbox/merchants`, whose answer tells a token; not subscribe,
 * whose body names an address: `POST /sandbox/inspect/subscriptions` takes the one of the command line.
 */
function isOffered(method: string, path: string): boolean {
  if (path === "/sandbox/merchants") return method === "GET";
  if (path === "/v1/refunds" || path === "/v1/webhook/unsubscribe") return method !== "GET";
  return path.startsWith("/sandbox/") && !path.includes("//") && !path.includes("/.");
}

/** A call that changes something comes from a script of this very origin, and browsers say so. */
function requireOwnPage({ headers }: IncomingMessage): void {
  if (headers["sec-fetch-site"] !== "same-origin" || headers.origin !== `http://${headers.host}`) {
    throw refuseControl("FOREIGN_ORIGIN");
  }
  if (!/^application\/json(?:;|$)/i.test(headers["content-type"] ?? "")) {
    throw refuse("UNSUPPORTED_MEDIA_TYPE");
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MAX_KEY_BYTES) throw refuse("PAYLOAD_TOO_LARGE");
  }
  return text;
}

function keyIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "key" in value) return String(value.key);
  } catch {
    // What is no JSON holds no key.
  }
  return "";
}
