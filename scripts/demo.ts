// Runs for `npm start`: starts the sandbox and a merchant as two processes, follows one refund from end to end over HTTP,
// and keeps both running until Ctrl-C. With --once it exits after the story, with code 0 only if all steps passed.
// No library does this.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { isBusinessDay } from "@countersign/rules";
import { root } from "./packages.ts";

const USUAL_PORT = 4010;
const DEADLINE_MS = 10_000;
const ASKED = "10.50";
const folder = mkdtempSync(join(tmpdir(), "countersign-demo-"));
const database = join(folder, "sandbox.db");
const secret = `whsec_${randomBytes(32).toString("base64")}`;

const title = (text: string): void => console.log(`\n${styleText("bold", text)}`);
const fact = (name: string, value: string): void =>
  console.log(`   ${styleText("dim", name.padEnd(12))} ${value}`);
let steps = 0;
function step(text: string): void {
  steps += 1;
  console.log(`\n${styleText(["bold", "cyan"], String(steps))}  ${styleText("bold", text)}`);
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

let isOver = false;
let ending: number | undefined;
/** Ends the children, then itself with the first code it was called with. */
async function end(code: number): Promise<never> {
  ending ??= code;
  const running = children.filter(({ exitCode, signalCode }) => (exitCode ?? signalCode) === null);
  await Promise.all(running.map((child) => (child.kill("SIGTERM"), once(child, "exit"))));
  rmSync(folder, { recursive: true, force: true });
  process.exit(ending);
}
// `on`, not `once`: npm forwards a signal that the terminal has sent too, and the second would kill. An interrupted
// story exits with 130, a shell's code for Ctrl-C.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void end(isOver ? 0 : 130));

/** The access token that the sandbox has written. */
const token = (): string => readFileSync(`${database}.token`, "utf8").trim();

/** Starts both processes. The merchant, too, reports its outcomes to the sandbox, whose inspector shows them. */
async function startBoth(): Promise<{ sandbox: Child; merchant: Child }> {
  // Free now: should another process take it meanwhile, the merchant says so and the demo ends.
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  await once(free.close(), "close");
  const args = ["--seed=1", `--database=${database}`];
  const target = `--deliver-to=http://127.0.0.1:${String(port)}/webhooks`;
  const env = { COUNTERSIGN_SECRET: secret };
  const sandbox = await start("packages/cli/src/main.ts", ["sandbox", ...args, target], env);
  const merchant = await start("examples/merchant/src/main.ts", [], {
    WEBHOOK_SECRET: secret,
    PORT: String(port),
  });
  return { sandbox, merchant };
}

type Payment = Readonly<Record<"paymentId" | "direction" | "paymentStatus", string>>;

type Delivery = Readonly<Record<"eventId" | "type" | "state", string>> & {
  readonly attempts: readonly Readonly<Record<"number" | "status" | "durationMs", number>>[];
};

/** Calls the sandbox; the caller knows the shape of the answer. @throws {Error} The status is another one. */
async function call<T>(status: number, method: string, url: string, body?: string): Promise<T> {
  const headers = { authorization: `Bearer ${token()}`, "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, ...(body && { body }) });
  const text = await answer.text();
  if (answer.status !== status)
    throw new Error(`${method} ${url} returned ${String(answer.status)}: ${text}`);
  return JSON.parse(text) as T;
}

async function eventually<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline;) {
    /* oxlint-disable no-await-in-loop -- polls */
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
    /* oxlint-enable no-await-in-loop */
  }
  throw new Error(`${what} timed out after ${String(DEADLINE_MS / 1000)} s`);
}

const inNewYork = (locale: string, instant: string, options?: Intl.DateTimeFormatOptions): string =>
  new Date(instant).toLocaleDateString(locale, { timeZone: "America/New_York", ...options });
/** A date as "Tue, 24 Nov". */
const dayOf = (instant: string): string =>
  inNewYork("en-GB", instant, { weekday: "short", day: "2-digit", month: "short" });

/** Follows one refund: every state that it prints was read over HTTP. */
async function followRefund({ url }: Child, merchant: Child): Promise<void> {
  const get = <T>(path: string): Promise<T> => call<T>(200, "GET", url + path);
  const now = async (): Promise<string> => (await get<{ now: string }>("/sandbox/clock")).now;
  const payments = async (): Promise<readonly Payment[]> =>
    (await get<{ payments: Payment[] }>("/sandbox/payments")).payments;

  /** Waits for the delivery, then shows both sides of it: the service's record and the merchant's log. */
  async function showAttempt(type: string, handler: string): Promise<void> {
    const { eventId, attempts } = await eventually(`a delivered ${type}`, async () =>
      (await get<{ deliveries: Delivery[] }>("/sandbox/deliveries")).deliveries.find(
        (one) => one.type === type && one.state === "delivered",
      ),
    );
    for (const { number, status, durationMs } of attempts)
      fact("attempt", `${number}: POST ${merchant.url}/webhooks → ${status} in ${durationMs} ms`);
    const log = (): string[] => merchant.lines.filter((line) => line.includes(eventId));
    await eventually(`the merchant's outcome of ${type}`, () =>
      log().some((line) => line.startsWith("outcome ")),
    );
    for (const line of log()) console.log(`   ${styleText("green", "merchant |")} ${line}`);
    if (log().filter((line) => line.startsWith(`handler ${handler}: `)).length !== 1)
      throw new Error(`${type} did not run the handler ${handler} once`);
  }

  step("Settle a customer's payment");
  const open = (await payments()).find(
    ({ direction, paymentStatus }) => direction === "DEBIT" && paymentStatus === "CREATED",
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
  if (refund.paymentStatus !== "PENDING")
    throw new Error(`expected a PENDING refund, got ${refund.paymentStatus}`);

  step("Receive refund.pending: a signed attempt, verified and routed");
  await showAttempt("refund.pending", "PAYMENT");

  step("Move the clock by three business days");
  let businessDays = 0;
  // Weekends and bank holidays do not count.
  for (let status: string | undefined = refund.paymentStatus; status !== "AUTHORIZED";) {
    if (businessDays > 3) throw new Error(`expected an AUTHORIZED refund, got ${String(status)}`);
    /* oxlint-disable no-await-in-loop -- one day after the other */
    await call(200, "PUT", `${url}/sandbox/clock`, '{"advance":"P1D"}');
    const today = await now();
    status = (await payments()).find((one) => one.paymentId === refund.paymentId)?.paymentStatus;
    /* oxlint-enable no-await-in-loop */
    const isOpen = isBusinessDay(inNewYork("en-CA", today));
    businessDays += isOpen ? 1 : 0;
    const counted = isOpen ? `business day ${String(businessDays)}` : "banks are closed";
    fact(dayOf(today), `${String(status).padEnd(10)}  ${counted}`);
  }

  step("Receive refund.authorized");
  await showAttempt("refund.authorized", "refund.authorized");
}

try {
  title("Countersign: one refund, end to end");
  step("Start the sandbox and the merchant");
  const { sandbox, merchant } = await startBoth();
  const { url } = sandbox;
  fact("sandbox", `${url}  the provider, with a SQLite file and a clock that you control`);
  if (!url.endsWith(`:${String(USUAL_PORT)}`))
    fact("", `port ${String(USUAL_PORT)} is in use, so the sandbox uses the next free port`);
  const page = /^inspector +(http:\S+)$/m.exec(sandbox.notes)?.[1];
  if (page !== undefined) fact("inspector", page);
  fact("merchant", `${merchant.url}  an Express app with a receiver at POST /webhooks`);
  await followRefund(sandbox, merchant);
  isOver = true;
  title(`All ${String(steps)} steps passed.`);
  if (process.argv.includes("--once")) await end(0);

  title("Try next, in another terminal: the refund's deliveries");
  console.log(`curl -H "authorization: Bearer $(cat ${database}.token)" ${url}/sandbox/deliveries`);
  title("Press Ctrl-C to stop.");
  if (page !== undefined) title(`Open the inspector: ${page}`);
} catch (error) {
  console.error(`\nA step failed: ${error instanceof Error ? error.message : String(error)}`);
  await end(1);
}
