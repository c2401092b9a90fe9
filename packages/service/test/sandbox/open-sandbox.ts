import { Agent, request, type OutgoingHttpHeaders, type RequestOptions } from "node:http";
import { join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { openNamespace, type OpenedNamespace } from "../../src/sandbox/seed.ts";
import {
  serveSandbox,
  type RunningSandbox,
  type SandboxOptions,
} from "../../src/sandbox/sandbox.ts";
import { listen } from "./listen.ts";
import { temporaryFolder, type AtEnd } from "../../../../test/temporary-folder.ts";

export const TOKEN = "token-of-the-first-namespace";
export const SECRET = "a-secret-of-24-characters-or-more";
export const START = "2026-03-02T15:00:00.000Z";

/** A body that the test knows the form of. */
export type Body = Record<string, unknown>;
export const usd = (value: number): Body => ({ currency: "USD", value });

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; empty if it is not JSON. */
  readonly body: Body;
}

export interface CallOptions {
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly text?: string;
  /** `null` sends none. Default: the namespace's. */
  readonly token?: string | null;
  readonly headers?: OutgoingHttpHeaders;
}

export type TestSandbox = Awaited<ReturnType<typeof openSandbox>>;

/**
 * Opens a sandbox over a new database and a real socket, with the seed 1.
 *
 * @param onEnd Takes what closes it, the last first. Default: the test's end does.
 */
export async function openSandbox(
  options: Partial<SandboxOptions> = {},
  onEnd: AtEnd = onTestFinished,
) {
  return (await openSandboxes(options, onEnd))();
}

/** Opens one sandbox for a file's tests. @returns Gives each test its own seeded namespace. */
export function shareSandbox(options: Partial<SandboxOptions> = {}): () => Promise<TestSandbox> {
  const ends: (() => void | Promise<void>)[] = [];
  let next: () => Promise<TestSandbox>;
  beforeAll(async () => {
    next = await openSandboxes(options, (end) => ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => next();
}

async function openSandboxes(options: Partial<SandboxOptions>, onEnd: AtEnd) {
  const driver = options.driver ?? sqliteDriver(join(temporaryFolder(onEnd), "sandbox.db"));
  const profile = options.profile ?? profiles.standard;
  const sandbox = await serveSandbox({ profile, port: 0, ...options, driver });
  onEnd(() => sandbox.close({ graceMs: 0 }));
  const agent = new Agent({ keepAlive: true });
  onEnd(() => agent.destroy());
  let seed = 0;
  return async () => {
    seed += 1;
    const token = seed === 1 ? TOKEN : `token-of-the-namespace-${seed}`;
    const opened = await openNamespace(sandbox.service.context, { seed, token });
    // Absent only if the database was seeded before.
    const seeded = opened.seeded as Parts["seeded"];
    return testSandbox({ sandbox, agent, token, seeded, merchantId: opened.merchant.id });
  };
}

interface Parts {
  readonly sandbox: RunningSandbox;
  readonly seeded: NonNullable<OpenedNamespace["seeded"]>;
  readonly merchantId: string;
  readonly token: string;
  readonly agent: Agent;
}

function testSandbox({ sandbox, seeded, merchantId, token: own, agent }: Parts) {
  const call = (method: string, path: string, sent: CallOptions = {}): Promise<Answer> => {
    const text = sent.json === undefined ? sent.text : JSON.stringify(sent.json);
    const { token = own } = sent;
    const headers = {
      ...(text !== undefined && { "content-type": "application/json" }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...sent.headers,
    };
    return send(new URL(path, sandbox.url), { method, headers, agent }, text);
  };
  const post = (path: string, json?: object, token = own) =>
    call("POST", path, { ...(json && { json }), token });
  return {
    sandbox,
    seeded,
    merchantId,
    /** The token of its namespace, which calls have by default. */
    token: own,
    call,
    post,
    move: (json: object, token = own) => call("PUT", "/sandbox/clock", { json, token }),
    emit: (type = "customer.created", token?: string) => post("/sandbox/events", { type }, token),
    /** The entries of a list call, the oldest first. */
    list: async (path: string, token = own): Promise<Body[]> => {
      const { body } = await call("GET", path, { token });
      const [entries] = Object.values(body);
      // List calls answer with one member, a list.
      return (entries as Body[]).toReversed();
    },
    /** Another namespace. @returns Its token. */
    addNamespace: async (now?: string): Promise<string> =>
      String((await post("/sandbox/merchants", { ...(now && { now }) })).body["accessToken"]),
    subscribe: async (url: string, token?: string): Promise<string> => {
      const json = { url, secretKey: SECRET, subscriptionDetails: { type: "ALL" } };
      const { body } = await post("/v1/webhook/subscribe", json, token);
      return String(body["subscriptionKey"]);
    },
    /** Asks for a refund of a dollar, of the settled payment. */
    refund: (requestKey: string, paymentId = seeded.payments.settled, token = own) =>
      post("/v1/refunds", { paymentId, amount: usd(1), requestKey }, token),
  };
}

function send(url: URL, options: RequestOptions, text: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        const whole = Buffer.concat(chunks).toString();
        const isJson = /json/.test(headers["content-type"] ?? "");
        const body = isJson ? (JSON.parse(whole) as Body) : {};
        resolve({ status, headers, text: whole, body });
      });
    });
    sending.on("error", reject);
    sending.end(text);
  });
}

export interface Arrived {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly type: string;
}

/** Opens a merchant's receiver that answers with `statuses` in turn, the last for ever. */
export async function openReceiver(...statuses: number[]) {
  const arrived: Arrived[] = [];
  const url = await listen((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const entries = Object.entries(incoming.headers);
      const headers = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
      const { type } = JSON.parse(body.toString()) as { type: string };
      arrived.push({ path: incoming.url ?? "", headers, body, type });
      response.writeHead(statuses[Math.min(arrived.length, statuses.length) - 1] ?? 204).end();
    });
  });
  const hasArrived = async (count: number): Promise<void> =>
    await expect.poll(() => arrived.length).toBe(count);
  return { url: `${url}/webhooks`, arrived, hasArrived };
}

/** A refusal as text: its status, its code, then pointer and code of each wrong member. */
export function refusal({ status, body }: Answer): string {
  const { errorDetails, errors = [] } = body as {
    errorDetails?: { errorCode: string };
    errors?: { pointer: string; code: string }[];
  };
  const members = errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted();
  return [`${status} ${errorDetails?.errorCode}`, ...members].join(", ");
}
