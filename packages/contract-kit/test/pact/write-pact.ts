import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { PactProvider } from "../../src/pact/pact-file.ts";
import { listen } from "../../../service/test/sandbox/listen.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** An interaction of a pact of version 4. */
export interface Written {
  readonly description: string;
  /** Default `ready`; `null` for none. */
  readonly state?: string | null;
  /** The text of a call's body. */
  readonly body?: string;
  /** Of a message, whose body is `{"a":1}`. */
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
  const named = `"description":${JSON.stringify(description)},"pending":false,"providerStates":${JSON.stringify(state === null ? [] : [{ name: state }])}`;
  const content = (json: string) =>
    `{"content":${json},"contentType":"application/json","encoded":false}`;
  if (metadata !== undefined)
    return `{"type":"Asynchronous/Messages",${named},"contents":${content('{"a":1}')},"metadata":${JSON.stringify(metadata)}}`;
  const sent =
    body === undefined
      ? `"method":"GET","path":"${path}"`
      : `"method":"POST","path":"${path}","headers":{"Content-Type":["application/json"]},"body":${content(body)}`;
  return `{"type":"Synchronous/HTTP",${named},"request":{${sent}},"response":{"status":200}}`;
}

/** A provider that is ready and answers every call with 200, for as long as the test. */
export async function openBank(): Promise<PactProvider> {
  const { url } = await serve((_request, response) => response.end());
  return { name: "bank", url, enter: () => Promise.resolve({}) };
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
