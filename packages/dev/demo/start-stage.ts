import { join } from "node:path";
import { type Child, startChild } from "../src/child.ts";
import { freePort } from "../src/free-port.ts";

const FIRST_PORT = 4010;

export interface StageOptions {
  /** Where the sandbox keeps its database. */
  readonly folder: string;
  /** Of the sandbox's namespace. */
  readonly token: string;
  /** What deliveries are signed with. */
  readonly secret: string;
  /** Gets what ends each process as soon as it is there. */
  readonly onSpawn: (stop: () => Promise<number | null>) => unknown;
}

/**
 * Starts the merchant, and the sandbox that delivers to it, on the first free port from `from` on. Each has to
 * know where the other is before both are there, so that somebody may take the port in between; then both
 * start again with the next one.
 *
 * @throws {Error} One of them cannot start.
 */
export async function startStage(
  options: StageOptions,
  from = FIRST_PORT,
): Promise<{ readonly merchant: Child; readonly sandbox: Child }> {
  const port = await freePort(from);
  const merchant = await startMerchant(port, options);
  try {
    return { merchant, sandbox: await startSandbox(merchant, { ...options, port }) };
  } catch (error) {
    if (!String(error).includes("CS_CLI_PORT_TAKEN")) throw error;
    await merchant.stop();
  }
  return startStage(options, port + 1);
}

function startMerchant(
  sandboxPort: number,
  { token, secret, onSpawn }: StageOptions,
): Promise<Child> {
  return startChild({
    name: "the merchant",
    script: "examples/merchant/src/main.ts",
    args: [],
    env: {
      WEBHOOK_SECRET: secret,
      PORT: "0",
      DIAGNOSTICS_URL: `http://127.0.0.1:${String(sandboxPort)}/sandbox/outcomes`,
      DIAGNOSTICS_TOKEN: token,
    },
    onSpawn,
  });
}

function startSandbox(
  merchant: Child,
  { folder, token, secret, onSpawn, port }: StageOptions & { readonly port: number },
): Promise<Child> {
  return startChild({
    name: "the sandbox",
    script: "packages/cli/src/main.ts",
    args: [
      "sandbox",
      "--seed=1",
      `--port=${String(port)}`,
      `--database=${join(folder, "sandbox.db")}`,
      `--deliver-to=${merchant.url}/webhooks`,
    ],
    env: { COUNTERSIGN_TOKEN: token, COUNTERSIGN_SECRET: secret },
    onSpawn,
  });
}
