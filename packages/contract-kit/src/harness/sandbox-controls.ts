import type { Send } from "../http.ts";
import type { ProviderControls, ProviderTarget, Watch } from "../target.ts";

export interface SandboxOptions {
  /** Base URL of the sandbox, where `/sandbox/` stands. */
  readonly url: string;
  readonly send: Send;
  readonly token: () => Promise<string>;
  readonly profile: ProviderTarget["profile"];
  /** The interface's base URL and sender, where they are others. Default: the sandbox's. */
  readonly interface?: { readonly url: string; readonly send: Send };
  /** What deliveries reach the kit by, and further of `ProviderTarget`. */
  readonly receiver?: ProviderTarget["receiver"];
  readonly client?: ProviderTarget["client"];
  readonly other?: ProviderTarget["other"];
  readonly slow?: boolean;
}

/** A sandbox, or a service that speaks its controls, as a target. */
export function sandboxTarget(options: SandboxOptions): ProviderTarget {
  const { url, send } = options.interface ?? options;
  const { token, profile, receiver, client, other, slow = false } = options;
  return {
    role: "provider",
    url,
    send,
    token,
    profile,
    slow,
    ...(receiver && { receiver }),
    ...(client && { client }),
    ...(other && { other }),
    controls: (watch) => sandboxControls(options, watch),
  };
}

/** The controls of a sandbox, over HTTP and with no inside knowledge. */
function sandboxControls(options: SandboxOptions, watch: Watch): ProviderControls {
  const send = watch(options.send, options.url);
  const call = async (method: string, path: string, json: unknown = {}): Promise<Members> => {
    const answer = await send({
      method,
      path: `/sandbox${path}`,
      headers: {
        authorization: `Bearer ${await options.token()}`,
        ...(method !== "GET" && { "content-type": "application/json" }),
      },
      ...(method !== "GET" && { body: typeof json === "string" ? json : JSON.stringify(json) }),
    });
    const text = Buffer.from(answer.body).toString();
    if (answer.status >= 300)
      throw new Error(`${method} /sandbox${path} → ${answer.status} ${text}`);
    // Every control answers with an object.
    return JSON.parse(text) as Members;
  };
  const member = (members: Members, name: string): string => {
    const value = members[name];
    if (typeof value !== "string") throw new Error(`a control's answer has no ${name}`);
    return value;
  };
  return {
    payments: {
      create: async (amountCents) => {
        const customerId = member(await call("POST", "/customers"), "id");
        await call("POST", `/customers/${customerId}/link`);
        // The amount is written as text: a double would not hold every cent.
        const value = `${String(amountCents / 100n)}.${String(amountCents % 100n).padStart(2, "0")}`;
        const body = `{"customerId":"${customerId}","amount":{"currency":"USD","value":${value}}}`;
        const paymentId = member(await call("POST", "/payments", body), "paymentId");
        await call("POST", `/payments/${paymentId}/authorize`);
        return { paymentId, customerId };
      },
      settle: async (paymentId, settledAt) => {
        await call("POST", `/payments/${paymentId}/settle`, { settledAt: new Date(settledAt) });
      },
      fail: async (paymentId) => {
        await call("POST", `/payments/${paymentId}/fail`);
      },
      cover: async (paymentId) => {
        await call("POST", `/payments/${paymentId}/cover`);
      },
    },
    clock: {
      now: async () => Date.parse(member(await call("GET", "/clock"), "now")),
      advance: async (ms) => {
        await call("PUT", "/clock", { advance: `PT${(ms / 1000).toFixed(3)}S` });
      },
    },
    events: {
      emit: async (type) => member(await call("POST", "/events", { type }), "id"),
      subscriptionsOf: async (eventId) => {
        const { deliveries } = await call("GET", `/deliveries?limit=1000&eventId=${eventId}`);
        // The list call answers with deliveries, each of one subscription.
        return (deliveries as Members[]).map((one) => member(one, "subscriptionKey"));
      },
      // Port 9 takes no connection: what is delivered there ends at once.
      callbackUrl: "http://127.0.0.1:9/webhooks",
    },
    merchant: async () => {
      const made = await call("POST", "/merchants");
      const accessToken = member(made, "accessToken");
      const { other: _, ...rest } = options;
      return sandboxTarget({
        ...rest,
        token: () => Promise.resolve(accessToken),
        client: { id: member(made, "clientId"), secret: member(made, "clientSecret") },
      });
    },
  };
}

type Members = Readonly<Record<string, unknown>>;
