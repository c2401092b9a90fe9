import { request } from "undici";

interface ApiAnswer {
  readonly status: number;
  /** The JSON body; the caller knows its shape. */
  readonly body: unknown;
}

/** Calls the service or the sandbox the way a merchant does: JSON and a bearer token. */
export type Api = (
  method: "GET" | "POST" | "PUT",
  path: string,
  body?: object | string,
) => Promise<ApiAnswer>;

export function createApi(url: string, token: string): Api {
  return async (method, path, body) => {
    const answer = await request(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
  };
}
