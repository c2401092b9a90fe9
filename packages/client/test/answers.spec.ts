import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  clientOf,
  errorOf,
  JSON_TYPE,
  pending,
  problem,
  refundError,
  SECRET_KEY,
  subscription,
  type Scripted,
} from "./fixtures.ts";

describe("the error of a refused call", () => {
  it("has the code, message, wrong members and request id of a problem", async () => {
    const errors = [{ pointer: "/amount/value", code: "INVALID_AMOUNT", message: "too precise" }];
    const more = { errors, requestId: "req_1", added: 1 };
    const { error } = await refundError(problem(400, "INVALID_REQUEST", more));
    expect(Object.fromEntries(Object.entries(error))).toStrictEqual({
      name: "ClientError",
      code: "CS_CALL_REFUSED",
      call: "refund",
      attempts: 1,
      mayBeDone: false,
      status: 400,
      errorCode: "INVALID_REQUEST",
      errorMessage: "No.",
      errors,
      requestId: "req_1",
    });
    expect(error.message).toBe(
      "refund: CS_CALL_REFUSED 400 INVALID_REQUEST /amount/value INVALID_AMOUNT: The provider refused the call. Act on `status` and `errorCode`, after `retryAfterMs` if it is set.",
    );
  });

  it("has the members of a flat body, of only errorDetails (S 7), and no code otherwise", async () => {
    const told = { errorCode: "NEW_CODE", errorMessage: "No." };
    for (const [answer, expected] of [
      [{ json: { errorId: "err_1", ...told } }, { ...told, requestId: "err_1" }],
      [{ json: { errorDetails: told } }, told],
      [{ text: "<p>No</p>", headers: { "content-type": "text/html" } }, {}],
      [{}, {}],
      [{ json: [] }, {}],
    ] as const) {
      const { error } = await refundError({ status: 403, ...answer });
      const facts = { code: "CS_CALL_REFUSED", call: "refund", attempts: 1, mayBeDone: false };
      const shown = Object.fromEntries(Object.entries(error));
      expect(shown).toStrictEqual({ name: "ClientError", status: 403, ...facts, ...expected });
    }
  });

  it("has a message of one line, whatever the provider writes", async () => {
    const { error } = await refundError(problem(400, "A\nFAKE LINE\u001B[2J"));
    expect(error.message).toMatch(/^refund: CS_CALL_REFUSED 400 A\?FAKE LINE\?\[2J: [ -~]+$/);
  });

  it("contains no secret that the provider echoes, nor does the client when inspected", async () => {
    const text = `${SECRET_KEY} a-long-token`;
    const echo = problem(400, "INVALID_REQUEST", {
      errorDetails: { errorCode: "INVALID_REQUEST", errorMessage: text },
      errors: [{ pointer: `/${SECRET_KEY}`, code: "X", message: "not a-long-token" }],
    });
    const { client } = await clientOf(echo, { token: "a-long-token" });
    const error = await errorOf(client.subscribe(subscription));
    const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), error.stack].join();
    expect(shown).toContain("[secret]");
    for (const secret of [SECRET_KEY, "a-long-token"]) {
      expect(shown).not.toContain(secret);
      expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(secret);
    }
    const own = { token: undefined, clientId: "merchant", clientSecret: "my-client-secret" };
    const refused = await refundError({ status: 400, json: { error: "no my-client-secret" } }, own);
    expect(refused.error).toMatchObject({ code: "CS_TOKEN_REFUSED", errorCode: "no [secret]" });
  });
});

describe("an unreadable answer", () => {
  const json = (text: string, headers: Record<string, string> = {}): Scripted => ({
    status: 201,
    text,
    headers: { ...JSON_TYPE, ...headers },
  });
  const genuine = JSON.stringify(pending);

  it("fails the call, a redirect without a retry, and the refund may be done", async () => {
    const elsewhere = { status: 307, headers: { location: "/elsewhere" } };
    const long = JSON.stringify({ ...pending, more: "x".repeat(262_144) });
    const cases: readonly (readonly [Scripted, string])[] = [
      [elsewhere, "status"],
      [{ ...elsewhere, status: 302 }, "status"],
      [{ status: 201, text: genuine }, "media-type"],
      [json("<p>", { "content-type": "text/html" }), "media-type"],
      [json(genuine, { "content-encoding": "gzip" }), "media-type"],
      [json('{"paymentId":'), "json"],
      [json('{"paymentId":"ref_1","paymentId":"ref_2"}'), "json"],
      [json("[".repeat(17) + "]".repeat(17)), "json"],
      [json('{"paymentId":1,"paymentStatus":"PENDING"}'), "schema"],
      [(response) => response.socket?.end("220 smtp\r\n"), "http"],
      [json(long), "too-large"],
      [endless, "too-large"],
    ];
    for (const [answer, reason] of cases) {
      // Other reasons are retried.
      const attempts = reason === "status" ? 5 : 1;
      const { error, received } = await refundError(answer, { maxAttempts: attempts });
      expect(error).toMatchObject({ code: "CS_ANSWER_UNREADABLE", reason, mayBeDone: true });
      if (reason === "schema")
        expect(error).toMatchObject({ errors: [{ pointer: "/paymentId", code: "type" }] });
      expect(received.map(({ path }) => path)).toEqual(["/v1/refunds"]);
    }
  });
});

function endless(response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE);
  const more = (): void => {
    if (!response.destroyed && response.write(" ".repeat(65_536))) setImmediate(more);
  };
  response.on("drain", more);
  more();
}
