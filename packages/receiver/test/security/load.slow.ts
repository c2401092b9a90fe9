import { createServer } from "node:http";
import type { Socket } from "node:net";
import { toNode } from "@countersign/receiver/node";
import { Agent, request as send } from "undici";
import { describe, expect, it } from "vitest";
import { listen } from "../adapters/mounts.ts";
import { open, readReply, request } from "../adapters/wire.ts";
import { attemptOf, otherSecret, recordingReceiver, refundAuthorized } from "../fixtures.ts";

// Long forms, whose bounds are times: a machine that others use can break them.

/** The status that an attempt is answered with. */
async function post(
  port: number,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: Uint8Array },
  dispatcher: Agent,
): Promise<number> {
  const url = `http://127.0.0.1:${String(port)}/webhooks`;
  const answer = await send(url, { method: "POST", headers, body, dispatcher });
  await answer.body.dump();
  return answer.statusCode;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

describe("A19: two hundred senders that drip for a minute", () => {
  const DRIPS = 200;
  const SECONDS = 60;
  const GOOD_A_SECOND = 500;

  it("leave five hundred good events a second answered soon, and no socket behind", async () => {
    const { receiver, outcomes } = recordingReceiver();
    const answer = toNode(receiver);
    const { port, server } = await listen(
      createServer((incoming, outgoing) => void answer(incoming, outgoing)),
    );
    const agent = new Agent({ connections: 16 });
    const statuses = new Set<number>();
    let answered = 0;
    /** The 99th percentile of what good events wait, in milliseconds. */
    const good = async (seconds: number): Promise<number> => {
      const begun = performance.now();
      const times: number[] = [];
      const posts: Promise<void>[] = [];
      for (let sent = 0; sent < seconds * GOOD_A_SECOND; sent += 1) {
        const due = begun + (sent * 1000) / GOOD_A_SECOND;
        while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
        const attempt = attemptOf(refundAuthorized(`evt_${String((answered += 1))}`));
        const started = performance.now();
        const one = async (): Promise<void> => {
          statuses.add(await post(port, attempt, agent));
          times.push(performance.now() - started);
        };
        posts.push(one());
      }
      await Promise.all(posts);
      return times.toSorted((x, y) => x - y)[Math.floor(times.length * 0.99)] ?? Number.NaN;
    };
    const alone = await good(10);

    const ends = performance.now() + SECONDS * 1000;
    let refusals = 0;
    const drip = async (): Promise<void> => {
      while (performance.now() < ends) {
        const socket: Socket = await open(port);
        socket.on("error", () => undefined);
        const reply = readReply(socket);
        socket.write(request(["Content-Type: application/json", "Content-Length: 1000"]));
        const timer = setInterval(() => socket.write(" "), 1000);
        const { status } = await reply;
        clearInterval(timer);
        socket.destroy();
        if (status === 408) refusals += 1;
      }
    };
    const drips = Array.from({ length: DRIPS }, drip);
    const among = await good(SECONDS);
    await Promise.all(drips);
    await agent.destroy();
    console.log({ answered, alone, among, refusals });
    // The load is made by the same process: where the machine is slow, it is slow without drips too.
    expect(among).toBeLessThan(Math.max(250, 2 * alone));
    expect([...statuses]).toEqual([204]);
    expect(refusals).toBeGreaterThanOrEqual(DRIPS * 5);
    expect(outcomes.filter(({ kind }) => kind === "handled")).toHaveLength(answered);
    const connections = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await expect.poll(connections).toBe(0);
    server.close();
  }, 180_000);
});

describe("A26: the time in which a signature is refused", () => {
  const ROUNDS = 1000;

  it("differs by less than a tenth between reasons that only the secret tells", async () => {
    const { receiver } = recordingReceiver();
    const answer = toNode(receiver);
    const server = await listen(
      createServer((incoming, outgoing) => void answer(incoming, outgoing)),
    );
    const event = refundAuthorized();
    const genuine = attemptOf(event);
    const digest = Buffer.from(genuine.headers["webhook-signature"]?.slice(3) ?? "", "base64");
    const signedBy = (bytes: Buffer) => ({
      ...genuine,
      headers: { ...genuine.headers, "webhook-signature": `v1,${bytes.toString("base64")}` },
    });
    const flipped = (at: number): Buffer =>
      Buffer.from(digest.map((byte, index) => (index === at ? byte ^ 1 : byte)));
    const reasons = [
      signedBy(flipped(0)),
      signedBy(flipped(31)),
      signedBy(Buffer.alloc(32)),
      attemptOf(event, { secrets: [otherSecret] }),
      { ...genuine, headers: { ...genuine.headers, "webhook-id": "evt_refund2" } },
      { ...genuine, body: Buffer.from(Buffer.from(genuine.body).toString().replace("7", "8")) },
    ];
    const agent = new Agent({ connections: 1 });
    const times = reasons.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [index, { headers, body }] of reasons.entries()) {
        const started = performance.now();
        const reply = await post(server.port, { headers, body }, agent);
        times[index]?.push(performance.now() - started);
        expect(reply).toBe(401);
      }
    await agent.destroy();
    server.close();
    // The first quarter compiles.
    const middles = times.map((all) => median(all.slice(ROUNDS / 4)));
    const middle = median(middles);
    console.log(middles.map((one) => one / middle));
    expect(Math.max(...middles) / middle).toBeLessThan(1.1);
    expect(Math.min(...middles) / middle).toBeGreaterThan(0.9);
  }, 180_000);
});
