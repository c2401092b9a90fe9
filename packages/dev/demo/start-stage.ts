import { join } from "node:path";
import { type Child, startChild } from "../src/child.ts";
import { freePort } from "../src/free-port.ts";

const FIRST_PORT = 4010;

export interface StageOptions {
  /** The folder of the sandbox's database. */
  readonly folder: string;
  /** The access token of the sandbox's namespace. */
  readonly token: string;
  /** The secret that signs deliveries. */
  readonly secret: string;
  /** Called for each started process with the function that stops it. */
  readonly onSpawn: (stop: () => Promise<number | null>) => unknown;
}

/**
 * Starts the merchant and the sandbox that delivers to it, on the first free port from `from` on. Each needs
 * the other's address at its start, so another process may take the port in between: then both start again
 * with the next port.
 *
 * @throws {Error} one of them cannot start.
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
