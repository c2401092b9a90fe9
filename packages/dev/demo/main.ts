// Runs for `npm start`: starts the sandbox and a merchant as two processes, follows one refund from end to
// end, and keeps both running until Ctrl-C. With --once it exits after the story, with code 0 only if all
// steps passed.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApi } from "../src/api.ts";
import { createNarrator } from "./narrator.ts";
import { startStage } from "./start-stage.ts";
import { tellStory } from "./story.ts";

const { values } = parseArgs({ options: { once: { type: "boolean", default: false } } });
const narrator = createNarrator(process.stdout);
const folder = mkdtempSync(join(tmpdir(), "countersign-demo-"));
const stops: (() => Promise<number | null>)[] = [];
const onSpawn = (stop: () => Promise<number | null>): unknown => stops.push(stop);
let told = false;
const interrupted = new Promise<unknown>((resolve) => {
  // `on`, not `once`: npm forwards a signal that the terminal has sent too, and the second would kill.
  process.on("SIGINT", resolve);
  process.on("SIGTERM", resolve);
});

let ending: number | undefined;
/** Ends the children, then itself with the first code it was called with. */
async function end(code: number): Promise<never> {
  ending ??= code;
  await Promise.all(stops.map((stop) => stop()));
  rmSync(folder, { recursive: true, force: true });
  process.exit(ending);
}
// An interrupted story exits with 130, a shell's code for Ctrl-C.
void interrupted.then(() => end(told ? 0 : 130));

try {
  const token = `cst_${randomBytes(32).toString("base64url")}`;
  const secret = `whsec_${randomBytes(32).toString("base64")}`;

  narrator.title("Countersign: one refund, end to end");
  narrator.step("Start the sandbox and the merchant");
  const { merchant, sandbox } = await startStage({ folder, token, secret, onSpawn });
  narrator.fact(
    "sandbox",
    `${sandbox.url}  the provider, with a SQLite file and a clock that you control`,
  );
  if (!sandbox.url.endsWith(":4010"))
    narrator.fact("", "port 4010 is in use, so the sandbox uses the next free port");
  const page = /^inspector +(http:\S+)$/m.exec(sandbox.notes)?.[1];
  if (page !== undefined) narrator.fact("inspector", page);
  narrator.fact("merchant", `${merchant.url}  an Express app with a receiver at POST /webhooks`);

  const { paymentId } = await tellStory({
    api: createApi(sandbox.url, token),
    sandbox,
    merchant,
    narrator,
  });

  told = true;
  narrator.title(`All ${String(narrator.steps())} steps passed.`);
  if (values.once) await end(0);

  const authorization = `-H "Authorization: Bearer ${token}"`;
  const json = '-H "Content-Type: application/json"';
  if (page !== undefined) narrator.title(`Open the inspector: ${page}`);
  narrator.title("Try next, in another terminal:");
  for (const line of [
    "",
    "# the payments and refunds so far",
    `curl -s ${sandbox.url}/sandbox/payments ${authorization}`,
    "",
    "# another refund of the same payment, AUTHORIZED immediately because it settled long ago;",
    "# repeat the call to get a 409 with the existing refund",
    `curl -s ${sandbox.url}/v1/refunds ${authorization} ${json} -d '{"paymentId":"${paymentId}","amount":{"currency":"USD","value":5.00},"requestKey":"order-7-refund-2"}'`,
    "",
    "# every delivery with its attempts",
    `curl -s ${sandbox.url}/sandbox/deliveries ${authorization}`,
    "",
    "# move the clock",
    `curl -s -X PUT ${sandbox.url}/sandbox/clock ${authorization} ${json} -d '{"advance":"P1D"}'`,
    "",
    "# what the merchant's handlers did",
    `curl -s ${merchant.url}/effects`,
  ])
    process.stdout.write(`${line}\n`);
  narrator.title("Press Ctrl-C to stop.");
} catch (error) {
  console.error(`\nA step failed: ${error instanceof Error ? error.message : String(error)}`);
  await end(1);
}
