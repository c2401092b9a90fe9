import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PactProvider } from "../../src/pact/pact-provider.ts";
import { verifyPacts } from "../../src/pact/verify-pacts.ts";
import { writePact } from "./write-pact.ts";

/** What the core asks of a broker: its index, the provider's pacts, one pact, and results. */
async function broker(
  pact: string,
): Promise<{ url: string; asked: string[]; published: unknown[] }> {
  const asked: string[] = [];
  const published: unknown[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      asked.push(`${method} ${path} ${headers.authorization ?? ""}`.trim());
      const hal = answerOf(`${method} ${path}`);
      if (method === "POST" && path.endsWith("/results")) published.push(JSON.parse(body));
      response.writeHead(hal === undefined ? 404 : 200, { "content-type": "application/hal+json" });
      response.end(JSON.stringify(hal ?? {}));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const link = (path: string): object => ({ href: url + path });
  const document = { ...(JSON.parse(pact) as object) };
  const answerOf = (call: string): object | undefined => {
    switch (call) {
      case "GET /":
        return {
          _links: {
            "pb:provider-pacts-for-verification": {
              href: `${url}/pacts/provider/{provider}/for-verification`,
              templated: true,
            },
          },
        };
      case "GET /pacts/provider/bank/for-verification":
        return { _links: { self: link("/pacts/provider/bank/for-verification") } };
      case "POST /pacts/provider/bank/for-verification":
        return {
          _embedded: {
            pacts: [
              {
                shortDescription: "of the main branch",
                verificationProperties: { notices: [], pending: false },
                _links: { self: { ...link("/pact"), name: "shop and bank" } },
              },
            ],
          },
        };
      case "GET /pact":
        return {
          ...document,
          _links: { self: link("/pact"), "pb:publish-verification-results": link("/results") },
        };
      case "POST /results":
        return {};
      default:
        return undefined;
    }
  };
  return { url, asked, published };
}

const provider: PactProvider = {
  name: "bank",
  send: () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() }),
  states: { ready: () => Promise.resolve({}) },
};
const pact = () => readFileSync(writePact([{ description: "a call" }]), "utf8");

describe("a broker's pacts", () => {
  it("are verified, with the token, and the results are published", async () => {
    const { url, asked, published } = await broker(pact());
    const result = await verifyPacts({
      provider,
      broker: { url, token: "of-the-broker", providerVersion: "1.4.0", publish: true },
    });
    expect(result).toMatchObject({ isOk: true, rows: [{ description: "a call", isOk: true }] });
    expect(asked[0]).toBe("GET / Bearer of-the-broker");
    expect(published).toMatchObject([{ providerApplicationVersion: "1.4.0", success: true }]);
  });

  it("are never published without a word", async () => {
    const { url, published } = await broker(pact());
    expect(await verifyPacts({ provider, broker: { url } })).toMatchObject({ isOk: true });
    expect(published).toEqual([]);
    const publishing = verifyPacts({ provider, broker: { url, publish: true } });
    await expect(publishing).rejects.toThrow(TypeError);
  });

  it("fail with what a state's handler said", async () => {
    const { url } = await broker(pact());
    const fall = { ready: () => Promise.reject(new Error("no such payment")) };
    const result = await verifyPacts({ provider: { ...provider, states: fall }, broker: { url } });
    expect(result.isOk).toBe(false);
    expect(result.rows[0]?.problems).toContain('state "ready": no such payment');
  });

  it("that are not there are no success", async () => {
    const { send: _send, ...silent } = provider;
    const result = await verifyPacts({ provider: silent, broker: { url: "http://127.0.0.1:1" } });
    expect(result.isOk).toBe(false);
  });
});
