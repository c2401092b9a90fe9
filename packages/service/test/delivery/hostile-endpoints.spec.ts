import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Answer } from "../../src/delivery/types.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { hostileEndpoints, hostileHandshakes } from "./hostile-endpoints.ts";
import { startHostileServers, type HostileServers } from "./hostile-process.ts";
import { listenHttp } from "./listening.ts";

const kinds = [...Object.keys(hostileEndpoints), ...Object.keys(hostileHandshakes)];
const DEADLINE_MS = 600;
const EACH = 4;

describe(`attempts at ${kinds.length} kinds of hostile endpoints at one time`, () => {
  let servers: HostileServers;
  beforeAll(async () => {
    servers = await startHostileServers();
  });
  afterAll(() => servers.stop());

  it("B10 end by a second after the deadline, and nobody else waits for them", async () => {
    const transport = undiciTransport({ deadlineMs: DEADLINE_MS, allowLoopback: true });
    onTestFinished(() => transport.close());
    const post = async (url: URL): Promise<{ answer: Answer; ms: number }> => {
      const start = performance.now();
      const answer = await transport.post({
        url,
        headers: {},
        body: Buffer.from("{}"),
        merchantId: "mer_1",
      });
      return { answer, ms: performance.now() - start };
    };
    const friend = await listenHttp((_, response) => response.writeHead(204).end());
    await post(friend.url);

    const hostile = kinds.map(async (kind) => {
      const all = await Promise.all(Array.from({ length: EACH }, () => post(servers.urlOf(kind))));
      return { kind, longest: Math.max(...all.map(({ ms }) => ms)) };
    });
    const friendly: Answer[] = [];
    for (let count = 0; count < 20; count += 1) {
      friendly.push((await post(friend.url)).answer);
      await setTimeout(DEADLINE_MS / 40);
    }
    for (const { kind, longest } of await Promise.all(hostile)) {
      expect({ kind, isOver: longest < DEADLINE_MS + 1000 }).toEqual({ kind, isOver: true });
    }
    expect(friendly).toEqual(
      friendly.map(() => expect.objectContaining({ status: 204 }) as unknown),
    );
  });

  it("B10 are each recorded with at most 1 KiB, and leave nothing for the next attempt", async () => {
    const transport = undiciTransport({ deadlineMs: DEADLINE_MS / 4, allowLoopback: true });
    onTestFinished(() => transport.close());
    const postTwice = async (kind: string): Promise<void> => {
      const request = {
        url: servers.urlOf(kind),
        headers: {},
        body: Buffer.from("{}"),
        merchantId: "mer_1",
      };
      for (let count = 0; count < 2; count += 1) {
        const answer = await transport.post(request);
        expect((answer.kind === "answered" ? answer.excerpt : "").length).toBeLessThanOrEqual(1024);
      }
    };
    await Promise.all(kinds.map(postTwice));
  });
});
