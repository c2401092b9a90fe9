import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { type SignedAttempt, signedAttempt } from "@countersign/receiver/testing";
import { readJson } from "@countersign/rules";
import { standardCatalogue } from "@countersign/schemas";
import { Webhook } from "standardwebhooks";
import { refundAuthorized, secret } from "../fixtures.ts";

// Run by the benchmark in a Node of its own: under the test runner every call between two modules
// goes through an object, which costs as much again as reading an attempt.

// The peer reads the machine's clock; so does this file, once.
const seconds = Math.floor(Date.now() / 1000);
const now = seconds * 1000;
const key = createSecretKey(Buffer.from(secret.slice("whsec_".length), "base64"));
const peer = new Webhook(secret);
const { validate } = standardCatalogue.events["refund.authorized"];

const ROUNDS = 60;
// The first of them compile.
const WARM_UP = 20;

/** What an ordinary request carries beside the scheme's own headers. */
const ordinary = {
  host: "merchant.example",
  connection: "close",
  accept: "*/*",
  "content-length": "1024",
  "user-agent": "sender/1.0",
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
};

/** How the body is filled: by one long text, or by members that nobody knows, as senders add them. */
type Filling = "text" | "members";

interface Shape {
  readonly size: number;
  readonly filling: Filling;
}

/** A genuine attempt of about `size` bytes. */
function attemptOf(id: string, { size, filling }: Shape): SignedAttempt {
  const metadata: Record<string, string> = {};
  const event = { ...refundAuthorized(id), metadata };
  const bare = JSON.stringify(event).length;
  if (filling === "text") metadata["note"] = "x".repeat(Math.max(0, size - bare - 9));
  // 57 bytes each, with its comma.
  const members = filling === "members" ? Math.floor((size - bare) / 57) : 0;
  for (let member = 0; member < members; member += 1)
    metadata[`note${String(1000 + member)}`] = "a few words of about forty characters in all";
  const { headers, body } = signedAttempt({ secrets: [secret], now, event });
  return { headers: { ...ordinary, ...headers }, body };
}

/** What the floor is given: the signed bytes in one piece and the digest, as if reading them cost nothing. */
interface Prepared {
  readonly attempt: SignedAttempt;
  readonly signed: Buffer;
  readonly digest: Buffer;
}

function prepare(id: string, shape: Shape): Prepared {
  const attempt = attemptOf(id, shape);
  const signed = Buffer.concat([Buffer.from(`${id}.${String(seconds)}.`), attempt.body]);
  return { attempt, signed, digest: createHmac("sha256", key).update(signed).digest() };
}

function floor({ attempt, signed, digest }: Prepared): boolean {
  const made = createHmac("sha256", key).update(signed).digest();
  const json = readJson(attempt.body, { depth: 16 });
  return timingSafeEqual(made, digest) && json.ok && validate(json.value).ok;
}

interface Figures extends Shape {
  readonly floor: number;
  readonly ours: number;
  readonly theirs: number;
  readonly handled: number;
}

/** Nanoseconds a call, the lower quartile of the rounds, all of them in turns. */
async function measure(shape: Shape): Promise<Figures> {
  let handled = 0;
  const receiver = createReceiver({
    secrets: [secret],
    fallback: () => undefined,
    inbox: memoryInbox(),
    now: () => now,
  }).on("PAYMENT", () => {
    handled += 1;
  });
  const calls = Math.max(50, Math.floor(400_000 / (shape.size + 1000)));
  const samples: { readonly floor: number; readonly ours: number; readonly theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // New events each round: a duplicate would skip half of the pipeline.
    const batch = Array.from({ length: calls }, (_, call) =>
      prepare(`evt_${String(round)}_${String(call)}`, shape),
    );
    const begun = process.hrtime.bigint();
    for (const prepared of batch) if (!floor(prepared)) throw new Error("the floor refused");
    const floored = process.hrtime.bigint();
    // oxlint-disable-next-line no-await-in-loop -- one attempt after the other is what is measured
    for (const { attempt } of batch) await receiver.receive(attempt);
    const received = process.hrtime.bigint();
    for (const { attempt } of batch)
      peer.verify(Buffer.from(attempt.body.buffer, attempt.body.byteOffset, attempt.body.length), {
        ...attempt.headers,
      });
    const verified = process.hrtime.bigint();
    samples.push({
      floor: Number(floored - begun) / calls,
      ours: Number(received - floored) / calls,
      theirs: Number(verified - received) / calls,
    });
  }
  if (handled !== ROUNDS * calls) throw new Error(`${String(handled)} events were handled`);
  const lowerQuartile = (name: "floor" | "ours" | "theirs"): number =>
    samples
      .slice(WARM_UP)
      .map((sample) => sample[name])
      .toSorted((a, b) => a - b)[Math.floor((ROUNDS - WARM_UP) / 4)] ?? Number.NaN;
  return {
    ...shape,
    floor: lowerQuartile("floor"),
    ours: lowerQuartile("ours"),
    theirs: lowerQuartile("theirs"),
    handled,
  };
}

const figures: Figures[] = [];
for (const size of process.argv.slice(2).map(Number))
  for (const filling of ["text", "members"] as const)
    // oxlint-disable-next-line no-await-in-loop -- two at once would share the processor
    figures.push(await measure({ size, filling }));
console.log(JSON.stringify(figures));
