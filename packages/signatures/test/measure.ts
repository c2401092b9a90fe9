import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { standardWebhooks } from "../src/index.ts";
import { SECRET } from "./attempts.ts";

// Run by the benchmark in its own Node: under the test runner every call between two modules
// goes through an object, which costs as much again as reading an attempt.

// The peer reads the machine's clock; so does this file, once.
const seconds = Math.floor(Date.now() / 1000);
const options = { now: seconds * 1000 };
const secrets = [SECRET];
const scheme = standardWebhooks();
const peer = new Webhook(SECRET);
const key = createSecretKey(Buffer.from(SECRET.slice("whsec_".length), "base64"));

const ROUNDS = 100;
// The first of them compile.
const WARM_UP = 40;

/** Headers of an ordinary request in addition to the scheme's. */
const ordinary = {
  host: "merchant.example",
  connection: "close",
  accept: "*/*",
  "content-type": "application/json",
  "content-length": "1024",
  "user-agent": "sender/1.0",
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
};

/** The lower quartile of the nanoseconds that each function takes, all of them in turns. */
function nanoseconds(functions: readonly (() => void)[], calls: number): readonly number[] {
  const samples = functions.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, run] of functions.entries()) {
      const start = process.hrtime.bigint();
      for (let call = 0; call < calls; call++) run();
      samples[index]?.push(Number(process.hrtime.bigint() - start) / calls);
    }
  }
  return samples.map((times) => times.slice(WARM_UP).toSorted((a, b) => a - b)[15] ?? Number.NaN);
}

function measure(size: number) {
  const text = JSON.stringify({ data: "x".repeat(size - '{"data":""}'.length) });
  const body = Buffer.from(text);
  const message = { id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", timestamp: seconds, body };
  const { headers: signed } = scheme.sign(message, secrets);
  const attempt = { headers: { ...ordinary, ...signed }, body };
  const bytes = Buffer.from(`${message.id}.${seconds}.${text}`);
  const digest = createHmac("sha256", key).update(bytes).digest();
  let genuine = 0;

  const [floor = 0, ours = 0, theirs = 0] = nanoseconds(
    [
      () => {
        const made = createHmac("sha256", key).update(bytes).digest();
        genuine += timingSafeEqual(made, digest) ? 1 : 0;
      },
      () => {
        genuine += scheme.verify(attempt, secrets, options).ok ? 1 : 0;
      },
      () => {
        peer.verify(body, attempt.headers, { jsonParse: false });
        genuine++;
      },
    ],
    Math.max(5, Math.floor(2_000_000 / (size + 1000))),
  );
  return { size, floor, ours, theirs, genuine };
}

console.log(JSON.stringify(process.argv.slice(2).map((size) => measure(Number(size)))));
