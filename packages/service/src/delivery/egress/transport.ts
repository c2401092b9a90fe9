import type { LookupFunction } from "node:net";
import { Agent, ProxyAgent, type Dispatcher } from "undici";
import type { Answer, Transport } from "../types.ts";
import {
  guardedConnector,
  MAX_WIRE_BYTES,
  refusesHost,
  resolvingLookup,
} from "./guarded-connector.ts";
import { Posting } from "./posting.ts";

interface UndiciTransportOptions {
  /** Milliseconds for all of one POST: resolving, connecting, sending and the whole answer. */
  readonly deadlineMs: number;
  /** Also posts to this machine's loopback addresses. Default false; the sandbox sets it. */
  readonly allowLoopback?: boolean;
  /** The resolver. Default: `resolvingLookup`. */
  readonly lookup?: LookupFunction;
  /**
   * `http://HOST:PORT` or `https://HOST:PORT` of a proxy for every POST. It resolves names by itself, so it must keep
   * deliveries out of private networks; a literal address is still refused here. The bytes of an
   * answer on the wire are not bounded behind it. Default: none, whatever the environment names.
   */
  readonly egressProxy?: string;
}

/** Milliseconds that a connection is kept without use, whatever its server offers. */
const KEPT_MS = 10_000;

/**
 * Posts over HTTP/1.1 connections that are used again by the deliveries of one merchant to one origin: nobody waits for
 * another merchant's. Redirects are not followed, bodies not decompressed, proxies of the environment ignored: they would
 * resolve names themselves.
 */
export function undiciTransport(options: UndiciTransportOptions): Transport {
  const { deadlineMs, allowLoopback = false, egressProxy } = options;
  const open = dispatcherFactory(options);
  /** By merchant. Each forgets an origin with its last connection. */
  const dispatchers = new Map<string, Dispatcher>();
  return {
    post: ({ url, headers, body, merchantId }) =>
      new Promise<Answer>((resolve) => {
        let dispatcher = dispatchers.get(merchantId);
        if (dispatcher === undefined) dispatchers.set(merchantId, (dispatcher = open()));
        const posting = new Posting(deadlineMs, resolve);
        const refused = egressProxy === undefined ? undefined : refusesHost(url, { allowLoopback });
        if (refused !== undefined) return posting.fail(refused);
        const { origin, pathname, search } = url;
        const target = { origin, path: pathname + search, method: "POST" } as const;
        try {
          dispatcher.dispatch({ ...target, headers, body }, posting);
        } catch (error) {
          posting.fail(error);
        }
      }),
    close: async () => {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
      dispatchers.clear();
    },
  };
}

function dispatcherFactory(options: UndiciTransportOptions): () => Dispatcher {
  const { deadlineMs, allowLoopback = false, egressProxy } = options;
  const shared = {
    allowH2: false,
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
  return () => new Agent({ ...shared, connect });
}
