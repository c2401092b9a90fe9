import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { guard, Inspector, Refused, Streams } from "@countersign/service/sandbox";
import { messageOf, systemCode } from "../failure.ts";
import { type Call, type CallOptions, pageCalls, refusal } from "./page-calls.ts";

interface PageOptions extends CallOptions {
  /** Folder of the page's files. */
  readonly folder: string | undefined;
  /** Opens the page. */
  readonly key: string;
}

/** Milliseconds between looks for what other processes have logged. */
const LOOK_MS = 1000;

/** The inspector's page over a log, for who has its key only. */
export class ListenPage {
  readonly #streams = new Streams();
  readonly #calls: Readonly<Record<string, Call>>;
  readonly #inspector: Inspector;
  readonly #timer: NodeJS.Timeout;

  constructor(options: PageOptions) {
    const { folder, key, log } = options;
    this.#calls = pageCalls(options);
    this.#inspector = new Inspector({ folder, key, token: "" });
    let version = log.version();
    this.#timer = setInterval(() => {
      const now = log.version();
      if (now !== version) this.tell();
      version = now;
    }, LOOK_MS).unref();
  }

  readonly receive: RequestListener = (request, response) => {
    this.#take(request, response).catch((error: unknown) => refuse(response, error));
  };

  /** Makes open pages read again. */
  tell(): void {
    this.#streams.news("");
  }

  /** Ends the streams of open pages. */
  close(): void {
    clearInterval(this.#timer);
    this.#streams.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    if (pathname === "/") {
      response.writeHead(302, { location: "/inspector/" }).end();
      return;
    }
    guard(request, [], { isPage: pathname === "/inspector/" });
    if (!pathname.startsWith("/inspector")) throw refusal(404, "There is nothing here.");
    if (!(await this.#inspector.take(request, response, pathname))) return;
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://page");
    if (path === "/sandbox/stream") {
      this.#streams.open("", response);
      return;
    }
    const [, id] = /\/(\d+)(?=\/|$)/.exec(path) ?? [];
    const call = this.#calls[`${request.method ?? ""} ${path.replace(/\/\d+(?=\/|$)/, "/:id")}`];
    if (call === undefined) throw refusal(404, "countersign listen has no such call.");
    const body = request.method === "GET" ? {} : await bodyOf(request);
    const answer = (await call({ query, id: Number(id), body })) ?? {};
    response.writeHead(200, HEADERS).end(JSON.stringify(answer));
  }
}

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = JSON.parse(await textOf(request));
  return { ...(value as object | null) };
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const { status, code, message } =
    error instanceof Refused
      ? error.refusal
      : { status: 500, code: systemCode(error) ?? "", message: messageOf(error) };
  const errorDetails = { errorCode: code, errorMessage: message };
  response.writeHead(status, HEADERS).end(JSON.stringify({ errorDetails }));
}
