import { timingSafeEqual } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { sha256Hex, type Random } from "@countersign/service/internal";
import { refuse } from "../refusals.ts";
import type { CheckRunner } from "./checks.ts";

/** Serves the inspector's page at `/inspector/`. */
export interface InspectorOptions {
  /** Folder of the page's static files; its `index.html` is the page. Default: only the page's calls are served. */
  readonly folder?: string | undefined;
  /** The bearer token of the namespace that the page shows. */
  readonly token: string;
  /** Opens the page: 128 random bits or more, new in each run, in the fragment of the printed URL. */
  readonly key: string;
  /** The one address that the page may subscribe, with its secret. Default: the page subscribes none. */
  readonly target?: { readonly url: string; readonly secret: string };
  /** Runs the checks of a receiver against `target`. Default: the page runs none. */
  readonly checks?: CheckRunner;
}

const API = "/inspector/api";
/** Bytes of the body of the call that opens a session. */
const MAX_KEY_BYTES = 1024;

// Only scripts and styles of this origin, no frame, no form, and no text that becomes markup.
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/**
 * The page's files, its session and its calls. The key of the printed URL opens the session: a cookie that no
 * script reads, and a token that no other site can send. With both, a call to `/inspector/api/…` continues as
 * the same call to `/…` with the namespace's bearer token, which no browser ever has.
 */
export class Inspector {
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #key: string;
  readonly #cookie: string;
  /** Sent in the header `x-inspector-token` by calls that change something. */
  readonly #token: string;
  readonly #bearer: string;

  constructor({ folder, token, key }: InspectorOptions, random: Random) {
    this.#files = folder === undefined ? new Map() : pageFiles(folder);
    this.#key = key;
    this.#cookie = Buffer.from(random.bytes(32)).toString("base64url");
    this.#token = Buffer.from(random.bytes(16)).toString("base64url");
    this.#bearer = `Bearer ${token}`;
  }

  /**
   * Takes a call whose path begins with `/inspector` and whose Host and Origin are guarded.
   *
   * @returns True if the call continues as a call to the service or the controls.
   * @throws {Refused} `NOT_FOUND`, `METHOD_NOT_ALLOWED`, `UNAUTHENTICATED`, `FOREIGN_ORIGIN`,
   *   `UNSUPPORTED_MEDIA_TYPE`
   */
  async take(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
    if (path.startsWith(`${API}/`)) {
      this.#admit(request, path.slice(API.length));
      return true;
    }
    if (path === "/inspector/session") await this.#openSession(request, response);
    else this.#sendFile(request, response, path);
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

  /** Answers with the token: `GET` in an open session; `POST` opens one with the key. */
  async #openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Cookies do not depend on the port, so their name does.
    const name = nameOf(request);
    const headers: Record<string, string> = {};
    if (request.method === "POST") {
      requireOwnPage(request);
      if (!isEqual(await readKey(request), this.#key)) throw refuse("UNAUTHENTICATED");
      headers["set-cookie"] =
        `${name}=${this.#cookie}; Path=/inspector/; SameSite=Strict; HttpOnly`;
    } else if (request.method !== "GET") {
      throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET, POST" } });
    } else {
      this.#requireCookie(request);
    }
    response.writeHead(200, {
      ...headers,
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.end(JSON.stringify({ token: this.#token }));
  }

  #admit(request: IncomingMessage, path: string): void {
    this.#requireCookie(request);
    if (request.method !== "GET") {
      requireOwnPage(request);
      const { "x-inspector-token": sent } = request.headers;
      if (typeof sent !== "string" || !isEqual(sent, this.#token)) throw refuse("UNAUTHENTICATED");
    }
    if (!isOffered(request.method ?? "", path)) throw refuse("NOT_FOUND");
    request.url = (request.url ?? "").slice(API.length);
    request.headers.authorization = this.#bearer;
    request.headersDistinct["authorization"] = [this.#bearer];
  }

  #requireCookie(request: IncomingMessage): void {
    const prefix = `${nameOf(request)}=`;
    const isOpen = (request.headers.cookie ?? "")
      .split("; ")
      .filter((pair) => pair.startsWith(prefix))
      .some((pair) => isEqual(pair.slice(prefix.length), this.#cookie));
    if (!isOpen) throw refuse("UNAUTHENTICATED");
  }
}

const nameOf = ({ socket }: IncomingMessage): string =>
  `countersign-inspector-${String(socket.localPort ?? 0)}`;

/** Compares digests: the duration reveals nothing about either text or its length. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(one)), Buffer.from(sha256Hex(other)));
}

/**
 * True for the calls that the page may make. Not `POST /sandbox/merchants`, whose answer has a token; not
 * subscribe, whose body names an address: `POST /sandbox/inspect/subscriptions` takes the one of the command line.
 */
function isOffered(method: string, path: string): boolean {
  if (path === "/sandbox/merchants") return method === "GET";
  if (path === "/v1/refunds" || path === "/v1/webhook/unsubscribe") return method !== "GET";
  return path.startsWith("/sandbox/") && !path.includes("//") && !path.includes("/.");
}

/** Requires the headers that browsers send with a call from a script of this origin. */
function requireOwnPage({ headers }: IncomingMessage): void {
  if (headers["sec-fetch-site"] !== "same-origin" || headers.origin !== `http://${headers.host}`) {
    throw refuse("FOREIGN_ORIGIN");
  }
  if (!/^application\/json(?:;|$)/i.test(headers["content-type"] ?? "")) {
    throw refuse("UNSUPPORTED_MEDIA_TYPE");
  }
}

async function readKey(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MAX_KEY_BYTES) throw refuse("PAYLOAD_TOO_LARGE");
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "key" in value) return String(value.key);
  } catch {
    // A body that is not JSON has no key.
  }
  return "";
}

/** A static file as it is answered. */
interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** True if its name contains a hash of its content. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Reads the page's files once, by the paths of calls: no path of a call ever reaches the file system.
 *
 * @throws {Error} The folder cannot be read, or has no `index.html`.
 */
function pageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/inspector/${name.replaceAll("\\", "/")}`;
    const isImmutable = path.startsWith("/inspector/assets/");
    files.set(path, { type, bytes: readFileSync(join(folder, name)), isImmutable });
  }
  const index = files.get("/inspector/index.html");
  if (index === undefined) throw new Error(`${folder} has no page: index.html is missing`);
  files.set("/inspector/", index);
  return files;
}
