import { createClient, type Client, type ClientOptions } from "@countersign/client";
import { placeholders } from "@countersign/contract-kit/pact";
import { expect, onTestFinished } from "vitest";
import { fromState, type HttpInteraction, type Named, refusal } from "./interaction.ts";

/** Headers of every call of the interface (S 1). */
export const common = {
  "Content-Type": "application/json",
  Accept: "application/json",
  Authorization: fromState("Bearer ${accessToken}", `Bearer ${placeholders.ACCESS_TOKEN}`),
};

type Call = (client: Client) => Promise<unknown>;
type Consume = (url: string) => Promise<void>;

/** Opens this repository's client, which tries once: an interaction happens once. */
export function client(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  const own = { baseUrl, retry: { attempts: 1 }, token: placeholders.ACCESS_TOKEN };
  // A caller passes either way of authenticating whole.
  const made = createClient({ ...own, ...options } as ClientOptions);
  onTestFinished(() => made.close());
  return made;
}

/** Makes a call with the client, which must read at least this answer. */
export const reads =
  (call: Call, answer: object): Consume =>
  async (url) => {
    expect(await call(client(url))).toMatchObject(answer);
  };

/** Makes a call with the client, which must report the refusal. */
export const isRefused =
  (
    call: Call,
    refused: { status: number; errorCode: string; code?: string },
    token?: string,
  ): Consume =>
  async (url) => {
    const made = client(url, token === undefined ? {} : { token });
    await expect(call(made)).rejects.toMatchObject({ code: "CS_CALL_REFUSED", ...refused });
  };

export const refusedCall = (
  told: Named,
  request: HttpInteraction["request"],
  [status, errorCode]: readonly [number, string],
  call: Call,
): HttpInteraction => ({
  ...told,
  request,
  answer: refusal(status, errorCode),
  consume: isRefused(call, { status, errorCode }),
});

/** A call that the client would not make, and the member that is wrong. */
export const invalidCall = (
  told: Named,
  request: HttpInteraction["request"],
  [errorCode, pointer, code = errorCode]: readonly [string, string, string?],
): HttpInteraction => ({
  ...told,
  request,
  answer: refusal(400, errorCode, { errors: { [pointer]: code } }),
});
