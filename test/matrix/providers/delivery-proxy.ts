import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { httpSend, type Send } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas/profiles";
import { schemeOf } from "@countersign/signatures";
import { listen } from "../../../packages/contract-kit/test/listen.ts";
import {
  withCallText,
  type Delivered,
  type DeliveryFault,
  type ProxiedAttempt,
} from "./changes.ts";

interface Route {
  readonly url: URL;
  readonly secretKey: string;
  readonly fault: DeliveryFault;
}

export interface DeliveryProxy {
  /** Subscribes the proxy instead of the receiver, so that each attempt meets the fault. */
  readonly reroute: (send: Send, fault: DeliveryFault) => Send;
  readonly close: () => Promise<void>;
}

/** Starts a proxy between a service and its receivers, which applies a fault to each attempt. */
export async function startDeliveryProxy(profile: Profile): Promise<DeliveryProxy> {
  const routes: Route[] = [];
  const senders = new Map<string, ReturnType<typeof httpSend>>();
  const sendTo = async ({ method, url, headers, body }: ProxiedAttempt): Promise<Delivered> => {
    const sender = senders.get(url.origin) ?? httpSend(url.origin, { timeoutMs: 60_000 });
    senders.set(url.origin, sender);
    return sender.send({ method, path: url.pathname, headers, body });
  };
  const scheme = schemeOf(profile.signature);

  const server = createServer((request, response) => {
    const route = routes[Number(/\d+$/.exec(request.url ?? "")?.[0])];
    void buffer(request)
      .then(async (body) => {
        if (route === undefined) throw new Error("unknown subscription");
        const { url, secretKey, fault } = route;
        const attempt = {
          method: request.method ?? "POST",
          url,
          headers: plain(request),
          body,
          secretKey,
          newestSecretKey:
            routes.findLast((one) => one.url.href === url.href)?.secretKey ?? secretKey,
          sign: (message: Parameters<typeof scheme.sign>[0], key: string = secretKey) =>
            scheme.sign(message, [key]),
        };
        return fault(attempt, sendTo);
      })
      .then(
        ({ status, headers }) => {
          const { location, "retry-after": retryAfter } = headers;
          response.writeHead(status, {
            ...(location !== undefined && { location }),
            ...(retryAfter !== undefined && { "retry-after": retryAfter }),
          });
          response.end();
        },
        // The receiver was silent, or has gone.
        () => response.destroy(),
      );
  });
  const { origin, close } = await listen(server);

  return {
    reroute: (send, fault) => (call) => {
      if (!call.path.endsWith("/subscribe")) return send(call);
      return send(
        withCallText(call, (text) => {
          const [, url = "", secretKey = ""] =
            /^\{"url":"([^"]*)","secretKey":"([^"]*)"/.exec(text) ?? [];
          // Only the kit's own addresses: an invalid URL stays invalid.
          if (!/^http:\/\/[^/]+\/place-\d+$/.test(url)) return text;
          const index = routes.push({ url: new URL(url), secretKey, fault }) - 1;
          return text.replace(url, `${origin}/${index}`);
        }),
      );
    },
    close: async () => {
      for (const sender of senders.values()) sender.close();
      await close();
    },
  };
}

function plain(request: IncomingMessage): Record<string, string> {
  const own = ["host", "connection", "content-length", "transfer-encoding"];
  return Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => !own.includes(name))
      .map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}
