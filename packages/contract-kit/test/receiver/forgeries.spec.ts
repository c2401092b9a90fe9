import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { profiles } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it, vi } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { run } from "../../src/run.ts";
import type { ReceiverTarget } from "../../src/harness/receiver-target.ts";
import { openReceiver, type OpenOptions, secrets } from "./open-receiver.ts";

// Whole runs: a busy machine takes longer, and no time decides what they show.
vi.setConfig({ testTimeout: 900_000 });

const seen = new Set<unknown>();

interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  /** The signatures of the header. */
  readonly sent: readonly string[];
  /** The genuine one. */
  readonly mac: string;
  readonly isFresh: boolean;
}

const KEY = Buffer.from((secrets["standard"]?.[0] ?? "").replace("whsec_", ""), "base64");
const TOLERANCE = 300;

const hmac = (text: string | Buffer, key: string | Buffer = KEY): string =>
  createHmac("sha256", key).update(text).digest("base64");
const isNow = (time: unknown): boolean => Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE;
const textOf = ({ headers }: Pick<Arrived, "headers">, body: Buffer | string): string =>
  `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${String(body)}`;

/** A receiver by hand that takes what `accepts` takes besides genuine attempts. */
const lax =
  (accepts: (arrived: Arrived) => boolean): NonNullable<OpenOptions["app"]> =>
  (request, response) => {
    void arrive(request).then((arrived) => {
      const isGenuine = arrived.isFresh && arrived.sent.includes(arrived.mac);
      const isTaken = accepts(arrived);
      response.writeHead(isGenuine || isTaken ? 204 : 401).end();
    });
  };

async function arrive(request: IncomingMessage): Promise<Arrived> {
  const { headers, url = "" } = request;
  const body = await buffer(request);
  return {
    headers,
    body,
    query: new URLSearchParams(url.split("?")[1]),
    sent: String(headers["webhook-signature"] ?? "")
      .split(" ")
      .filter((one) => one.startsWith("v1,"))
      .map((one) => one.slice(3)),
    mac: hmac(textOf({ headers }, body)),
    isFresh: isNow(headers["webhook-timestamp"]),
  };
}

const provider = providerOf(profiles.standard);
const short = {
  ...profiles.standard,
  provider: { ...provider, catalogue: provider.catalogue?.slice(0, 2) ?? [] },
};

async function failures(target: ReceiverTarget, only: string): Promise<readonly string[]> {
  const all = requirements("receiver");
  const { findings } = await run({
    target,
    checks: receiverChecks,
    requirements: all,
    only: [only],
  });
  return findings.filter(({ status }) => status === "fail").map((one) => one.requirement.id);
}

const signedBy = (key: (arrived: Arrived) => string | Buffer) => (arrived: Arrived) =>
  arrived.sent.includes(hmac(textOf(arrived, arrived.body), key(arrived)));
const fake = (sent: string | undefined, mac: string, from: number, to?: number): boolean =>
  sent !== undefined && sent !== mac && sent.slice(from, to) === mac.slice(from, to);

describe("a forged attempt is noticed if a receiver", { tags: "ci" }, () => {
  it.each<[what: string, requirement: string, accepts: (arrived: Arrived) => boolean]>([
    [
      "decodes a secret that is not set",
      "R-VERIFY-WRONG-KEY",
      signedBy(() => Buffer.from("undefined", "base64")),
    ],
    [
      "takes the key from a header that each attempt has",
      "R-VERIFY-OWN-KEYS",
      signedBy(({ headers }) => headers["content-type"] ?? ""),
    ],
    [
      "finds a member of each object for an unknown tenant",
      "R-VERIFY-OWN-KEYS",
      signedBy(({ headers }) => {
        const keys: Readonly<Record<string, string>> = {};
        const found: unknown = keys[String(headers["x-tenant-id"])];
        return typeof found === "function" ? found.toString() : "a key that nobody knows";
      }),
    ],
    [
      "lets the attempt choose no algorithm",
      "R-VERIFY-MAC",
      ({ headers }) => headers["x-signature-algorithm"] === "none",
    ],
    [
      "lets the attempt choose a digest without a key",
      "R-VERIFY-MAC",
      ({ query, body, sent }) =>
        query.get("algorithm") === "md5" &&
        sent.includes(createHash("md5").update(body).digest("base64")),
    ],
    [
      "leaves one character out of the comparison",
      "R-VERIFY-WHOLE",
      ({ sent: [sent = ""], mac }) =>
        sent !== mac &&
        sent.length === mac.length &&
        sent.slice(0, 17) + sent.slice(18) === mac.slice(0, 17) + mac.slice(18),
    ],
    [
      "compares as many bytes as were sent",
      "R-VERIFY-WHOLE",
      ({ sent: [sent], mac }) =>
        Buffer.from(sent ?? "", "base64").length === 13 && fake(sent, `${mac}=`, 0, 17),
    ],
    [
      "compares the end only",
      "R-VERIFY-WHOLE",
      ({ sent: [sent], mac }) => sent?.length === mac.length && fake(sent, mac, -16),
    ],
    [
      "skips the verification of an event that it has",
      "R-VERIFY-UNSIGNED",
      ({ headers, sent, mac }) => {
        const { "webhook-id": id } = headers;
        if (sent.includes(mac)) seen.add(id);
        return seen.has(id);
      },
    ],
    [
      "verifies what it parsed, without a member's second value",
      "R-VERIFY-RAW",
      (arrived) => {
        const text = arrived.body.toString();
        if (!/"(\w+)":0,"\1":/.test(text)) return false;
        return arrived.sent.includes(hmac(textOf(arrived, JSON.stringify(JSON.parse(text)))));
      },
    ],
    [
      "verifies the decoded payload of a form",
      "R-VERIFY-RAW",
      ({ headers, body, sent }) => {
        if (!headers["content-type"]?.endsWith("form-urlencoded")) return false;
        const payload = new URLSearchParams(body.toString()).get("payload") ?? "";
        return sent.includes(hmac(textOf({ headers }, payload)));
      },
    ],
    [
      "reads the present from the query",
      "R-VERIFY-STALE",
      ({ query, sent, mac }) => sent.includes(mac) && isNow(query.get("timestamp") ?? 0),
    ],
    [
      "reads the present from an unsigned header",
      "R-VERIFY-STALE",
      ({ headers, sent, mac }) => sent.includes(mac) && isNow(headers["x-webhook-timestamp"] ?? 0),
    ],
    [
      "takes records of a queue for verified",
      "R-VERIFY-BYPASS",
      ({ body }) => body.includes('{"Records":'),
    ],
    [
      "verifies nothing once it is numbered as a retry",
      "R-VERIFY-BYPASS",
      ({ headers }) => headers["x-retry-count"] !== undefined,
    ],
    [
      "finds the genuine signature anywhere in the header",
      "R-VERIFY-WHOLE",
      ({ sent: [sent = ""], mac }) => sent !== mac && sent.includes(mac),
    ],
    [
      "takes a signature over the URL",
      "R-VERIFY-MAC",
      ({ sent, headers }) => sent.includes(hmac(`http://${String(headers.host)}/webhooks`)),
    ],
    [
      "verifies the first 100,000 bytes",
      "R-VERIFY-TAMPERED",
      ({ body, sent }) => body.length > 100_000 && sent.length > 0,
    ],
    [
      "verifies only some media types",
      "R-VERIFY-BYPASS",
      ({ headers }) => headers["content-type"] === "text/json",
    ],
  ])("%s", async (_what, requirement, accepts) => {
    const target = await openReceiver({ profile: short, app: lax(accepts), hasEffects: false });
    expect(await failures(target, requirement)).toEqual([requirement]);
  });
});

it("JSON that no signature of a form covers is noticed", { tags: "ci" }, async () => {
  const twilio = providersByName.get("twilio");
  const token = "12345678901234567890123456789012";
  const target = await openReceiver({
    secrets: [token],
    hasEffects: false,
    ...(twilio && { provider: { ...twilio, catalogue: twilio.catalogue?.slice(0, 1) ?? [] } }),
    app: (request, response) => {
      void buffer(request).then((body) => {
        const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
        const form = new URLSearchParams(isForm ? body.toString() : "");
        form.sort();
        const text = `http://${String(request.headers.host)}/webhooks${[...form].flat().join("")}`;
        const mac = createHmac("sha1", token).update(text).digest("base64");
        response.writeHead(request.headers["x-twilio-signature"] === mac ? 200 : 401).end();
      });
    },
  });
  expect(await failures(target, "R-VERIFY-TAMPERED")).toEqual(["R-VERIFY-TAMPERED"]);
});

it(
  "no forged attempt is accepted by the same receiver without a fault",
  { tags: "ci" },
  async () => {
    const target = await openReceiver({ profile: short, app: lax(() => false), hasEffects: false });
    for (const check of ["receiver/forged", "receiver/timestamps", "receiver/bypass"])
      expect(await failures(target, check)).toEqual([]);
  },
);

it("a receiver of a vendor whose library reads the last signature need not try each", async () => {
  const paddle = providersByName.get("paddle");
  const own = "pdl_ntfset_a-secret-that-only-the-two-of-us-have";
  const target = await openReceiver({
    secrets: [own],
    hasEffects: false,
    ...(paddle && { provider: paddle }),
    app: (request, response) => {
      void buffer(request).then((body) => {
        const header = String(request.headers["paddle-signature"]);
        const time = /ts=(\d+)/.exec(header)?.[1] ?? "";
        const mac = createHmac("sha256", own).update(`${time}:`).update(body).digest("hex");
        response.writeHead(header.endsWith(`h1=${mac}`) ? 200 : 401).end();
      });
    },
  });
  expect(await failures(target, "R-VERIFY-EACH")).toEqual([]);
});

it("a run ends after the most requests that it may send, and skips what it has not judged", async () => {
  const target = await openReceiver({ profile: short, hasEffects: false });
  target.sockets.maxRequests = 10;
  const all = requirements("receiver");
  const only = ["R-VERIFY-WHOLE"];
  const { findings, exitCode } = await run({
    target,
    checks: receiverChecks,
    requirements: all,
    only,
  });
  expect(exitCode).toBe(2);
  expect(findings.map(({ status, message }) => `${status}: ${message}`)).toEqual([
    "skipped: the run has sent 10 requests, the most that it may",
  ]);
});
