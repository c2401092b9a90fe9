import type { LookupFunction } from "node:net";
import { Agent, ProxyAgent, type Dispatcher } from "undici";
import { guardedConnector, refusesHost } from "./guarded-connector.ts";
import { Posting } from "./posting.ts";
import { resolvingLookup } from "./resolving-lookup.ts";
import type { Answer, Transport } from "./transport.ts";

export interface UndiciTransportOptions {
  /** Milliseconds for all of one POST: resolving, connecting, sending and the whole answer. */
  readonly deadlineMs: number;
  /** Also posts to this machine's loopback addresses. Default false; the sandbox sets it. */
  readonly allowLoopback?: boolean;
  /** Connections kept to one origin. Default 64. */
  readonly connectionsPerOrigin?: number;
  /** The resolver. Default: `resolvingLookup`. */
  readonly lookup?: LookupFunction;
  /**
   * `http://HOST:PORT` or `https://HOST:PORT` of a proxy that every POST goes through. It resolves names
   * by itself, so keeping deliveries out of private networks is its affair then; a literal address is still
   * refused here. An answer's lines and its bytes on the wire are not bounded behind it. Default: none, whatever
   * the environment names.
   */
  readonly egressProxy?: string;
}

/** Milliseconds that a connection is kept without use, whatever its server offers. */
const KEPT_MS = 10_000;
/** Bytes of an answer's head. */
const MAX_HEAD_BYTES = 8 * 1024;

/**
 * Posts over HTTP/1.1 connections that are kept and used again. Redirects are answers like any other
 * and are not followed; bodies are not decompressed; proxies of the environment are ignored.
 *
 * An answer counts when it is whole by the deadline. One beyond 64 KiB is cut there and counts by its
 * status: the receiver has said it, and what follows is only for the log. Its head has 8 KiB and 256 lines at
 * most, those of interim answers included, and all of it 80 KiB on the wire; beyond that there is no answer
 * (`CS_ATTEMPT_ANSWER_MALFORMED`).
 *
 * An origin costs something while it is posted to and some seconds more.
 */
export function undiciTransport(options: UndiciTransportOptions): Transport {
  const { deadlineMs, allowLoopback = false, egressProxy } = options;
  const agent = agentOf(options);
  const places = new WeakMap<URL, Place>();
  return {
    post: ({ url, headers, body }) =>
      new Promise<Answer>((settle) => {
        const posting = new Posting(deadlineMs, settle);
        const refused = egressProxy === undefined ? undefined : refusesHost(url, { allowLoopback });
        if (refused !== undefined) {
          posting.fail(refused);
          return;
        }
        try {
          agent.dispatch({ ...placeOf(url, places), method: "POST", headers, body }, posting);
        } catch (error) {
          posting.fail(error);
        }
      }),
    close: () => agent.destroy(),
  };
}

interface Place {
  readonly origin: string;
  readonly path: string;
}

/** A URL makes its parts anew each time that it is asked for one. */
function placeOf(url: URL, places: WeakMap<URL, Place>): Place {
  let place = places.get(url);
  if (place === undefined) {
    place = { origin: url.origin, path: url.pathname + url.search };
    places.set(url, place);
  }
  return place;
}

function agentOf(options: UndiciTransportOptions): Dispatcher {
  const { deadlineMs, allowLoopback = false, connectionsPerOrigin = 64, egressProxy } = options;
  const shared = {
    allowH2: false,
    connections: connectionsPerOrigin,
    pipelining: 1,
    keepAliveMaxTimeout: KEPT_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    // Only the posting's timer bounds all of an attempt: undici's own limits start anew with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (egressProxy !== undefined) {
    return new ProxyAgent({ ...shared, uri: egressProxy, connectTimeout: deadlineMs });
  }
  const lookup = options.lookup ?? resolvingLookup();
  return new Agent({
    ...shared,
    connect: guardedConnector({ allowLoopback, timeoutMs: deadlineMs, lookup }),
  });
}
