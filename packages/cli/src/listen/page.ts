import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { guard, Inspector, Refused, Streams } from "@countersign/service/sandbox";
import { systemCode } from "../failure.ts";
import { deliveryShown, eventShown, rowShown } from "./shown.ts";
import type { AttemptLog, LoggedAttempt } from "./attempt-log.ts";
import type { ProviderAttempts } from "./provider-attempts.ts";
import type { Relay } from "./relay.ts";

export interface PageOptions {
  /** Folder of the page's files. */
  readonly folder: string | undefined;
  /** Opens the page. */
  readonly key: string;
  readonly log: AttemptLog;
  readonly attempts: ProviderAttempts;
  readonly apps: readonly URL[];
  readonly relay: Relay;
  /** True if the document is one of the book. */
  readonly isBuiltIn: boolean;
  /** The address that the provider's requests arrive at. */
  readonly address: () => string;
  readonly deadlineMs: number;
  readonly now: () => number;
}

/** Answers a call of the page with JSON. */
type Call = (call: {
  readonly query: URLSearchParams;
  /** The last part of the path. */
  readonly id: number;
  readonly body: Readonly<Record<string, unknown>>;
}) => unknown;

/** Refuses a call, with a sentence for the page. */
const refusal = (status: number, message: string): Refused =>
  new Refused({ status, code: "", message });

/** Largest number of deliveries that one call resends. */
const MAX_RESENT = 1000;
/** Milliseconds between looks for what other processes have logged. */
const LOOK_MS = 1000;

/** Serves the inspector's page over a log, on loopback and to who has its key only. */
export class ListenPage {
  readonly #options: PageOptions;
  readonly #streams = new Streams();
  readonly #calls: Readonly<Record<string, Call>>;

  constructor(options: PageOptions) {
    this.#options = options;
    this.#calls = this.#createCalls();
  }

  createServer(): Server {
    const { folder, key, log } = this.#options;
    const inspector = new Inspector({ folder, key, token: "" });
    const server = createServer((request, response) => {
      this.#take(inspector, request, response).catch((error: unknown) => refuse(response, error));
    });
    let version = log.version();
    const timer = setInterval(() => {
      const now = log.version();
      if (now !== version) this.tell();
      version = now;
    }, LOOK_MS).unref();
    return server.on("close", () => clearInterval(timer));
  }

  /** Makes open pages read again. */
  tell(): void {
    this.#streams.news("");
  }

  /** Ends the streams of open pages. */
  close(): void {
    this.#streams.close();
  }

  async #take(
    inspector: Inspector,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    if (pathname === "/") {
      response.writeHead(302, { location: "/inspector/" }).end();
      return;
    }
    guard(request, [], { isPage: pathname === "/inspector/" });
    if (!pathname.startsWith("/inspector")) throw refusal(404, "There is nothing here.");
    if (!(await inspector.take(request, response, pathname))) return;
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
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(answer));
  }

  #createCalls(): Readonly<Record<string, Call>> {
    const { log, attempts, apps, relay, deadlineMs, now } = this.#options;
    const { provider, maker } = attempts;
    const lastOf = (deliveryId: unknown): { url: string; last: LoggedAttempt } => {
      const delivery = log.delivery(Number(deliveryId));
      const last = delivery && log.attemptsOf(delivery.deliveryId).at(-1);
      if (delivery === undefined || last === undefined)
        throw refusal(404, "The log has no such delivery.");
      if (delivery.provider !== provider.name)
        throw refusal(
          409,
          `Run countersign listen --provider ${delivery.provider} to send it: this one has the secret of ${provider.title} only.`,
        );
      return { url: delivery.url, last };
    };
    const resend = async (deliveryId: unknown): Promise<void> => {
      const { url, last } = lastOf(deliveryId);
      await relay.send(attempts.signedAgain(last.request, now()), { isOwn: true, only: url });
    };
    return {
      "GET /sandbox/inspect": () => ({
        mode: "listen",
        provider: { ...provider, catalogue: undefined },
        address: this.#options.address(),
        providers: log.values("provider"),
        causes: log.values("cause"),
        types: log.values("type"),
        events: (provider.catalogue ?? []).map(({ type, category = "" }) => ({
          type,
          category,
        })),
        endpoints: apps.map(({ href }) => href),
        fingerprint: attempts.fingerprint ?? null,
        canSign: maker !== undefined,
        isBuiltIn: this.#options.isBuiltIn,
        scheduleSeconds: [],
        target: null,
        envelope: { data: "" },
        businessDays: 0,
        faultRoutes: [],
        hasPayments: false,
      }),
      "GET /sandbox/inspect/events": ({ query }) => {
        const limit = Math.min(Number(query.get("limit") ?? 50) || 50, 200);
        const before = Number(query.get("before")) || undefined;
        const rows = log.list(query, { limit, before });
        const last = rows.length === limit ? String(rows.at(-1)?.deliveryId ?? "") : null;
        return {
          rows: rows.map(rowShown),
          counts: log.counts(query),
          total: log.total(),
          before: last,
        };
      },
      "GET /sandbox/inspect/events/:id": ({ id, query }) => {
        const [first, ...more] = log.deliveriesOf(id);
        if (first === undefined)
          throw refusal(404, "The log has no such event; it keeps the latest ones.");
        const isOpen = query.get("reveal") === "true";
        const deliveries = [first, ...more].map((row) =>
          deliveryShown(row, log.attemptsOf(row.deliveryId), {
            deadlineSeconds: deadlineMs / 1000,
            isOpen,
          }),
        );
        const [attempt] = log.attemptsOf(first.deliveryId).slice(-1);
        return { event: eventShown(first, attempt, { attempts, isOpen }), deliveries };
      },
      "POST /sandbox/deliveries/:id/replay": ({ id }) => resend(id),
      "POST /sandbox/inspect/resend": async ({ body: { query } }) => {
        const chosen = log.list(new URLSearchParams(String(query)), { limit: MAX_RESENT });
        // oxlint-disable-next-line no-await-in-loop -- in the order of the list
        for (const { deliveryId } of chosen) await resend(deliveryId);
        return { count: chosen.length };
      },
      "POST /sandbox/events": async ({ body: { type, deliveryId, text } }) => {
        const base =
          deliveryId === undefined ? attempts.made(String(type)) : lastOf(deliveryId).last.request;
        const request =
          typeof text === "string" && base !== undefined
            ? attempts.signedCopy(base, text, now())
            : base;
        if (request === undefined)
          throw refusal(
            409,
            "This secret cannot sign: start countersign listen with the secret that the provider signs with.",
          );
        const [sent] = await relay.send(request, { isOwn: true });
        return { id: String(sent?.id ?? "") };
      },
      "GET /sandbox/inspect/bodies/:id": ({ id }) => ({
        text: Buffer.from(lastOf(id).last.request.body).toString(),
      }),
      "POST /sandbox/inspect/samples": ({ body: { type } }) => ({
        body: Buffer.from(attempts.made(String(type))?.body ?? "").toString(),
      }),
      "POST /sandbox/inspect/signatures": ({ body: { deliveryId, attempt, reveal } }) => {
        const made = log.attemptsOf(Number(deliveryId)).find(({ number }) => number === attempt);
        if (made === undefined) throw refusal(404, "The log has no such attempt.");
        return attempts.steps(made.request, { at: made.at, isOpen: reveal === true });
      },
      "POST /sandbox/inspect/signatures/now": ({ body: { deliveryId } }) => {
        const { url, last } = lastOf(deliveryId);
        const { headers, body } = attempts.signedAgain(last.request, now());
        return { url, headers: Object.fromEntries(headers), body: Buffer.from(body).toString() };
      },
      "GET /sandbox/inspect/search": ({ query }) => ({
        hits: log
          .list(new URLSearchParams({ q: query.get("q") ?? "" }), { limit: 5 })
          .map(({ id, type, eventId }) => ({
            kind: "event",
            id: String(id),
            title: `${type} ${eventId}`,
          })),
      }),
    };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = JSON.parse(await textOf(request));
  return { ...(value as object | null) };
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const { status, code, message } =
    error instanceof Refused
      ? error.refusal
      : {
          status: 500,
          code: systemCode(error) ?? "",
          message: error instanceof Error ? error.message : String(error),
        };
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ errorDetails: { errorCode: code, errorMessage: message } }));
}
