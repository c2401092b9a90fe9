import { Agent, request } from "node:http";
import type { Profile } from "@countersign/schemas/profiles";
import type { Driver } from "@countersign/service";
import { startSandbox, type RunningSandbox } from "../../src/sandbox.ts";
import { openNamespace } from "../../src/open-namespace.ts";

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A sandbox that is called over HTTP alone and can be ended and started again over its database. */
export interface Live {
  call(
    method: "GET" | "POST" | "PUT",
    path: string,
    sent?: { token?: string; json?: unknown },
  ): Promise<Answer>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface LiveOptions {
  readonly connect: () => Driver;
  readonly profile: Profile;
}

const FIRST_TOKEN = "token-of-the-first-namespace";

export async function openLive({ connect, profile }: LiveOptions): Promise<Live> {
  let agent = new Agent({ keepAlive: true });
  const start = async (): Promise<RunningSandbox> => {
    const driver = connect();
    const sandbox = await startSandbox({ driver, profile, port: 0 });
    await openNamespace({ driver, profile, seed: 1, token: FIRST_TOKEN });
    return sandbox;
  };
  let sandbox = await start();
  const close = async (): Promise<void> => {
    agent.destroy();
    await sandbox.close({ graceMs: 1000 });
  };
  return {
    close,
    restart: async () => {
      await close();
      agent = new Agent({ keepAlive: true });
      sandbox = await start();
    },
    call: (method, path, { token = FIRST_TOKEN, json } = {}) =>
      send(new URL(path, sandbox.url), { method, token, json, agent }),
  };
}

function send(
  url: URL,
  { method, token, json, agent }: { method: string; token: string; json: unknown; agent: Agent },
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => {
        // Every answer of the sandbox is a JSON object.
        const body = JSON.parse(text) as Answer["body"];
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    sending.on("error", reject);
    sending.end(json === undefined ? undefined : JSON.stringify(json));
  });
}
