import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { hostReceiver } from "../../src/harness/endpoints.ts";
import type { Send } from "../../src/http-send.ts";
import type { ProviderTarget } from "../../src/target.ts";
import { listen } from "../../../service/test/sandbox/listen.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { unreachable } from "../fake-provider.ts";

/** An interaction of a pact of version 4. */
export interface Written {
  readonly description: string;
  /** Default `ready`; `null` for none. */
  readonly state?: string | null;
  /** The text of a call's body. */
  readonly body?: string;
  /** Of a message, whose body is `{"type":"paid"}` and whose state is `an event`. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** Writes a pact of the consumer `shop` with the provider `bank`, for as long as the test. */
export function writePact(interactions: readonly Written[]): string {
  const folder = temporaryFolder();
  const path = join(folder, "shop-bank.json");
  writeFileSync(
    path,
    `{"consumer":{"name":"shop"},"provider":{"name":"bank"},"interactions":[${interactions
      .map(textOf)
      .join(",")}],"metadata":{"pactSpecification":{"version":"4.0"}}}`,
  );
  return path;
}

// As text: a body's numbers keep their spelling.
function textOf({ description, state = "ready", body, metadata, path = "/x" }: Written): string {
  const event = { name: "an event", params: { type: "paid" } };
  const states = metadata ? [event] : state === null ? [] : [{ name: state }];
  const named = `"description":${JSON.stringify(description)},"pending":false,"providerStates":${JSON.stringify(states)}`;
  const content = (json: string) =>
    `{"content":${json},"contentType":"application/json","encoded":false}`;
  if (metadata !== undefined)
    return `{"type":"Asynchronous/Messages",${named},"contents":${content('{"type":"paid"}')},"metadata":${JSON.stringify(metadata)}}`;
  const sent =
    body === undefined
      ? `"method":"GET","path":"${path}"`
      : `"method":"POST","path":"${path}","headers":{"Content-Type":["application/json"]},"body":${content(body)}`;
  return `{"type":"Synchronous/HTTP",${named},"request":{${sent}},"response":{"status":200}}`;
}

const done = { status: 200, headers: {}, body: Buffer.from("{}") };

/** A provider that prepares every state, and sends an event to each of its subscriptions, for as long as the test. */
export async function openBank(change: Partial<ProviderTarget> = {}): Promise<ProviderTarget> {
  const { url } = await serve((_request, response) => response.end());
  const receiver = await hostReceiver({ deliveryMs: 500 });
  onTestFinished(receiver.close);
  let subscribed = "";
  const send: Send = ({ body = "" }) => {
    ({ url: subscribed } = JSON.parse(String(body)) as { url: string });
    return Promise.resolve(done);
  };
  const prepare: Send = async ({ body = "" }) => {
    const isEvent = String(body).includes('"an event"');
    const sent = { method: "POST", headers: { "webhook-id": "evt_1" }, body: '{"type":"paid"}' };
    const headers = { ...sent.headers, "content-type": "application/json" };
    if (isEvent) await fetch(subscribed, { ...sent, headers });
    return done;
  };
  const states = { url, send: prepare, token: unreachable.token };
  return { ...unreachable, url, send, states, receiver, ...change };
}

/** Serves on this machine for as long as the test; keeps each call's method, path and body. */
export async function serve(
  answer: (call: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ readonly url: string; readonly calls: readonly string[] }> {
  const calls: string[] = [];
  const url = await listen((request, response) => {
    void text(request).then((body) => {
      calls.push(`${request.method} ${request.url} ${body}`.trim());
      answer(request, response, body);
    });
  });
  return { url, calls };
}
