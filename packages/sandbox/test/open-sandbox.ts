import { mkdtempSync, rmSync } from "node:fs";
import { request, type OutgoingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { onTestFinished } from "vitest";
import { openNamespace, type OpenedNamespace } from "../src/open-namespace.ts";
import { listen } from "./listen.ts";
import { startSandbox, type RunningSandbox, type SandboxOptions } from "../src/sandbox.ts";

export const TOKEN = "token-of-the-first-namespace";
export const SECRET = "a-secret-of-24-characters-or-more";

/** A body that the test knows the form of. */
export type Body = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; empty where it is none. */
  readonly body: Body;
}

export interface CallOptions {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it stands. */
  readonly text?: string;
  /** `null` sends none. Default: the first namespace's. */
  readonly token?: string | null;
  readonly headers?: OutgoingHttpHeaders;
}

export interface TestSandbox {
  readonly sandbox: RunningSandbox;
  readonly opened: OpenedNamespace;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The entries of a list call, the oldest first. */
  list(path: string, options?: CallOptions): Promise<Body[]>;
  /** Another namespace. @returns Its token. */
  addNamespace(order?: { now?: string }): Promise<string>;
  subscribe(url: string, options?: CallOptions): Promise<string>;
}

/**
 * Opens a sandbox over a new database and a real socket, with the seed 1.
 *
 * @param onEnd Takes what closes it, the last first. Default: the test's end does.
 */
export async function openSandbox(
  options: Partial<SandboxOptions> = {},
  onEnd: (end: () => void | Promise<void>) => void = onTestFinished,
): Promise<TestSandbox> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-sandbox-"));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const driver = options.driver ?? sqliteDriver(join(folder, "sandbox.db"));
  const profile = options.profile ?? profiles.standard;
  const sandbox = await startSandbox({ profile, port: 0, ...options, driver });
  onEnd(() => sandbox.close({ graceMs: 0 }));
  const opened = await openNamespace({ driver, profile, seed: 1, token: TOKEN });

  const call: TestSandbox["call"] = (method, path, sent = {}) => {
    const text = sent.json === undefined ? sent.text : JSON.stringify(sent.json);
    const { token = TOKEN } = sent;
    return send(sandbox.url, {
      method,
      path,
      text,
      headers: {
        ...(text !== undefined && { "content-type": "application/json" }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...sent.headers,
      },
    });
  };
  return {
    sandbox,
    opened,
    call,
    list: async (path, sent) => {
      const { body } = await call("GET", path, sent);
      const [entries] = Object.values(body);
      // List calls answer with one member, a list.
      return (entries as Body[]).toReversed();
    },
    addNamespace: async (order = {}) => {
      const { body } = await call("POST", "/sandbox/merchants", { json: order });
      return String(body["accessToken"]);
    },
    subscribe: async (url, sent) => {
      const json = { url, secretKey: SECRET, subscriptionDetails: { type: "ALL" } };
      const { body } = await call("POST", "/v1/webhook/subscribe", { json, ...sent });
      return String(body["subscriptionKey"]);
    },
  };
}

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly text: string | undefined;
  readonly headers: OutgoingHttpHeaders;
}

function send(url: string, { method, path, text, headers }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = request(new URL(path, url), { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const whole = Buffer.concat(chunks).toString();
        const isJson = /json/.test(response.headers["content-type"] ?? "");
        const body = isJson ? (JSON.parse(whole) as Body) : {};
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: whole,
          body,
        });
      });
    });
    sending.on("error", reject);
    sending.end(text);
  });
}

export interface Arrived {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  /** `type` of the body. */
  readonly type: string;
}

/** A merchant's receiver that answers with `statuses` in turn, the last for ever. */
export async function openReceiver(
  ...statuses: number[]
): Promise<{ url: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const url = await listen((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const headers = Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      );
      const { type } = JSON.parse(body.toString()) as { type: string };
      arrived.push({ headers, body, type });
      response.writeHead(statuses[Math.min(arrived.length, statuses.length) - 1] ?? 204).end();
    });
  });
  return { url: `${url}/webhooks`, arrived };
}

/** The code and the wrong members of a refusal. */
export function refusal({ status, body }: Answer): {
  status: number;
  code: string;
  members?: Body;
} {
  const { errorDetails, errors } = body as {
    errorDetails: { errorCode: string };
    errors?: { pointer: string; code: string }[];
  };
  const members = errors?.map(({ pointer, code }) => [pointer, code]);
  return {
    status,
    code: errorDetails.errorCode,
    ...(members && { members: Object.fromEntries(members) as Body }),
  };
}
