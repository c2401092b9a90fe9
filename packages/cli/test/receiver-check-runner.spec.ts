import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createReceiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it, onTestFinished } from "vitest";
import { receiverCheckRunner } from "../src/receiver-check-runner.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const MEMBERS = ["id", "group", "title", "requirement", "level", "name", "source", "why"];

async function openReceiver(): Promise<string> {
  const receiver = createReceiver({ secrets: [secret], fallback: () => undefined });
  const handle = toNode(receiver);
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
}

const runnerOf = (url: string) =>
  receiverCheckRunner({ url, secret, profile: profiles.standard, profileName: "standard" });

describe("the checks that a sandbox hosts", () => {
  it("are those of verify receiver, each with its requirement's words", async () => {
    const owed = await runnerOf("http://127.0.0.1:9/").owed();
    expect(owed.length).toBeGreaterThan(5);
    for (const one of owed) {
      expect(Object.keys(one)).toEqual(MEMBERS);
      expect(Object.values(one)).not.toContain("");
    }
    expect(owed[0]).toMatchObject({ group: "receiver/genuine", requirement: "R-ACK-GENUINE" });
  });

  it("tell each finding as it comes, end when they are stopped, and tell no secret", async () => {
    const stop = new AbortController();
    const entries: object[] = [];
    const places: number[] = [];
    const report = await runnerOf(await openReceiver()).run({
      signal: stop.signal,
      onCheck: ({ place }) => {
        places.push(place);
        if (place === 3) stop.abort();
      },
      onEntry: (entry) => entries.push(entry),
    });
    expect(places).toEqual([1, 2, 3]);
    expect(entries[0]).toMatchObject({ group: "receiver/genuine", status: "pass" });
    expect(entries.at(-1)).toMatchObject({ status: "skipped" });
    expect(report).toMatchObject({ exitCode: 2, problems: [expect.stringMatching(/interrupted/)] });
    expect(JSON.stringify([entries, report])).not.toContain(secret.slice(6));
  });

  it("do not run against another machine", async () => {
    const watch = {
      signal: new AbortController().signal,
      onCheck: () => expect.unreachable(),
      onEntry: () => expect.unreachable(),
    };
    await expect(runnerOf("http://8.8.8.8/webhooks").run(watch)).rejects.toMatchObject({
      code: "CS_KIT_TARGET_NOT_OWNED",
    });
  });
});
