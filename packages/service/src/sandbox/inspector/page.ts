import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import express, { type Request, type RequestHandler, type Response } from "express";
import { writeAnswer } from "../../http/answer.ts";
import { sha256Hex } from "../../secrets/vault.ts";
import { refuse } from "../refusals.ts";
import type { Target } from "../seed.ts";
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
  readonly target?: Target;
  /** Runs the checks of a receiver against `target`. Default: the page runs none. */
  readonly checks?: CheckRunner;
}

const API = "/inspector/api";

// Only scripts and styles of this origin, no frame, no form, and no text that becomes markup.
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
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
  readonly #files: RequestHandler | undefined;
  readonly #key: string;
  readonly #cookie = randomBytes(32).toString("base64url");
  /** Sent in the header `x-inspector-token` by calls that change something. */
  readonly #token = randomBytes(16).toString("base64url");
  readonly #bearer: string;

  constructor({ folder, token, key }: InspectorOptions) {
    this.#files = folder === undefined ? undefined : filesOf(folder);
    this.#key = key;
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
    if (path === "/inspector/session") this.#openSession(request, response);
    else await this.#sendFile(request, response, path);
    return false;
  }

  async #sendFile(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET, HEAD" } });
    }
    if (path === "/inspector") {
      response.writeHead(308, { ...HEADERS, location: "/inspector/" }).end();
      return;
    }
    response.setHeaders(new Map(Object.entries(HEADERS)));
    request.url = path.slice("/inspector".length);
    await new Promise<void>((resolve, reject) => {
      response.once("close", resolve);
      const miss = (): void => reject(refuse("NOT_FOUND"));
      // It uses nothing of Express that Node does not have.
      if (this.#files === undefined) miss();
      else void this.#files(request as Request, response as Response, miss);
    });
  }

  /** Answers with the token: `GET` in an open session; `POST` opens one with the key in `x-inspector-key`. */
  #openSession(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = request;
    if (method === "GET") this.#requireCookie(request);
    else if (method === "POST") {
      requireOwnPage(request);
      requireEqual(headers["x-inspector-key"], this.#key);
      const attributes = "Path=/inspector/; SameSite=Strict; HttpOnly";
      response.setHeader("set-cookie", `${nameOf(request)}=${this.#cookie}; ${attributes}`);
    } else throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET, POST" } });
    writeAnswer(response, { status: 200, body: { token: this.#token } });
  }

  #admit(request: IncomingMessage, path: string): void {
    this.#requireCookie(request);
    if (request.method !== "GET") {
      requireOwnPage(request);
      requireEqual(request.headers["x-inspector-token"], this.#token);
    }
    if (!isOffered(request.method ?? "", path)) throw refuse("NOT_FOUND");
    request.url = (request.url ?? "").slice(API.length);
    request.headers.authorization = this.#bearer;
    request.headersDistinct["authorization"] = [this.#bearer];
  }

  #requireCookie(request: IncomingMessage): void {
    const prefix = `${nameOf(request)}=`;
    const pairs = request.headers.cookie?.split("; ") ?? [];
    const own = pairs.find((pair) => pair.startsWith(prefix));
    requireEqual(own?.slice(prefix.length), this.#cookie);
  }
}

/** The session's cookie. Cookies do not depend on the port, so their name does. */
const nameOf = ({ socket }: IncomingMessage): string =>
  `countersign-inspector-${String(socket.localPort ?? 0)}`;

/** Compares digests: the duration reveals nothing about either text or its length. */
function requireEqual(sent: string | readonly string[] | undefined, known: string): void {
  const digest = (text: string): Buffer => Buffer.from(sha256Hex(text));
  if (!timingSafeEqual(digest(String(sent)), digest(known))) throw refuse("UNAUTHENTICATED");
}

/**
 * True for the calls that the page may make. Not `POST /sandbox/merchants`, whose answer has a token; not
 * subscribe, whose body names an address: `POST /sandbox/inspect/subscriptions` takes the one of the command line.
 */
function isOffered(method: string, path: string): boolean {
  if (path === "/v1/refunds" || path === "/v1/webhook/unsubscribe") return method !== "GET";
  return /^\/sandbox\/(?!merchants$)/.test(path) && !path.includes("//") && !path.includes("/.");
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

/** Serves the files of a folder. Those in `assets` have a hash of their content in their names. */
function filesOf(folder: string): RequestHandler {
  const assets = join(folder, "assets");
  return express.static(folder, {
    redirect: false,
    etag: false,
    lastModified: false,
    setHeaders: (response, path) => {
      const isHashed = dirname(path) === assets;
      const cache = isHashed ? "max-age=31536000, immutable" : "no-store";
      response.setHeader("cache-control", cache);
    },
  });
}
