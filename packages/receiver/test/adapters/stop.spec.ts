import { once } from "node:events";
import type { Socket } from "node:net";
import { stopServer } from "@countersign/receiver/node";
import { describe, expect, it } from "vitest";
import { recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { sending } from "./mounted.ts";
import { open } from "./wire.ts";

describe("stopServer", () => {
  it("stops within its grace period while a sender keeps its connections busy", async () => {
    const { server, receiver, post } = await sending(
      () => new Promise((resolve) => setTimeout(resolve, 20)),
    );
    const statuses: number[] = [];
    const sendUntilRefused = async (): Promise<void> => {
      for (;;) statuses.push(await post());
    };
    const senders = Array.from({ length: 4 }, () => sendUntilRefused().catch(() => undefined));
    await expect.poll(() => statuses.length).toBeGreaterThan(8);
    expect(await stopServer(server, receiver, { graceMs: 5000 })).toBe(true);
    await Promise.all(senders);
    expect(new Set(statuses)).toEqual(new Set([204]));
  });

  it("cuts the remaining connections after its grace period and returns false", async () => {
    const { server, receiver, post } = await sending(() => new Promise(() => undefined));
    const hanging = post().catch(() => "cut");
    await new Promise((resolve) => server.once("request", resolve));
    expect(await stopServer(server, receiver, { graceMs: 200 })).toBe(false);
    expect(await hanging).toBe("cut");
  });
});

it("stopServer returns false if it cut a connection, although no handler was running", async () => {
  const { server, port, receiver } = await sending(() => undefined);
  const connected = once(server, "connection") as Promise<[Socket]>;
  const socket = await open(port);
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\n");
  const [accepted] = await connected;
  await expect.poll(() => accepted.bytesRead).toBeGreaterThan(0);
  expect(await stopServer(server, receiver, { graceMs: 200 })).toBe(false);
  socket.destroy();
});

it("receiver.close waits for all handlers whose attempts were answered before", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { receiver, send } = recordingReceiver({ limits: { answerMs: 30 } });
  const waiting = gates.values();
  receiver.on("refund.authorized", () => waiting.next().value?.promise);
  await Promise.all([send(refundAuthorized("evt_1")), send(refundAuthorized("evt_2"))]);
  const closed = receiver.close({ graceMs: 30 });
  gates[0]?.resolve();
  expect(await closed).toBe(false);
  gates[1]?.resolve();
  expect(await receiver.close()).toBe(true);
});

it("stopServer answers an attempt on a connection that was idle when the stop began", async () => {
  const { server, receiver, port } = await sending(() => undefined);
  const socket = await open(port);
  const replies: string[] = [];
  socket.on("data", (data) => void replies.push(data.toString()));
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(() => replies.join("")).toContain("405");
  const stopped = stopServer(server, receiver, { graceMs: 10_000 });
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await expect.poll(() => replies.join("").match(/ 405 /g)?.length).toBe(2);
  expect(replies.join("").toLowerCase()).toContain("connection: close");
  expect(await stopped).toBe(true);
});
