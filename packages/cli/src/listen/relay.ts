import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { collectBytes } from "@countersign/rules";
import { diagnose, type Diagnosis } from "@countersign/service/sandbox";
import { resultOf } from "../attempt-lines.ts";
import { type Answer, type Fields, fieldsOf, type Poster } from "../attempts.ts";
import type { AttemptLog, EventFacts, LoggedRequest } from "./attempt-log.ts";
import { maskedPath } from "./personal-members.ts";
import type { ProviderAttempts } from "./provider-attempts.ts";

/** One request to one app, as the terminal and the page show it. */
export interface Relayed {
  readonly event: EventFacts;
  /** Of the event in the log; 0 if it cannot be written. */
  readonly id: number;
  readonly url: URL;
  readonly method: string;
  readonly answer: Answer;
  readonly diagnosis: Diagnosis;
}

interface RelayOptions {
  readonly attempts: ProviderAttempts;
  /** The apps, the first of which answers unless another one refuses. */
  readonly apps: readonly URL[];
  readonly log: AttemptLog;
  readonly poster: Poster;
  /** Milliseconds that an app has for its answer. */
  readonly deadlineMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onRelayed: (relayed: Relayed) => void;
  /** Called if the log cannot be written; the provider still gets the app's answer. */
  readonly onUnlogged: (error: unknown) => void;
}

/** Largest body that is received, in bytes: GitHub, which sends the largest, stops there. */
const MAX_BODY_BYTES = 25 * 1024 * 1024;
/** Bytes of an answer that are logged. */
const LOGGED_ANSWER_BYTES = 16 * 1024;

/** Fields of one connection (RFC 9110, 7.6.1) or request, and `accept-encoding`: an answer that is logged is to be read. */
const OF_CONNECTION = new Set(
  (
    "connection keep-alive proxy-connection te trailer transfer-encoding upgrade content-length host expect " +
    "accept-encoding"
  ).split(" "),
);
/** Credentials that no log keeps. */
const CREDENTIALS = new Set("authorization proxy-authorization cookie set-cookie".split(" "));

/** Relays requests with their bytes and signatures unchanged to apps, and logs each attempt. */
export class Relay {
  readonly #options: RelayOptions;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Answers the provider's requests. */
  readonly receive: RequestListener = (request, response) => {
    this.#receive(request, response).catch(() => {
      // The sender has gone, or the log is unusable: the provider sends the event again.
      if (!response.headersSent) response.writeHead(500).end();
    });
  };

  async #receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // A stream without an encoding yields buffers.
    const chunks = incoming as AsyncIterable<Uint8Array>;
    const body = await collectBytes(chunks, MAX_BODY_BYTES);
    if (body === undefined) {
      response.writeHead(413, { connection: "close" }).end();
      return;
    }
    const { method = "POST", url: path = "/" } = incoming;
    const headers = fieldsOf(incoming.rawHeaders);
    const answers = await this.send({ method, path, headers, body }, { isOwn: false });
    const answer = answers.find(({ diagnosis }) => !diagnosis.isGood) ?? answers[0];
    if (answer === undefined) response.writeHead(500).end();
    else writeAnswer(response, answer.answer);
  }

  /** Posts a request to all apps, or to one, and logs each attempt. */
  async send(
    request: LoggedRequest,
    { isOwn, only }: { readonly isOwn: boolean; readonly only?: string },
  ): Promise<readonly Relayed[]> {
    const { attempts, apps, now, poster, deadlineMs, log, onRelayed, onUnlogged } = this.#options;
    const { method, path } = request;
    const at = now();
    const facts = attempts.factsOf(request);
    const event = method === "GET" ? { ...facts, type: "(handshake)" } : facts;
    const explanations = method === "GET" ? undefined : attempts.explain(request, at);
    const relayTo = async (url: URL): Promise<Relayed> => {
      const target = withQuery(url, path);
      const headers = without(OF_CONNECTION, request.headers);
      const sent = { ...request, headers, path: target.pathname + target.search };
      const answer = await poster.post(target, sent);
      const result = resultOf(answer, LOGGED_ANSWER_BYTES);
      const diagnosis = diagnose({ ...result, explanations }, deadlineMs / 1000);
      const relayed = { event, id: 0, url, method, answer, diagnosis };
      try {
        relayed.id = log.add(event, url.href, {
          ...result,
          at,
          isOwn,
          explanations,
          request: { ...request, path: maskedPath(path), headers: kept(request.headers) },
          answerHeaders: kept(answer.headers),
          cause: diagnosis.name,
        });
      } catch (error) {
        onUnlogged(error);
      }
      onRelayed(relayed);
      return relayed;
    };
    return Promise.all(apps.filter(({ href }) => only === undefined || href === only).map(relayTo));
  }
}

const without = (names: ReadonlySet<string>, headers: Fields): Fields =>
  headers.filter(([name]) => !names.has(name.toLowerCase()));
const kept = (headers: Fields): Fields => without(CREDENTIALS, headers);

/** The app's URL, with the query that arrived if the URL has no query. */
function withQuery(app: URL, path: string): URL {
  const query = path.split("?", 2)[1];
  if (query === undefined || app.search !== "") return app;
  const url = new URL(app);
  url.search = query;
  return url;
}

/** Answers as the app did; 502 or 504 in its place if it did not. */
function writeAnswer(response: ServerResponse, { status, error, headers, body }: Answer): void {
  if (status !== null) response.writeHead(status, without(OF_CONNECTION, headers).flat()).end(body);
  else
    response
      .writeHead(error === "CS_ATTEMPT_TIMEOUT" ? 504 : 502, { "content-type": "application/json" })
      .end(JSON.stringify({ code: error }));
}
