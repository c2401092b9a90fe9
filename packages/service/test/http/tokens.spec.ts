import { describe, expect, it } from "vitest";
import type { TestAnswer, TestMerchant, TestService } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();

const form = "application/x-www-form-urlencoded";

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
const basicOf = ({ clientId, clientSecret }: TestMerchant): string => basic(clientId, clientSecret);

function ask(
  { call }: TestService,
  text: string,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const all = { "content-type": form, ...headers };
  return call("POST", "/v1/tokens", { text, token: null, headers: all });
}

describe("POST /v1/tokens", () => {
  it("gives a token of one hour for HTTP Basic, and it works", async () => {
    const open = await openService();
    const authorization = basicOf(open.merchant);
    const answer = await ask(open, "grant_type=client_credentials", { authorization });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
    const token = validated("token", answer);
    expect(token).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "payments core" });

    const path = "/v1/customers/c";
    expect((await open.call("GET", path, { token: token.access_token })).status).toBe(404);
    open.clock.advance(3_600_000);
    expect((await open.call("GET", path, { token: token.access_token })).status).toBe(401);
  });

  it("B17 never repeats a token, and stores none of them", async () => {
    const open = await openService();
    const authorization = basicOf(open.merchant);
    const tokens = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const answer = await ask(open, "grant_type=client_credentials", { authorization });
      tokens.add(validated("token", answer).access_token);
    }
    expect(tokens.size).toBe(20);
    const stored = JSON.stringify([
      await open.service.driver.query("SELECT * FROM tokens"),
      await open.service.driver.query("SELECT * FROM clients"),
    ]);
    for (const secret of [...tokens, open.merchant.clientSecret]) {
      expect(stored).not.toContain(secret);
    }
  });

  it.each(["form", "JSON"])("takes the client's credentials in a %s body", async (kind) => {
    const open = await openService();
    const { clientId: client_id, clientSecret: client_secret } = open.merchant;
    const members = { grant_type: "client_credentials", client_id, client_secret, scope: "core" };
    const answer =
      kind === "form"
        ? await ask(open, new URLSearchParams(members).toString())
        : await ask(open, JSON.stringify(members), { "content-type": "application/json" });
    expect(validated("token", answer).scope).toBe("core");
  });

  it("gives what was asked for of the client's scopes, and no more", async () => {
    const open = await openService();
    const authorization = basicOf(open.merchant);
    const answer = await ask(open, "grant_type=client_credentials&scope=core", { authorization });
    const { access_token: token } = validated("token", answer);
    const refused = await open.call("POST", "/v1/refunds", { json: {}, token });
    expect(refusal(refused).status).toBe(403);
  });

  it("leaves out of sight what a form carries besides (RFC 6749, section 3.2)", async () => {
    const open = await openService();
    const text = "grant_type=client_credentials&audience=x&scope=";
    const answer = await ask(open, text, { authorization: basicOf(open.merchant) });
    expect(answer.status).toBe(200);
  });

  it.each([
    ["no grant_type", "scope=core", "invalid_request"],
    ["an empty grant_type", "grant_type=", "invalid_request"],
    ["another grant", "grant_type=password", "unsupported_grant_type"],
    ["a parameter twice", "grant_type=client_credentials&scope=core&scope=core", "invalid_request"],
    ["a scope that nobody has", "grant_type=client_credentials&scope=admin", "invalid_scope"],
    ["a scope that is no scope", "grant_type=client_credentials&scope=%22", "invalid_request"],
    ["two ways of authentication", "grant_type=client_credentials&client_id=a", "invalid_request"],
  ])("refuses %s with 400 %s", async (_, text, error) => {
    const open = await openService();
    const answer = await ask(open, text, { authorization: basicOf(open.merchant) });
    expect(answer.status).toBe(400);
    expect(validated("tokenError", answer).error).toBe(error);
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  it("refuses a scope that the client does not have", async () => {
    const open = await openService();
    const authorization = basicOf(await open.addMerchant(["core"]));
    const text = "grant_type=client_credentials&scope=payments";
    const answer = await ask(open, text, { authorization });
    expect([answer.status, answer.body]).toEqual([400, { error: "invalid_scope" }]);
  });

  it.each([
    ["none", undefined],
    ["an unknown client", basic("cli_unknown", "secret")],
    ["a wrong secret", basic("known", "wrong")],
    ["another scheme", "Bearer abc"],
    ["Basic without a colon", `Basic ${Buffer.from("abc").toString("base64")}`],
    ["Basic that is not encoded", `Basic ${Buffer.from("a%ZZ:b").toString("base64")}`],
    ["Basic that is no base64", "Basic ???"],
  ])("refuses credentials that are %s with 401 invalid_client", async (_, authorization) => {
    const open = await openService();
    const answer = await ask(
      open,
      "grant_type=client_credentials",
      authorization === undefined ? {} : { authorization },
    );
    expect([answer.status, answer.body]).toEqual([401, { error: "invalid_client" }]);
    expect(answer.headers["www-authenticate"]).toBe('Basic realm="countersign", charset="UTF-8"');
    validated("tokenError", answer);
  });

  it("answers a wrong secret and an unknown client alike", async () => {
    const open = await openService();
    const { clientId } = open.merchant;
    const texts = await Promise.all(
      [basic(clientId, "wrong"), basic("cli_unknown", "wrong")].map(async (authorization) => {
        const { status, text } = await ask(open, "grant_type=client_credentials", {
          authorization,
        });
        return [status, text];
      }),
    );
    expect(texts[0]).toEqual(texts[1]);
  });

  it.each(["null", "[]", "{", '{"grant_type":"client_credentials","grant_type":"x"}'])(
    "refuses the JSON body %s with invalid_request",
    async (text) => {
      const open = await openService();
      const answer = await ask(open, text, { "content-type": "application/json" });
      expect(answer.status).toBe(400);
      expect(validated("tokenError", answer).error).toBe("invalid_request");
    },
  );

  it("refuses other media types with 415, large bodies with 413, and other answers with 406", async () => {
    const open = await openService();
    const text = await ask(open, "x", { "content-type": "text/plain" });
    expect(refusal(text).status).toBe(415);
    expect(validated("problem", text).errorDetails.errorMessage).toContain("a form or");
    expect(refusal(await ask(open, "x".repeat(65_537))).status).toBe(413);
    expect(refusal(await ask(open, "x", { accept: "text/html" })).status).toBe(406);
  });
});
