import { afterAll, describe, expect, it } from "vitest";
import { openWatched } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";

// One service for all that is refused.
const shared = await openWatched({ atEnd: afterAll });

const secretKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const unsubscribe = (json: object, path: string) =>
  shared.call("PUT", `/v1/webhook/unsubscribe${path}`, { json });

describe("POST /v1/webhook/subscribe", () => {
  it("T-29 accepts absolute https URLs of at most 2,048 characters without credentials or fragment, and http to loopback in the sandbox", async () => {
    for (const bad of [
      "http://merchant.example/hook",
      "http://127.0.0.1:9/hook",
      "http://localhost/hook",
      "ftp://merchant.example/",
      "file:///etc/passwd",
      "merchant.example/hook",
      "https://user@merchant.example/",
      "https://:secret@merchant.example/",
      "https://",
      "https://127.0.0.1/",
      "https://10.0.0.1:8443/hook",
      "https://[::1]/",
      "https://169.254.169.254/latest",
      "https://[::ffff:10.0.0.1]/",
      "https://merchant.example/hook#part",
      "https://merchant.example/hook#",
      "javascript:alert(1)",
      `https://merchant.example/${"x".repeat(2048)}`,
    ]) {
      const code = "INVALID_URL";
      const answer = await shared.subscribe({ url: bad });
      expect(refusal(answer)).toEqual({ status: 400, code, members: { "/url": code } });
    }
    const sandbox = await openWatched({ endpoints: { allowLoopback: true } });
    for (const [host, status] of [
      ["https://merchant.example:8443", 200],
      ["http://127.0.0.1", 200],
      ["http://localhost:80", 200],
      ["http://127.1:4020", 200],
      ["http://[::1]", 200],
      ["http://merchant.example", 400],
      ["http://10.0.0.1", 400],
      ["http://127.0.0.1.evil.test", 400],
    ] as const) {
      const answer = await sandbox.subscribe({ url: `${host}/a?b=1` });
      expect([host, answer.status]).toEqual([host, status]);
    }
  });

  it("T-30 refuses weak, asymmetric and the client's own secrets, and never returns or logs any", async () => {
    const opened = await openWatched();
    const encoded = (prefix: string, bytes: number): string =>
      prefix + Buffer.alloc(bytes, 7).toString("base64");
    const weak = [
      "x".repeat(23),
      "x".repeat(257),
      `${"x".repeat(24)} y`,
      `whsec_${"!".repeat(32)}`,
      encoded("whsec_", 23),
      encoded("whsec_", 65),
      encoded("whsk_", 32),
      encoded("whpk_", 32),
      opened.merchant.clientSecret,
    ];
    let texts = "";
    for (const one of weak) {
      const code = "WEAK_SECRET";
      const answer = await opened.subscribe({ secretKey: one });
      expect(refusal(answer)).toEqual({ status: 400, code, members: { "/secretKey": code } });
      texts += answer.text;
    }
    texts += (await opened.subscribe({ secretKey })).text;
    expect((await opened.subscribe()).status).toBe(200);
    for (const secret of [secretKey, opened.merchant.clientSecret])
      expect(texts + JSON.stringify(opened.lines)).not.toContain(secret);
  });
});

describe("PUT /v1/webhook/unsubscribe", () => {
  it("T-23 takes the returned key in the body, the path or the query, and is 400 when two of them differ", async () => {
    const { subscriptionKey: subscriptionId } = validated("subscribed", await shared.subscribe());
    const json = { subscriptionDetails: { type: "EVENT", details: ["payment.created"] } };
    const inBody = { ...json, subscriptionId };
    for (const [sent, path] of [
      [inBody, ""],
      [json, `/${subscriptionId}`],
      [json, `?subscriptionId=${subscriptionId}`],
    ] as const) {
      const { body } = await unsubscribe(sent, path);
      expect(body).toEqual({ subscriptionKey: subscriptionId });
    }
    for (const path of ["/other", "?subscriptionId=other"])
      expect(refusal(await unsubscribe(inBody, path))).toEqual({
        status: 400,
        code: "INVALID_REQUEST",
        members: { "/subscriptionId": "CONTRADICTION" },
      });
  });
});
