import { inspect } from "node:util";
import type { ClientOptions } from "@countersign/client";
import { describe, expect, it } from "vitest";
import { errorOf, openClient, order, pending, problem } from "./fixtures.ts";
import { SECRET_KEY } from "./open-sandbox.ts";
import { openProvider, type Scripted } from "./scripted-provider.ts";

const once = { retry: { attempts: 1 } } as const;
const subscription = {
  url: "https://merchant.example/hooks",
  secretKey: SECRET_KEY,
  subscriptionDetails: { type: "ALL" },
} as const;

async function refundError(answer: Scripted, options: Partial<ClientOptions> = once) {
  const { url, received } = await openProvider(answer);
  const { client, time } = openClient(url, options);
  return { error: await errorOf(client.refund(order)), received, time };
}

describe("a refusal", () => {
  it("as a problem tells code, message, wrong members and request", async () => {
    const errors = [{ pointer: "/amount/value", code: "INVALID_AMOUNT", message: "too precise" }];
    const { error } = await refundError(
      problem(400, "INVALID_REQUEST", { errors, requestId: "req_1", added: 1 }),
    );
    expect(Object.fromEntries(Object.entries(error))).toEqual({
      name: "CallRefusedError",
      code: "CS_CALL_REFUSED",
      call: "refund",
      attempts: 1,
      mayBeDone: false,
      status: 400,
      errorCode: "INVALID_REQUEST",
      errorMessage: "No.",
      errors,
      requestId: "req_1",
      retryAfterMs: undefined,
    });
  });

  it("in the flat form tells the same", async () => {
    const json = { errorId: "err_1", errorCode: "NEW_CODE", errorMessage: "No." };
    const { error } = await refundError({ status: 404, json });
    expect(error).toMatchObject({ errorCode: "NEW_CODE", errorMessage: "No.", requestId: "err_1" });
  });

  it("with errorDetails alone tells what S 7 shows", async () => {
    const json = { errorDetails: { errorCode: "NEW_CODE", errorMessage: "No." } };
    const { error } = await refundError({ status: 422, json });
    expect(error).toMatchObject({ errorCode: "NEW_CODE", errorMessage: "No.", errors: [] });
  });

  it.each<[string, Scripted]>([
    ["HTML", { status: 403, text: "<p>No</p>", headers: { "content-type": "text/html" } }],
    ["nothing", { status: 403 }],
    ["a list", { status: 403, json: [] }],
  ])("with %s in its body has no code", async (_, answer) => {
    const { error } = await refundError(answer);
    expect(error).toMatchObject({ code: "CS_CALL_REFUSED", status: 403, errorCode: undefined });
  });

  it("does not carry a secret that the provider echoes, nor does anything else", async () => {
    const { url } = await openProvider(
      problem(400, "INVALID_REQUEST", {
        errorDetails: { errorCode: "INVALID_REQUEST", errorMessage: `${SECRET_KEY} a-long-token` },
        errors: [{ pointer: `/${SECRET_KEY}`, code: "X", message: "not a-long-token" }],
      }),
    );
    const { client } = openClient(url, { token: "a-long-token" });
    const error = await errorOf(client.subscribe(subscription));
    const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), error.stack].join();
    expect(shown).toContain("[secret]");
    for (const secret of [SECRET_KEY, "a-long-token"]) {
      expect(shown).not.toContain(secret);
      expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(secret);
    }
  });

  it("of a token does not carry the client's secret", async () => {
    const { url } = await openProvider({ status: 400, json: { error: "no my-client-secret" } });
    const own = { token: undefined, clientId: "merchant", clientSecret: "my-client-secret" };
    const error = await errorOf(openClient(url, own).client.refund(order));
    expect(error).toMatchObject({ code: "CS_TOKEN_REFUSED", error: "no [secret]" });
  });
});

describe("an answer that cannot be believed", () => {
  const json = (text: string, headers: Record<string, string> = {}): Scripted => ({
    status: 201,
    text,
    headers: { "content-type": "application/json", ...headers },
  });

  it.each<[string, Scripted, string]>([
    ["a redirect", { status: 307, headers: { location: "/elsewhere" } }, "status"],
    ["no media type", { status: 201, text: JSON.stringify(pending) }, "media-type"],
    ["HTML", json("<p>", { "content-type": "text/html" }), "media-type"],
    ["a coding", json(JSON.stringify(pending), { "content-encoding": "gzip" }), "media-type"],
    ["half of it", json('{"paymentId":'), "json"],
    ["a member twice", json('{"paymentId":"ref_1","paymentId":"ref_2"}'), "json"],
    ["deep nesting", json("[".repeat(17) + "]".repeat(17)), "json"],
    ["a wrong type", json('{"paymentId":1,"paymentStatus":"PENDING"}'), "schema"],
    ["no HTTP", (response) => response.socket?.end("220 smtp\r\n"), "http"],
    ["262 145 bytes", json(JSON.stringify({ ...pending, more: "x".repeat(262_144) })), "too-large"],
  ])(
    "(%s) is an error, and may be an answer to a refund that was made",
    async (_, answer, reason) => {
      const { error, received } = await refundError(answer);
      expect(error).toMatchObject({ code: "CS_ANSWER_UNREADABLE", reason, mayBeDone: true });
      expect(received).toHaveLength(1);
    },
  );

  it("names what is wrong with its form", async () => {
    const { error } = await refundError({ status: 201, json: { ...pending, paymentId: 1 } });
    expect(error).toMatchObject({ errors: [{ pointer: "/paymentId", code: "type" }] });
  });

  it("without an end is cut at the limit", async () => {
    const { error } = await refundError((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = (): void => {
        if (!response.destroyed && response.write(" ".repeat(65_536))) setImmediate(more);
      };
      response.on("drain", more);
      more();
    });
    expect(error).toMatchObject({ code: "CS_ANSWER_UNREADABLE", reason: "too-large" });
  });

  it("redirects nowhere, also when it is asked again", async () => {
    const { error, received } = await refundError(
      { status: 302, headers: { location: "/elsewhere" } },
      {},
    );
    expect(error).toMatchObject({ reason: "status", attempts: 1 });
    expect(received.map(({ path }) => path)).toEqual(["/v1/refunds"]);
  });
});
