import { generateKeyPairSync } from "node:crypto";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/finding.ts";
import { receiverChecks } from "../../src/receiver/receiver-checks.ts";
import { requirements } from "../../src/requirements.ts";
import { run, type Report } from "../../src/run.ts";
import type { ReceiverTarget } from "../../src/target.ts";
import { openReceiver, secrets } from "./open-receiver.ts";

const runAll = (target: ReceiverTarget, only?: readonly string[]): Promise<Report> =>
  run({
    target,
    checks: receiverChecks,
    requirements: requirements("receiver"),
    ...(only && { only }),
  });
const told = (findings: readonly Finding[], status: Finding["status"]): string[] =>
  findings
    .filter((one) => one.status === status)
    .map(({ requirement, message }) => `${requirement.id}: ${message}`);
const unmet = (findings: readonly Finding[]): string[] =>
  (["fail", "warn", "error", "skipped"] as const).flatMap((status) => told(findings, status));

// What each check catches is shown by test/matrix; here is what holds for all of them.
describe("our own receiver", () => {
  it("passes every check that does not wait", async () => {
    const { findings, exitCode } = await runAll(await openReceiver());
    expect(unmet(findings)).toEqual([]);
    expect(exitCode).toBe(0);
    expect(told(findings, "not_applicable")).toEqual([
      expect.stringMatching(/^R-ORDER-GUARD: it has no order guard/),
      expect.stringMatching(/^R-LOAD-SHED: 64 events at once are within its limit/),
      expect.stringMatching(/^R-BODY-SLOW: .*--slow/),
      expect.stringMatching(/^R-ACK-HANGING: .*--slow/),
    ]);
  });

  it("passes with another scheme and another envelope, as far as they can show it", async () => {
    const profile = profiles["x-signature"];
    const only = ["tampered", "signatures", "wrong-key", "schemas", "signature-lists", "rotation"];
    const { findings } = await runAll(
      await openReceiver({ profile }),
      only.map((name) => `receiver/${name}`),
    );
    expect(unmet(findings)).toEqual([]);
    expect(told(findings, "not_applicable").map((one) => one.split(":")[0])).toEqual([
      "R-VERIFY-EACH",
      "R-VERIFY-VERSION",
      "R-VERIFY-ROTATION",
      "R-EVENT-SCHEMA",
    ]);
  });

  it("passes nothing that only its handlers show, where nobody shows them", async () => {
    const only = ["genuine", "duplicates", "concurrent", "failing", "order", "money", "load"];
    const { findings, exitCode } = await runAll(
      await openReceiver({ hasEffects: false }),
      only.map((name) => `receiver/${name}`),
    );
    expect(exitCode).toBe(0);
    expect(told(findings, "pass")).toEqual(["R-ACK-GENUINE: ", "R-ACK-IN-TIME: "]);
  });

  it("keeps its own deadlines: of bodies without end, and of handlers", async () => {
    const only = ["R-BODY-SLOW", "R-ACK-HANGING"];
    const { findings } = await runAll(await openReceiver({ slow: true }), only);
    expect(told(findings, "pass")).toEqual(["R-BODY-SLOW: ", "R-ACK-HANGING: "]);
  });

  it("passes with a public key, which nobody can sign with", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32);
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    const secret = `whsk_${Buffer.concat([seed, raw]).toString("base64")}`;
    const target = await openReceiver({
      secrets: [secret],
      verifyingSecrets: [`whpk_${raw.toString("base64")}`],
      hasEffects: false,
    });
    const only = ["genuine", "tampered", "signatures", "signature-lists", "wrong-key", "alike"];
    const { findings } = await runAll(
      target,
      only.map((name) => `receiver/${name}`),
    );
    expect(unmet(findings)).toEqual([]);
    expect(told(findings, "pass")).toContain("R-VERIFY-VERSION: ");
  });
});

describe("a receiver of some events alone", () => {
  it("is sent no others, and one that is no event is a mistake", async () => {
    const types = ["refund.failed", "account.linked"];
    const seen = new Set<unknown>();
    const target = await openReceiver({
      types,
      hasEffects: false,
      fault: (next) => (request, response) => {
        request.on("data", (bytes: Buffer) =>
          seen.add(/"type":"([^"]*)"/.exec(bytes.toString())?.[1]),
        );
        next(request, response);
      },
    });
    const { findings } = await runAll(target, ["receiver/genuine", "receiver/rotation"]);
    expect(unmet(findings)).toEqual([]);
    expect(seen).toEqual(new Set(types));
    await expect(openReceiver({ types: ["refund.unheard"] })).rejects.toThrow(TypeError);
  });
});

describe("a receiver that", () => {
  it("refuses everything fails what it does not take, and passes no check of refusals", async () => {
    const target = await openReceiver({
      fault: () => (_request, response) => response.writeHead(401).end(),
    });
    const { findings } = await runAll(target);
    expect(told(findings, "pass")).toEqual(["R-ACK-IN-TIME: "]);
    expect(told(findings, "fail")).toEqual([expect.stringMatching(/^R-ACK-GENUINE: /)]);
    expect(told(findings, "skipped").length).toBeGreaterThan(30);
  });

  it("takes everything fails with the bytes of both sides, and gives no secret away", async () => {
    const [secret = ""] = secrets["standard"] ?? [];
    const target = await openReceiver({
      hasEffects: false,
      fault: () => (request, response) => {
        request.resume().on("end", () => response.end(`the key is ${secret}`));
      },
    });
    const { findings } = await runAll(target, ["R-VERIFY-UNSIGNED", "R-LEAK-NOTHING"]);
    const [unsigned, leak] = findings;
    expect(unsigned).toMatchObject({ status: "fail" });
    expect(leak?.message).toMatch(/the answer \(200\) holds a secret/);
    const [exchange] = unsigned?.evidence?.exchanges ?? [];
    expect(exchange?.sent).toMatch(/^POST \/webhooks HTTP\/1\.1\nHost: 127/);
    expect(exchange?.sent).toMatch(/\n\n\{"id":"cstest_[0-9a-f]{8}_unsigned_\d+"/);
    expect(exchange?.received).toMatch(/^HTTP\/1\.1 200 OK\n[^]*\n\nthe key is \[secret\]$/);
    expect(JSON.stringify(findings)).not.toContain(secret.slice("whsec_".length));
  });

  it("dies of a forged attempt fails that attempt's requirement", async () => {
    let isDead = false;
    const target = await openReceiver({
      effectsWaitMs: 50,
      fault: (next) => (request, response) => {
        isDead ||= request.headers["webhook-signature"] === undefined;
        if (isDead) request.destroy();
        else next(request, response);
      },
    });
    const { findings } = await runAll(target, ["R-VERIFY-UNSIGNED"]);
    expect(findings[0]).toMatchObject({ status: "fail" });
    expect(findings[0]?.message).toMatch(/a genuine attempt after .* is answered by a closed/);
  });
});

describe("the ids of a run", () => {
  const attempts = async (nonce: string): Promise<string> => {
    const now = 1_795_000_000_000;
    const clock = { now: () => now, after: () => () => undefined };
    const target = await openReceiver({
      nonce,
      clock,
      hasEffects: false,
      fault: () => (request, response) => {
        response.sendDate = false;
        request.resume().on("end", () => response.writeHead(200).end());
      },
    });
    const { findings } = await runAll(target, ["R-VERIFY-UNSIGNED"]);
    return JSON.stringify(findings[0]?.evidence?.exchanges).replaceAll(/127\.0\.0\.1:\d+/g, "");
  };

  it("are the same with the same seed, nonce and clock, byte for byte", async () => {
    expect(await attempts("a")).toBe(await attempts("a"));
  });

  it("are others with another nonce: a receiver remembers those of the run before", async () => {
    expect(await attempts("a")).not.toBe(await attempts("b"));
  });
});

describe("a receiver whose clock differs", () => {
  it("is told of beside the findings", async () => {
    const target = await openReceiver({
      hasEffects: false,
      fault: (next) => (request, response) => {
        response.setHeader("date", new Date(Date.now() + 60_000).toUTCString());
        next(request, response);
      },
    });
    expect(target.notes()).toEqual([]);
    await runAll(target, ["R-ACK-GENUINE"]);
    expect(target.notes()).toEqual([expect.stringMatching(/clock is (?:5[5-9]|6[01]) s ahead/)]);
  });
});
