import { isClientError } from "@countersign/client";
import { Matchers } from "@pact-foundation/pact";
import { Agent } from "undici";
import { expect } from "vitest";
import { type HttpInteraction, client, fromState, given, json, named } from "./interaction.ts";

const path = "/v1/tokens";
/** Stand in a pact for the credentials that a state makes: pacts contain no secret. */
const [clientId, clientSecret] = ["CLIENT_ID", "CLIENT_SECRET"];
const basicOf = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`;
const GRANT = "grant_type=client_credentials";

const granted = {
  access_token: Matchers.regex("[A-Za-z0-9._~+/-]+=*", "9aKc0Zr5uWf3q1bT7mXv"),
  token_type: Matchers.equal("Bearer"),
  expires_in: Matchers.integer(3600),
  scope: Matchers.like("payments core"),
};
const refused = (error: string) => ({ error: Matchers.equal(error) });
const basic = { "WWW-Authenticate": Matchers.regex("Basic.*", "Basic") };

const asked = (
  what: string,
  text: string,
  answer: readonly [status: number, body: object, headers?: object],
  credentials: unknown = fromState("Basic ${basicCredentials}", basicOf(clientId, clientSecret)),
): HttpInteraction => ({
  ...named(`a token for ${what}`, "P-AUTH-TOKEN", given("a client")),
  request: {
    method: "POST",
    path,
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
      Authorization: credentials,
    },
    text,
  },
  answer: { status: answer[0], headers: { ...json, ...answer[2] }, body: answer[1] },
});

/** `POST /v1/tokens` (S 5.2). */
export const tokens: readonly HttpInteraction[] = [
  {
    ...asked("a client, by HTTP Basic", GRANT, [200, granted]),
    consume: async (url) => {
      const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
        if (options.path !== path) throw new Error("this server only grants tokens");
        return dispatch(options, handler);
      });
      const made = client(url, { token: undefined, clientId, clientSecret, dispatcher });
      // The call that needs the token is not sent, but its token was granted.
      const error: unknown = await made.customer("cus_1").catch((reason: unknown) => reason);
      await dispatcher.close();
      expect(isClientError(error) && error.code).toBe("CS_CONNECTION_LOST");
    },
  },
  asked("one scope", `${GRANT}&scope=core`, [200, { ...granted, scope: Matchers.equal("core") }]),
  {
    ...asked(
      "a client with another's secret",
      GRANT,
      [401, refused("invalid_client"), basic],
      basicOf("nobody", "nothing"),
    ),
    consume: async (url) => {
      const credentials = { token: undefined, clientId: "nobody", clientSecret: "nothing" };
      await expect(client(url, credentials).customer("cus_1")).rejects.toMatchObject({
        code: "CS_TOKEN_REFUSED",
        status: 401,
        errorCode: "invalid_client",
      });
    },
  },
  asked("another grant", "grant_type=password", [400, refused("unsupported_grant_type")]),
  asked("no grant", "scope=core", [400, refused("invalid_request")]),
  asked("a scope that there is not", `${GRANT}&scope=all`, [400, refused("invalid_scope")]),
];
