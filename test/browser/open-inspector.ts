import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { CheckRunner, SandboxOptions } from "@countersign/service/sandbox";
import { onTestFinished } from "vitest";
import { listen } from "../../packages/service/test/sandbox/listen.ts";
import { openSandbox, TOKEN } from "../../packages/service/test/sandbox/open-sandbox.ts";
import type { AtEnd } from "../temporary-folder.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const KEY = "key-of-this-run-0123456789";

export type OpenInspector = Awaited<ReturnType<typeof openInspector>>;

/** The receiver that the checks test. */
export interface Target {
  readonly url: string;
  readonly secret: string;
}

interface OpenOptions extends Partial<SandboxOptions> {
  /** Runs the checks of the page's Checks. Default: no checks. */
  readonly checksOf?: (target: Target) => CheckRunner;
}

/** The page, which a run of the tests builds first if its sources have changed. */
const folder = fileURLToPath(new URL("../../packages/inspector/dist", import.meta.url));

/** A sandbox with its page, the seed 1 and a receiver, that lasts as long as the test. */
export async function openInspector(options: OpenOptions = {}, atEnd: AtEnd = onTestFinished) {
  const { checksOf, ...more } = options;
  const receiver = await openReceiver(atEnd);
  const target = { url: receiver.receiverUrl, secret: SECRET };
  const inspector = {
    folder,
    token: TOKEN,
    key: KEY,
    target,
    ...(checksOf && { checks: checksOf(target) }),
  };
  const { sandbox, seeded, refund, call } = await openSandbox({ inspector, ...more }, atEnd);
  return {
    sandbox,
    seeded,
    refund,
    target,
    url: sandbox.url,
    port: sandbox.port,
    /** Opens the page. */
    address: `${sandbox.url}/inspector/#key=${KEY}`,
    /** The calls, by the bearer token. */
    api: async (method: "GET" | "POST" | "PUT", path: string, sent?: object | string) => {
      const { status, body } = await call(
        method,
        path,
        typeof sent === "string" ? { text: sent } : { json: sent },
      );
      // A test knows its form.
      return { status, body: body as unknown };
    },
    ...receiver,
  };
}

async function openReceiver(atEnd: AtEnd) {
  /** Bodies that have arrived. */
  const arrived: string[] = [];
  /** Decides what the receiver answers to a body. */
  const receiver: {
    statusOf: (body: string) => number | Promise<number>;
    answerOf: (body: string) => string;
  } = { statusOf: () => 204, answerOf: () => "" };
  const url = await listen((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await text(request);
      arrived.push(body);
      response.writeHead(await receiver.statusOf(body)).end(receiver.answerOf(body));
    };
    // A request that is broken off gets no answer.
    answer().catch(() => {});
  }, atEnd);
  return { receiverUrl: `${url}/webhooks`, receiver, arrived };
}
