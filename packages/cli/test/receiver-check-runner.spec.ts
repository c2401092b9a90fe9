import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { receiverCheckRunner } from "../src/receiver-check-runner.ts";
import { openMerchant, SECRET as secret } from "./fixtures.ts";

const MEMBERS = ["id", "group", "title", "requirement", "level", "name", "source", "why"];

const runnerOf = (url: string) =>
  receiverCheckRunner({ url, secret, profile: profiles.standard, profileName: "standard" });

describe("the checks that a sandbox hosts", () => {
  it("are those of verify receiver, with their requirements", async () => {
    const owed = await runnerOf("http://127.0.0.1:9/").owed();
    expect(owed.length).toBeGreaterThan(5);
    for (const one of owed) {
      expect(Object.keys(one)).toEqual(MEMBERS);
      expect(Object.values(one)).not.toContain("");
    }
    expect(owed[0]).toMatchObject({ group: "receiver/genuine", requirement: "R-ACK-GENUINE" });
  });

  it("report each finding at once, end when stopped, and contain no secret", async () => {
    const { url } = await openMerchant([secret]);
    const stop = new AbortController();
    const entries: object[] = [];
    const places: number[] = [];
    const report = await runnerOf(`${url}/webhooks`).run({
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
    const never = () => expect.unreachable();
    const watch = { signal: new AbortController().signal, onCheck: never, onEntry: never };
    await expect(runnerOf("http://8.8.8.8/webhooks").run(watch)).rejects.toMatchObject({
      code: "CS_KIT_TARGET_NOT_OWNED",
    });
  });
});
