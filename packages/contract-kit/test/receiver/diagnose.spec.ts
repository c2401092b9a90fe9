import { createHmac } from "node:crypto";
import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { receiverChecks } from "../../src/checks.ts";
import { requirements } from "../../src/check.ts";
import { run } from "../../src/run.ts";
import { openReceiver, secrets } from "./open-receiver.ts";

// Whole runs: a busy machine takes longer, and no time decides what they show.
vi.setConfig({ testTimeout: 900_000 });

const [secret = ""] = secrets["standard"] ?? [];

interface Mistake {
  readonly aheadSeconds?: number;
  readonly key?: Buffer;
  readonly path?: string;
  readonly signed?: (body: string) => string;
  readonly refusal?: number;
  readonly location?: string;
  /** A text of the body with which it refuses what it has verified. */
  readonly unknown?: string;
  readonly explanation?: readonly string[];
  /** The text of its acknowledgement, with its number of characters as Content-Length. */
  readonly said?: string;
}

/** A receiver that verifies with one mistake, and so refuses every genuine attempt. */
function mistaken(mistake: Mistake): RequestListener {
  const key = mistake.key ?? Buffer.from(secret.replace("whsec_", ""), "base64");
  const judge = async (request: Parameters<RequestListener>[0]): Promise<number> => {
    const body = await text(request);
    if (mistake.location !== undefined) return 308;
    if (request.url !== (mistake.path ?? "/webhooks")) return 404;
    const { "webhook-id": id, "webhook-timestamp": time } = request.headers;
    const now = Date.now() / 1000 + (mistake.aheadSeconds ?? 0);
    const signed = `${String(id)}.${String(time)}.${mistake.signed?.(body) ?? body}`;
    const mac = createHmac("sha256", key).update(signed).digest("base64");
    const isTimely = Math.abs(now - Number(time)) < 300;
    const isGenuine = isTimely && request.headers["webhook-signature"] === `v1,${mac}`;
    if (mistake.explanation !== undefined) return 401;
    if (isGenuine && mistake.unknown !== undefined)
      return body.includes(mistake.unknown) ? 422 : 204;
    return isGenuine && mistake.refusal === undefined ? 204 : (mistake.refusal ?? 401);
  };
  return (request, response) => {
    void judge(request).then((status) => {
      if (mistake.location !== undefined) response.setHeader("location", mistake.location);
      // Without a Date, as behind many proxies.
      response.sendDate = false;
      const { explanation, said } = mistake;
      if (said !== undefined && status === 204)
        response.writeHead(200, { "content-length": said.length }).end(said);
      else response.writeHead(status).end(explanation && JSON.stringify({ explanation }));
    });
  };
}

const reprinted = (body: string): string => {
  const event: unknown = JSON.parse(body);
  return JSON.stringify(event, null, 1)
    .replaceAll(/\n\s*/g, " ")
    .replaceAll("{ ", "{")
    .replaceAll(" }", "}");
};

it("a run against our own receiver with another secret names the option that explains the cause in its log", async () => {
  const target = await openReceiver({ verifyingSecrets: ["a-secret-that-no-sender-has-0123"] });
  const only = ["receiver/genuine"];
  const own = { target, checks: receiverChecks, requirements: requirements("receiver"), only };
  const { findings } = await run(own);
  const message = findings.map((one) => one.message).join("");
  expect(message).toMatch(/Countersign's: create it with `explain: true`, and its log names/);
});

it.each<readonly [string, Mistake, RegExp]>([
  [
    "its clock if that is an hour ahead",
    { aheadSeconds: 3600 },
    /^All 14 types are answered by 401\. With the time moved by \+3600 s it is accepted: the receiver's clock is an hour ahead/,
  ],
  [
    "its key if that is the secret's text",
    { key: Buffer.from(secret) },
    /401\. The receiver uses the text of the secret as it is, with its prefix: Configure/,
  ],
  [
    "its body if that is printed again",
    { signed: reprinted },
    /The receiver does not verify the bytes that arrive but a text made of them: Pass the raw/,
  ],
  [
    "its path if that ends with a slash",
    { path: "/webhooks/" },
    /answered by 404\. With the path \/webhooks\/ it is accepted/,
  ],
  [
    "the address that it redirects to",
    { location: "/hook/" },
    /It redirects to http:\/\/127\.0\.0\.1:\d+\/hook\/, and senders follow no redirect/,
  ],
  [
    "a member that it does not know",
    { unknown: '"category"' },
    /With a body without category it is accepted: accept members that you do not know/,
  ],
  ["the events if it takes their signatures", { unknown: "{" }, /401: it refuses the events\.$/],
  ["the length of its answers", { said: "✓" }, /is Content-Length the body's number of bytes/],
  ["a CSRF protection if all is forbidden", { refusal: 403 }, /is a CSRF protection in front/],
  [
    "what to compare if nothing helps",
    { refusal: 401 },
    /No change of clock, secret, body or media type/,
  ],
  [
    "the causes that the receiver explains in its answer",
    { explanation: ["Secret 1 is another endpoint's.", "Copy this endpoint's secret."] },
    /401\. It explains: Secret 1 is another endpoint's\. Copy this endpoint's secret\.$/,
  ],
])(
  "a run against a receiver that refuses every genuine attempt names %s, once, and skips what depends on it",
  async (_what, mistake, sentence) => {
    const target = await openReceiver({ app: mistaken(mistake), hasEffects: false });
    const { findings, exitCode } = await run({
      target,
      checks: receiverChecks,
      requirements: requirements("receiver"),
    });
    const failed = findings.filter(({ status }) => status === "fail");
    expect(failed.map(({ requirement }) => requirement.id)).toEqual(["R-ACK-GENUINE"]);
    expect(failed[0]?.message).toMatch(sentence);
    const skipped = findings.filter(({ status }) => status === "skipped");
    expect(skipped.length).toBeGreaterThan(30);
    expect(exitCode).toBe(1);
  },
);
