// Runs for `npm start`: starts the sandbox and a merchant as two processes, follows one refund from end to end over HTTP,
// and keeps both running until Ctrl-C. With --once it exits after the story, with code 0 only if all steps passed.
// No library does this.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { federalReserve, isBusinessDay } from "@countersign/rules";
import { root } from "./packages.ts";

const FIRST_PORT = 4010;
const DEADLINE_MS = 10_000;
const ASKED = "10.50";
const folder = mkdtempSync(join(tmpdir(), "countersign-demo-"));
const token = `cst_${randomBytes(32).toString("base64url")}`;
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const bearer = { authorization: `Bearer ${token}` };

const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout });
const title = (text: string): void => console.log(`\n${paint("bold", text)}`);
const fact = (name: string, value: string): void =>
  console.log(`   ${paint("dim", name.padEnd(12))} ${value}`);
let steps = 0;
function step(text: string): void {
  steps += 1;
  console.log(`\n${paint(["bold", "cyan"], String(steps))}  ${paint("bold", text)}`);
}

/** A process that has printed its line `ready URL`: its other lines on stdout, and its output on stderr until then. */
type Child = { readonly url: string; readonly lines: readonly string[]; readonly notes: string };

const children: ChildProcess[] = [];

/**
 * Starts a script of this repository and waits for its line `ready URL`.
 *
 * @throws {Error} It ends before that line; the message has its output on stderr.
 */
async function start(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<Child> {
  const child = spawn(process.execPath, [...process.execArgv, root + script, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let notes = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (notes += text));
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const ready = /^ready (http:\S+)$/.exec(line)?.[1];
      if (ready === undefined) lines.push(line);
      else resolve(ready);
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`${script} ended with code ${String(code)}:\n${notes}`)),
    );
  });
  return { url, lines, notes };
}

async function stopAll(): Promise<void> {
  const running = children.filter(({ exitCode, signalCode }) => (exitCode ?? signalCode) === null);
  await Promise.all(running.map((child) => (child.kill("SIGTERM"), once(child, "exit"))));
}

let isOver = false;
let ending: number | undefined;
/** Ends the children, then itself with the first code it was called with. */
async function end(code: number): Promise<never> {
  ending ??= code;
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
  process.exit(ending);
}
// `on`, not `once`: npm forwards a signal that the terminal has sent too, and the second would kill. An interrupted
// story exits with 130, a shell's code for Ctrl-C.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void end(isOver ? 0 : 130));

/** Starts both processes. Each needs the other's address, so another process may take the port in between. */
async function startBoth(port = FIRST_PORT): Promise<{ merchant: Child; sandbox: Child }> {
  const merchant = await start("examples/merchant/src/main.ts", [], {
    WEBHOOK_SECRET: secret,
    PORT: "0",
    DIAGNOSTICS_URL: `http://127.0.0.1:${String(port)}/sandbox/outcomes`,
    DIAGNOSTICS_TOKEN: token,
  });
  const target = `--deliver-to=${merchant.url}/webhooks`;
  const database = `--database=${join(folder, "sandbox.db")}`;
  const args = ["sandbox", "--seed=1", `--port=${String(port)}`, database, target];
  const env = { COUNTERSIGN_TOKEN: token, COUNTERSIGN_SECRET: secret };
  try {
    return { merchant, sandbox: await start("packages/cli/src/main.ts", args, env) };
  } catch (error) {
    if (!String(error).includes("CS_CLI_PORT_TAKEN")) throw error;
    await stopAll();
    return startBoth(port + 1);
  }
}

type Payment = Readonly<Record<"paymentId" | "direction" | "paymentStatus", string>> & {
  readonly amount: { readonly value: number };
};

type Delivery = Readonly<Record<"eventId" | "type" | "state", string>> & {
  readonly attempts: readonly Readonly<Record<"number" | "status" | "durationMs", number>>[];
};

type Effect = Readonly<Record<"eventId" | "handler", string>> & { readonly count: number };

/**
 * Calls the sandbox; the caller knows the shape of the answer.
 *
 * @throws {Error} The status is another one.
 */
async function call<T>(status: number, method: string, url: string, body?: string): Promise<T> {
  const headers = { ...bearer, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(url, { method, headers, ...(body && { body }) });
  const text = await answer.text();
  if (answer.status !== status)
    throw new Error(`${method} ${url} returned ${String(answer.status)}: ${text}`);
  return JSON.parse(text) as T;
}

async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline;) {
    // oxlint-disable-next-line no-await-in-loop -- polls
    const found = await look();
    if (found !== undefined) return found;
    // oxlint-disable-next-line no-await-in-loop -- polls
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${what} timed out after ${String(DEADLINE_MS / 1000)} s`);
}

const inNewYork = (locale: string, instant: string, options?: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(locale, { timeZone: "America/New_York", ...options }).format(
    new Date(instant),
  );
/** A date as "Tue 24 Nov". */
const dayOf = (instant: string): string =>
  inNewYork("en-GB", instant, { weekday: "short", day: "2-digit", month: "short" }).replace(
    ",",
    "",
  );

/** Follows one refund: every state that it prints was read over HTTP. @returns The refunded payment. */
async function followRefund({ url }: Child, merchant: Child): Promise<string> {
  const get = <T>(path: string): Promise<T> => call<T>(200, "GET", url + path);
  const now = async (): Promise<string> => (await get<{ now: string }>("/sandbox/clock")).now;
  const payments = async (): Promise<readonly Payment[]> =>
    (await get<{ payments: Payment[] }>("/sandbox/payments")).payments;
  const statusOf = async (id: string): Promise<string> =>
    (await payments()).find(({ paymentId }) => paymentId === id)?.paymentStatus ?? "not stored";

  /** Waits for the delivery, then shows both sides of it: the service's record and the merchant's log. */
  async function showAttempt(type: string, handler: string): Promise<void> {
    const delivery = await eventually(`a delivered ${type}`, async () =>
      (await get<{ deliveries: Delivery[] }>("/sandbox/deliveries")).deliveries.find(
        (one) => one.type === type && one.state === "delivered",
      ),
    );
    for (const { number, status, durationMs } of delivery.attempts)
      fact("attempt", `${number}: POST ${merchant.url}/webhooks → ${status} in ${durationMs} ms`);
    const effect = await eventually(`the merchant's handler of ${type}`, async () => {
      const effects = await call<Effect[]>(200, "GET", `${merchant.url}/effects`);
      return effects.find(({ eventId }) => eventId === delivery.eventId);
    });
    for (const line of merchant.lines.filter((text) => text.includes(delivery.eventId)))
      console.log(`   ${paint("green", "merchant |")} ${line}`);
    if (effect.handler !== handler || effect.count !== 1)
      throw new Error(`${type} ran ${effect.handler} ${String(effect.count)} times`);
  }

  step("Settle a customer's payment");
  const open = (await payments()).find(
    ({ direction, paymentStatus, amount }) =>
      direction === "DEBIT" &&
      ["CREATED", "AUTHORIZED"].includes(paymentStatus) &&
      amount.value > Number(ASKED),
  );
  if (open === undefined) throw new Error("the sandbox has no unsettled payment");
  const { paymentId } = open;
  const settle = `/sandbox/payments/${paymentId}/settle`;
  await call(200, "POST", url + settle, "{}");
  fact("call", `POST ${settle} → 200`);
  const settledAt = await now();
  fact("settled at", `${settledAt} by the sandbox's clock, ${dayOf(settledAt)} in New York`);

  step(`Request a refund of ${ASKED} USD`);
  // Not JSON.stringify, which would write the amount with one digit after the point.
  const body = `{"paymentId":"${paymentId}","amount":{"currency":"USD","value":${ASKED}},"clientReferenceId":"order-7","requestKey":"order-7-refund-1"}`;
  fact("call", `POST /v1/refunds ${body}`);
  const refund = await call<Payment>(201, "POST", `${url}/v1/refunds`, body);
  fact("answer", `201 ${JSON.stringify(refund)}`);
  const stored = await statusOf(refund.paymentId);
  fact("stored", `${refund.paymentId} ${stored}`);
  if (stored !== "PENDING") throw new Error(`expected a PENDING refund, got ${stored}`);

  step("Receive refund.pending: a signed attempt, verified and routed");
  await showAttempt("refund.pending", "PAYMENT");

  step("Move the clock by three business days");
  let businessDays = 0;
  // Weekends and bank holidays do not count.
  for (let status = stored; status !== "AUTHORIZED";) {
    if (businessDays > 3) throw new Error(`expected an AUTHORIZED refund, got ${status}`);
    /* oxlint-disable no-await-in-loop -- one day after the other */
    await call(200, "PUT", `${url}/sandbox/clock`, '{"advance":"P1D"}');
    const today = await now();
    status = await statusOf(refund.paymentId);
    /* oxlint-enable no-await-in-loop */
    const isOpen = isBusinessDay(inNewYork("en-CA", today), federalReserve);
    businessDays += isOpen ? 1 : 0;
    const counted = isOpen ? `business day ${String(businessDays)}` : "banks are closed";
    fact(dayOf(today), `${status.padEnd(10)}  ${counted}`);
  }

  step("Receive refund.authorized");
  await showAttempt("refund.authorized", "refund.authorized");
  return paymentId;
}

try {
  title("Countersign: one refund, end to end");
  step("Start the sandbox and the merchant");
  const { merchant, sandbox } = await startBoth();
  const { url } = sandbox;
  fact("sandbox", `${url}  the provider, with a SQLite file and a clock that you control`);
  if (!url.endsWith(`:${String(FIRST_PORT)}`))
    fact("", `port ${String(FIRST_PORT)} is in use, so the sandbox uses the next free port`);
  const page = /^inspector +(http:\S+)$/m.exec(sandbox.notes)?.[1];
  if (page !== undefined) fact("inspector", page);
  fact("merchant", `${merchant.url}  an Express app with a receiver at POST /webhooks`);
  const paymentId = await followRefund(sandbox, merchant);
  isOver = true;
  title(`All ${String(steps)} steps passed.`);
  if (process.argv.includes("--once")) await end(0);

  const auth = `-H "Authorization: Bearer ${token}"`;
  const json = `${auth} -H "Content-Type: application/json"`;
  if (page !== undefined) title(`Open the inspector: ${page}`);
  title("Try next, in another terminal:");
  console.log(`
# another refund of the same payment, AUTHORIZED immediately because it settled long ago;
# repeat the call to get a 409 with the existing refund
curl -s ${url}/v1/refunds ${json} -d '{"paymentId":"${paymentId}","amount":{"currency":"USD","value":5.00},"requestKey":"order-7-refund-2"}'

# move the clock, then list every delivery with its attempts
curl -s -X PUT ${url}/sandbox/clock ${json} -d '{"advance":"P1D"}'
curl -s ${url}/sandbox/deliveries ${auth}`);
  title("Press Ctrl-C to stop.");
} catch (error) {
  console.error(`\nA step failed: ${error instanceof Error ? error.message : String(error)}`);
  await end(1);
}
