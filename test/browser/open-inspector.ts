import { join } from "node:path";
import {
  openNamespace,
  serveSandbox,
  type CheckRunner,
  type SandboxOptions,
} from "@countersign/sandbox/internal";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { onTestFinished } from "vitest";
import { createApi, type Api } from "../../packages/dev/src/api.ts";
import { buildInspector } from "../../packages/dev/src/build-inspector.ts";
import { listen } from "../../packages/sandbox/test/listen.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const TOKEN = "cst_token-of-the-inspected-namespace";
export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const KEY = "key-of-this-run-0123456789";

export interface OpenInspector {
  /** Of the sandbox. */
  readonly url: string;
  readonly port: number;
  /** The address that opens the page. */
  readonly address: string;
  /** The calls, by the bearer token. */
  readonly api: Api;
  /** The receiver: `statusOf` decides what it answers to a body. Default: the next of `statuses`, then 204. */
  readonly receiver: { statusOf: (body: string) => number | Promise<number> };
  readonly statuses: number[];
  /** Bodies that the receiver got. */
  readonly arrived: string[];
  readonly receiverUrl: string;
  readonly sandbox: Awaited<ReturnType<typeof serveSandbox>>;
}

export interface OpenOptions extends Partial<SandboxOptions> {
  readonly now?: number;
  readonly noTarget?: boolean;
  /** Runs the checks of the page's Checks. Default: no checks. */
  readonly checksOf?: (target: { readonly url: string; readonly secret: string }) => CheckRunner;
}

let folderOfPage: string | undefined;

/** A sandbox with its page, the seed 1 and a receiver, that lasts as long as the test. */
export async function openInspector(
  options: OpenOptions = {},
  /** Registers what ends the sandbox: default at the end of the test. */
  onEnd: (end: () => void | Promise<void>) => void = onTestFinished,
): Promise<OpenInspector> {
  const { now, noTarget = false, checksOf, ...more } = options;
  const receiver = await openReceiver(onEnd);
  const target = { url: receiver.url, secret: SECRET };
  const folder = temporaryFolder(onEnd);
  const driver = sqliteDriver(join(folder, "sandbox.db"));
  const profile = options.profile ?? profiles.standard;
  const sandbox = await serveSandbox({
    driver,
    profile,
    port: 0,
    inspector: {
      folder: (folderOfPage ??= buildInspector().folder),
      token: TOKEN,
      key: KEY,
      ...(!noTarget && { target, ...(checksOf && { checks: checksOf(target) }) }),
    },
    ...more,
  });
  onEnd(() => sandbox.close({ graceMs: 0 }));
  await openNamespace({
    driver,
    profile,
    seed: 1,
    token: TOKEN,
    ...(now !== undefined && { now }),
  });
  return {
    url: sandbox.url,
    port: sandbox.port,
    address: `${sandbox.url}/inspector/#key=${KEY}`,
    api: createApi(sandbox.url, TOKEN),
    receiver: receiver.receiver,
    statuses: receiver.statuses,
    arrived: receiver.arrived,
    receiverUrl: receiver.url,
    sandbox,
  };
}

async function openReceiver(onEnd: (end: () => void) => void) {
  const statuses: number[] = [];
  const arrived: string[] = [];
  const receiver: OpenInspector["receiver"] = { statusOf: () => statuses.shift() ?? 204 };
  const url = await listen((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    const answer = async (): Promise<void> => {
      arrived.push(body);
      response.writeHead(await receiver.statusOf(body)).end();
    };
    request.on("end", () => void answer());
  }, onEnd);
  return { url: `${url}/webhooks`, receiver, statuses, arrived };
}
