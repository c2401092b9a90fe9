import { once } from "node:events";
import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { KEY, type OpenInspector } from "./open-inspector.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends one call on its own connection, with these headers and no others. */
export async function send(
  { port }: OpenInspector,
  call: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<Answer> {
  const [method = "", path = ""] = call.split(" ");
  const sending = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
  sending.end(body);
  // The event's one argument.
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers: got } = response;
  const isStream = got["content-type"] === "text/event-stream";
  if (isStream) response.destroy();
  return { status, headers: got, text: isStream ? "" : await textOf(response) };
}

/** The headers that a browser sends with a call of the page's own script. */
const ownPage = (one: OpenInspector): Record<string, string> => ({
  origin: one.url,
  "sec-fetch-site": "same-origin",
  "content-type": "application/json",
});

export const openSession = (one: OpenInspector, key: string): Promise<Answer> =>
  send(one, "POST /inspector/session", { headers: ownPage(one), body: JSON.stringify({ key }) });

/** The headers of an open session: its cookie, its token and those of the page. */
export async function session(one: OpenInspector): Promise<Record<string, string>> {
  const { headers, text } = await openSession(one, KEY);
  const { token } = JSON.parse(text) as { token: string };
  const [cookie = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
  return { ...ownPage(one), cookie, "x-inspector-token": token };
}
