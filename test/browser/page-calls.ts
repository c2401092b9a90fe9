import { request, type IncomingHttpHeaders } from "node:http";
import { KEY, type OpenInspector } from "./open-inspector.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One call over a socket of its own, with these headers and no others. */
export function send(
  one: OpenInspector,
  call: string,
  { headers = {}, body }: Sending = {},
): Promise<Answer> {
  const [method = "", path = ""] = call.split(" ");
  return new Promise((resolve, reject) => {
    const { port } = one;
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false };
    const sending = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      if (response.headers["content-type"] === "text/event-stream") {
        response.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      }
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

/** What a browser sends with a call of the page's own script. */
export const ownPage = (one: OpenInspector): Record<string, string> => ({
  origin: one.url,
  "sec-fetch-site": "same-origin",
  "content-type": "application/json",
});

/** An open session: its cookie and its token. */
export async function session(one: OpenInspector): Promise<Record<string, string>> {
  const sent = { headers: ownPage(one), body: JSON.stringify({ key: KEY }) };
  const { headers, text } = await send(one, "POST /inspector/session", sent);
  const [cookie = ""] = headers["set-cookie"] ?? [];
  const { token } = JSON.parse(text) as { token: string };
  return { cookie: cookie.split(";")[0] ?? "", "x-inspector-token": token };
}
