import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Transport } from "../../src/delivery/transport.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import {
  faults,
  genuine,
  heapInUse,
  listenPlain,
  listenTls,
  postMany,
  trustAuthority,
} from "./bad-certificates.ts";

function openTransport(): Transport {
  const transport = undiciTransport({ deadlineMs: 10_000, allowLoopback: true });
  onTestFinished(() => transport.close());
  return transport;
}
const attempt = (transport: Transport, url: URL) =>
  transport.post({ url, headers: {}, body: Buffer.from("{}") });
const failed = { kind: "unanswered", code: "CS_ATTEMPT_TLS_FAILED" };

describe("B11: an endpoint over TLS", () => {
  it("is posted to where its certificate is its own and its authority trusted", async () => {
    trustAuthority();
    const url = await listenTls(genuine);
    expect(await attempt(openTransport(), url)).toMatchObject({ kind: "answered", status: 204 });
  });

  it("is not where nobody trusts the authority", async () => {
    expect(await attempt(openTransport(), await listenTls(genuine))).toEqual(failed);
  });

  it.each(Object.entries(faults))("is not with %s", async (_, options) => {
    trustAuthority();
    expect(await attempt(openTransport(), await listenTls(options))).toEqual(failed);
  });

  it("is not where it speaks no TLS", async () => {
    expect(await attempt(openTransport(), await listenPlain())).toEqual(failed);
  });

  it("is not with a bad certificate either where the environment says that none is looked at", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = await listenTls({ cert: faults["a certificate of its own making"].cert });
    expect(await attempt(openTransport(), url)).toEqual(failed);
  });

  it("costs no memory that lasts, however often it fails", async () => {
    trustAuthority();
    const urls = await Promise.all(Object.values(faults).map(listenTls));
    const transport = openTransport();
    await postMany(transport, urls, 80);
    const before = heapInUse();
    const answers = await postMany(transport, urls, 160);
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify(failed)]),
    );
    // A connection that stayed, with its certificate and its keys, would be tens of kilobytes.
    expect(heapInUse() - before).toBeLessThan(160 * 4096);
  });
});
