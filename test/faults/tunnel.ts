import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type HttpCall, httpSend } from "@countersign/contract-kit";
import type { Profile } from "@countersign/schemas/profiles";
import { signerOf } from "@countersign/service";
import type { Fault } from "../../packages/contract-kit/test/provider/open-target.ts";
import { type AttemptFault, edited } from "./edits.ts";

/** The hop-by-hop headers, and those that the next sender adds. */
const HOP = new Set(["host", "connection", "keep-alive", "transfer-encoding", "content-length"]);

interface Tunnel {
  /** Leads the attempts of a subscription through the tunnel. */
  readonly redirect: Fault;
  readonly close: () => void;
}

/** Opens a server on loopback between a service and the kit's receiver, which changes the attempts. */
export async function openTunnel(profile: Profile, change: AttemptFault): Promise<Tunnel> {
  const signer = signerOf(profile);
  /** Secrets of the subscriptions of each address. */
  const secrets = new Map<string, Set<string>>();
  const senders = new Map<string, ReturnType<typeof httpSend>>();

  const signed = (attempt: HttpCall, secretKey: string): HttpCall => {
    const { headers, body = "" } = attempt;
    const id = headers["webhook-id"] ?? "";
    const message = {
      id,
      timestamp: Number(headers["webhook-timestamp"]),
      body: Buffer.from(body),
    };
    return { ...attempt, headers: { ...headers, ...signer(message, secretKey) } };
  };
  const secretOf = (address: string, attempt: HttpCall): string => {
    const own = attempt.headers["webhook-signature"];
    const all = [...(secrets.get(address) ?? [])];
    return all.find((one) => signed(attempt, one).headers["webhook-signature"] === own) ?? "";
  };
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, port = "", path = ""] = /^\/(\d+)(\/.*)$/s.exec(request.url ?? "") ?? [];
    const sender = senders.get(port) ?? httpSend(`http://127.0.0.1:${port}`, { timeoutMs: 60_000 });
    senders.set(port, sender);
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      HOP.has(name) ? [] : [[name, String(value)] as const],
    );
    const body = await buffer(request);
    const attempt = { method: "POST", path, headers: Object.fromEntries(headers), body };
    const secretKey = secretOf(`${port}${path.replace(/\?.*/s, "")}`, attempt);
    const sign = (one: HttpCall, other = secretKey): HttpCall => signed(one, other);
    const answer = await change(attempt, sender.send, sign, secretKey);
    const back = Object.entries(answer.headers).filter(([name]) => !HOP.has(name));
    response.writeHead(answer.status, Object.fromEntries(back)).end(answer.body);
  };

  const server = createServer((request, response) => {
    // A receiver that ends the connection does so to the service.
    forward(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port: own } = server.address() as AddressInfo;
  return {
    redirect: (call, next) => {
      if (call.path !== "/v1/webhook/subscribe" || call.body === undefined) return next(call);
      const body = edited(call.body, ({ url, secretKey }) => {
        if (typeof url !== "string" || typeof secretKey !== "string") return undefined;
        const [, address, query = ""] =
          /^http:\/\/127\.0\.0\.1:(\d+\/endpoint-\d+)(\?.*)?$/s.exec(url) ?? [];
        if (address === undefined) return undefined;
        secrets.set(address, (secrets.get(address) ?? new Set()).add(secretKey));
        return { url: `http://127.0.0.1:${own}/${address}${query}` };
      });
      return next({ ...call, body });
    },
    close: () => {
      for (const { close } of senders.values()) close();
      server.closeAllConnections();
      server.close();
    },
  };
}
