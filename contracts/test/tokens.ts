import { isClientError } from "@countersign/client";
import { placeholders } from "@countersign/contract-kit";
import { Matchers } from "@pact-foundation/pact";
import { Agent } from "undici";
import { expect } from "vitest";
import { bare, client } from "./calls.ts";
import { given, json, type HttpInteraction } from "./interaction.ts";

const path = "/v1/tokens";
const basic = placeholders.basic(placeholders.CLIENT_ID, placeholders.CLIENT_SECRET);
const form = (authorization: string) => ({
  "Content-Type": "application/x-www-form-urlencoded",
  Accept: "application/json",
  Authorization: authorization,
});

const granted: HttpInteraction["answer"] = {
  status: 200,
  headers: json,
  body: {
    access_token: Matchers.regex("[A-Za-z0-9._~+/-]+=*", "9aKc0Zr5uWf3q1bT7mXv"),
    token_type: Matchers.equal("Bearer"),
    expires_in: Matchers.integer(3600),
    scope: Matchers.like("payments core"),
  },
};

const refused = (status: number, error: string): HttpInteraction["answer"] => ({
  status,
  headers: json,
  body: { error: Matchers.equal(error) },
});

/** `POST /v1/tokens` (S 5.2). */
export const tokens: readonly HttpInteraction[] = [
  {
    description: "a token for a client, by HTTP Basic",
    requirement: "P-AUTH-TOKEN",
    given: given("a client", {}),
    request: { method: "POST", path, headers: form(basic), text: "grant_type=client_credentials" },
    answer: granted,
    consume: async (url) => {
      const only = new Agent().compose((dispatch) => (options, handler) => {
        if (options.path !== path) throw new Error("this server gives tokens alone");
        return dispatch(options, handler);
      });
      const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = placeholders;
      const made = client(url, { token: undefined, clientId, clientSecret, dispatcher: only });
      // The call that needs the token goes no further; the token was had.
      const code = await made.customer("cus_1").catch((error: unknown) => codeOf(error));
      await only.close();
      expect(code).toBe("CS_CONNECTION_LOST");
    },
  },
  {
    description: "a token for one scope",
    requirement: "P-AUTH-TOKEN",
    given: given("a client", {}),
    request: {
      method: "POST",
      path,
      headers: form(basic),
      text: "grant_type=client_credentials&scope=core",
    },
    answer: { ...granted, body: { ...(granted.body as object), scope: Matchers.equal("core") } },
    consume: bare({
      method: "POST",
      path,
      headers: form(basic),
      body: "grant_type=client_credentials&scope=core",
      status: 200,
    }),
  },
  {
    description: "a token for a client with another's secret",
    requirement: "P-AUTH-TOKEN",
    given: given("a client", {}),
    request: {
      method: "POST",
      path,
      headers: form(placeholders.basic("nobody", "nothing")),
      text: "grant_type=client_credentials",
    },
    answer: {
      ...refused(401, "invalid_client"),
      headers: { ...json, "WWW-Authenticate": Matchers.regex("Basic.*", "Basic") },
    },
    consume: async (url) => {
      const credentials = { token: undefined, clientId: "nobody", clientSecret: "nothing" };
      await expect(client(url, credentials).customer("cus_1")).rejects.toMatchObject({
        code: "CS_TOKEN_REFUSED",
        status: 401,
        error: "invalid_client",
      });
    },
  },
  ...(
    [
      ["another grant", "grant_type=password", "unsupported_grant_type"],
      ["no grant", "scope=core", "invalid_request"],
      ["a scope that there is not", "grant_type=client_credentials&scope=all", "invalid_scope"],
    ] as const
  ).map(([what, text, error]): HttpInteraction => ({
    description: `a token for ${what}`,
    requirement: "P-AUTH-TOKEN",
    given: given("a client", {}),
    request: { method: "POST", path, headers: form(basic), text },
    answer: refused(400, error),
    consume: bare({ method: "POST", path, headers: form(basic), body: text, status: 400 }),
  })),
];

function codeOf(error: unknown): string {
  return isClientError(error) ? error.code : String(error);
}
