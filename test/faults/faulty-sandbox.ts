// A child process: starts a sandbox in the profile of its argument, and ends with its parent.
import { startSandbox, type StartOptions } from "@countersign/sandbox";

const profile = JSON.parse(process.argv[2] ?? "") as NonNullable<StartOptions["profile"]>;
const sandbox = await startSandbox({ profile });
process.once("disconnect", () => void sandbox.close().finally(() => process.exit()));
process.send?.({ url: sandbox.url, token: sandbox.token });
