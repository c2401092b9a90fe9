import { clearInterval, setInterval } from "node:timers";
import type { LookupFunction } from "node:net";
import { Pool, ProxyAgent, type Dispatcher } from "undici";
import type { Answer, Transport } from "../types.ts";
import {
  guardedConnector,
  MAX_WIRE_BYTES,
  refusesHost,
  resolvingLookup,
} from "./guarded-connector.ts";
import { Posting } from "./posting.ts";

export interface UndiciTransportOptions {
  /** Milliseconds for all of one POST: resolving, connecting, sending and the whole answer. */
  readonly deadlineMs: number;
  /** Also posts to this machine's loopback addresses. Default false; the sandbox sets it. */
  readonly allowLoopback?: boolean;
  /** Connections of one merchant to one origin. Default 8. */
  readonly connections?: number;
  /** The resolver. Default: `resolvingLookup`. */
  readonly lookup?: LookupFunction;
  /**
   * `http://HOST:PORT` or `https://HOST:PORT` of a proxy for every POST. It resolves names by itself, so it must keep
   * deliveries out of private networks; a literal address is still refused here. The bytes of an
   * answer on the wire are not bounded behind it. Default: none, whatever the environment names.
   */
  readonly egressProxy?: string;
}

/** Milliseconds that a connection is kept without use, whatever its server offers; a pool is kept a little longer. */
const KEPT_MS = 10_000;

interface Connections {
  readonly dispatcher: Dispatcher;
  open: number;
  /** False once a sweep has seen it without requests. */
  isUsed: boolean;
}

/**
 * Posts over HTTP/1.1 connections that are kept and used again by the deliveries of one merchant to one origin:
 * nobody waits for another merchant's connections. Redirects are answers like any other and are not followed;
 * bodies are not decompressed; proxies of the environment are ignored.
 *
 * An answer counts when it is whole by the deadline. One beyond 64 KiB is cut there and counts by its status: what
 * follows is only for the log. It has at most 256 headers, 100 interim answers, and 128 KiB on the wire; beyond that
 * the attempt has no answer (`CS_ATTEMPT_ANSWER_MALFORMED`).
 */
export function undiciTransport(options: UndiciTransportOptions): Transport {
  const { deadlineMs, allowLoopback = false, egressProxy } = options;
  const open = dispatcherFactory(options);
  /** By merchant and origin. */
  const pools = new Map<string, Connections>();
  const places = new WeakMap<URL, { readonly origin: string; readonly path: string }>();
  const sweep = setInterval(() => {
    for (const [name, one] of pools) {
      if (one.isUsed || one.open > 0) one.isUsed = false;
      else {
        pools.delete(name);
        void one.dispatcher.close();
      }
    }
  }, KEPT_MS).unref();

  const placeOf = (url: URL): { readonly origin: string; readonly path: string } => {
    // A URL makes its parts anew at each access.
    let place = places.get(url);
    if (place === undefined) {
      place = { origin: url.origin, path: url.pathname + url.search };
      places.set(url, place);
    }
    return place;
  };
  const connectionsOf = (merchantId: string, origin: string): Connections => {
    const name = `${merchantId} ${origin}`;
    let one = pools.get(name);
    if (one === undefined) {
      one = { dispatcher: open(origin), open: 0, isUsed: true };
      pools.set(name, one);
    }
    return one;
  };
  return {
    post: ({ url, headers, body, merchantId }) =>
      new Promise<Answer>((resolve) => {
        const { origin, path } = placeOf(url);
        const connections = connectionsOf(merchantId, origin);
        connections.open += 1;
        connections.isUsed = true;
        const posting = new Posting(deadlineMs, (answer) => {
          connections.open -= 1;
          resolve(answer);
        });
        const refused = egressProxy === undefined ? undefined : refusesHost(url, { allowLoopback });
        if (refused !== undefined) {
          posting.fail(refused);
          return;
        }
        try {
          connections.dispatcher.dispatch({ origin, path, method: "POST", headers, body }, posting);
        } catch (error) {
          posting.fail(error);
        }
      }),
    close: async () => {
      clearInterval(sweep);
      await Promise.all([...pools.values()].map(({ dispatcher }) => dispatcher.destroy()));
      pools.clear();
    },
  };
}

function dispatcherFactory(options: UndiciTransportOptions): (origin: string) => Dispatcher {
  const { deadlineMs, allowLoopback = false, connections = 8, egressProxy } = options;
  const shared = {
    allowH2: false,
    connections,
    pipelining: 1,
    keepAliveMaxTimeout: KEPT_MS,
    // Not fewer: undici makes an error with a stack of each header beyond it, 150 ms for one answer.
    maxHeaderSize: MAX_WIRE_BYTES,
    // Only the posting's timer bounds all of an attempt: undici's own limits start anew with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (egressProxy !== undefined)
    return () => new ProxyAgent({ ...shared, uri: egressProxy, connectTimeout: deadlineMs });
  const lookup = options.lookup ?? resolvingLookup();
  const connect = guardedConnector({ allowLoopback, timeoutMs: deadlineMs, lookup });
  return (origin) => new Pool(origin, { ...shared, connect });
}
