import { createClient, type Client, type ClientOptions } from "@countersign/client";
import { placeholders } from "@countersign/contract-kit";
import { request } from "undici";
import { expect, onTestFinished } from "vitest";

const bearer = `Bearer ${placeholders.ACCESS_TOKEN}`;

/** What every call of the interface has (S 1). */
export const common = {
  "Content-Type": "application/json",
  Accept: "application/json",
  Authorization: bearer,
};

/** The client of this repository, which tries once: an interaction happens once. */
export function client(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  const authentication = { token: placeholders.ACCESS_TOKEN };
  // A caller gives either way of authenticating whole.
  const made = createClient({
    baseUrl,
    retry: { attempts: 1 },
    ...authentication,
    ...options,
  } as ClientOptions);
  onTestFinished(() => made.close());
  return made;
}

/** A call that the client does not let anybody make; its answer is one that the client can read. */
export function bare(call: {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
}): (url: string) => Promise<void> {
  return async (url) => {
    const { statusCode, body } = await request(url + call.path, {
      method: call.method,
      headers: { ...(call.headers ?? common) },
      ...(call.body !== undefined && { body: call.body }),
    });
    await body.dump();
    expect(statusCode).toBe(call.status);
  };
}

/** The call is answered, and the client has read at least this. */
export async function expectAnswer(call: Promise<unknown>, answer: object): Promise<void> {
  expect(await call).toMatchObject(answer);
}

/** The call is refused, and the client says why. */
export async function expectRefused(
  call: Promise<unknown>,
  refused: { readonly status: number; readonly errorCode: string; readonly code?: string },
): Promise<void> {
  await expect(call).rejects.toMatchObject({ code: "CS_CALL_REFUSED", ...refused });
}
