import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An interaction with one state, as a pact of version 4 has it. */
export interface Written {
  readonly description: string;
  /** Default `ready`; `null` for none. */
  readonly state?: string | null;
  /** Of a call; the text of its body as it stands. */
  readonly body?: string;
  /** Of a message; its metadata, and the body `{"a":1}`. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** Writes a pact of the consumer `shop` with the provider `bank`, for as long as the test. */
export function writePact(interactions: readonly Written[]): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-pact-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "shop-bank.json");
  writeFileSync(
    path,
    `{"consumer":{"name":"shop"},"provider":{"name":"bank"},"interactions":[${interactions
      .map(textOf)
      .join(",")}],"metadata":{"pactSpecification":{"version":"4.0"}}}`,
  );
  return path;
}

function textOf({ description, state = "ready", body, metadata, path = "/x" }: Written): string {
  const named = `"description":${JSON.stringify(description)},"pending":false,"providerStates":${JSON.stringify(state === null ? [] : [{ name: state }])}`;
  const content = (text: string) =>
    `{"content":${text},"contentType":"application/json","encoded":false}`;
  if (metadata !== undefined)
    return `{"type":"Asynchronous/Messages",${named},"contents":${content('{"a":1}')},"metadata":${JSON.stringify(metadata)}}`;
  const sent =
    body === undefined
      ? `"method":"GET","path":"${path}"`
      : `"method":"POST","path":"${path}","headers":{"Content-Type":["application/json"]},"body":${content(body)}`;
  return `{"type":"Synchronous/HTTP",${named},"request":{${sent}},"response":{"status":200}}`;
}
