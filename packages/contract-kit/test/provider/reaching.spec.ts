import { describe, expect, it, onTestFinished } from "vitest";
import {
  type HttpAnswer,
  type HttpCall,
  httpSend,
  clientToken,
  pacedSend,
} from "../../src/http-send.ts";
import { systemClock } from "../../src/harness/clock.ts";
import { hostReceiver } from "../../src/harness/endpoints.ts";
import { listen } from "../../../service/test/sandbox/listen.ts";

const call: HttpCall = { method: "GET", path: "/", headers: {} };
const answer = (status: number, json: unknown = {}, headers = {}): HttpAnswer => ({
  status,
  headers,
  body: Buffer.from(JSON.stringify(json)),
});

function paced(answers: readonly HttpAnswer[]) {
  const sent: number[] = [];
  let now = 0;
  const next = () => Promise.resolve(answers[sent.push(now) - 1] ?? answer(200));
  const after = (ms: number, resume: () => void) => {
    now += ms;
    resume();
    return () => undefined;
  };
  return { send: pacedSend(next, 10, { ...systemClock, elapsed: () => now, after }), sent };
}

describe("paced calls", () => {
  it("are evenly spaced at the given rate", async () => {
    const { send, sent } = paced([]);
    for (let count = 0; count < 3; count += 1) await send(call);
    expect(sent).toEqual([0, 100, 200]);
  });

  const [date, until] = ["Sun, 22 Nov 2026 17:00:00 GMT", "Sun, 22 Nov 2026 17:00:09 GMT"];
  it.each([
    ["the seconds that the target says", { "retry-after": "7" }, 7000],
    ["the date that the target says", { date, "retry-after": until }, 9000],
    ["a second", {}, 1000],
  ])("retry after 429 in %s, then half as fast", async (_what, headers, waitMs) => {
    const { send, sent } = paced([answer(429, {}, headers)]);
    expect((await send(call)).status).toBe(200);
    await send(call);
    expect(sent).toEqual([0, waitMs, waitMs + 200]);
  });

  it("retry three times", async () => {
    const { send, sent } = paced(Array.from({ length: 9 }, () => answer(429)));
    expect((await send(call)).status).toBe(429);
    expect(sent).toHaveLength(4);
  });
});

describe("a client's token", () => {
  const common = { path: "/v1/tokens", client: { id: "a client", secret: "s:%" } };

  it("is requested once for its lifetime", async () => {
    let [now, asked] = [0, 0];
    const granted = () => answer(200, { access_token: `token-${asked++}`, expires_in: 100 });
    const send = () => Promise.resolve(granted());
    const token = clientToken({ ...common, send, now: () => now });
    expect([await token(), await token()]).toEqual(["token-0", "token-0"]);
    now = 70_000;
    expect(await token()).toBe("token-1");
  });

  it("is requested with encoded HTTP Basic credentials, and again after a refusal", async () => {
    const sent: HttpCall[] = [];
    const send = (one: HttpCall) => {
      sent.push(one);
      return Promise.resolve(answer(401, { error: "invalid_client" }));
    };
    const token = clientToken({ ...common, send });
    await expect(token()).rejects.toThrow("POST /v1/tokens → 401 invalid_client");
    await expect(token()).rejects.toThrow("401");
    const encoded = sent[0]?.headers["authorization"]?.replace("Basic ", "") ?? "";
    expect(Buffer.from(encoded, "base64").toString()).toBe("a%20client:s%3A%25");
    expect(sent.length).toBe(2);
  });
});

describe("the hosted receiver", () => {
  async function hosted(callbackUrl?: string) {
    const receiver = await hostReceiver(callbackUrl === undefined ? {} : { callbackUrl });
    onTestFinished(receiver.close);
    return receiver;
  }
  function sending(url: URL) {
    const { send, close } = httpSend(url.origin);
    onTestFinished(close);
    return send;
  }

  it("waits for attempts behind a proxy's path, and answers silent ones when it closes", async () => {
    const endpoint = (await hosted()).open(() => "silence");
    const url = new URL(endpoint.url);
    expect(await endpoint.until((all) => all.length > 0, 1)).toBe(false);
    const waiting = sending(url)({ ...call, method: "POST", path: `/hooks${url.pathname}` });
    expect(await endpoint.until((all) => all.length > 0, 5000)).toBe(true);
    endpoint.close();
    expect((await waiting).status).toBe(204);
  });

  it("names its endpoints below the callback URL", async () => {
    const receiver = await hosted("https://ci.example/hooks/");
    expect(receiver.open().url).toMatch(/^https:\/\/ci\.example\/hooks\/endpoint-\d+$/);
  });

  it("is not sent to on another machine by a loopback-only sender", () => {
    expect(() => httpSend("http://192.0.2.1", { isLoopbackOnly: true })).toThrow("--i-own");
  });
});

it("a call whose answer is larger than a mebibyte fails", async () => {
  const sizes = [2 ** 20, 2 ** 20 + 1];
  const origin = await listen((_request, response) => {
    response.end(Buffer.alloc(sizes.shift() ?? 0));
  });
  const { send, close } = httpSend(origin);
  onTestFinished(close);
  expect((await send(call)).body).toHaveLength(2 ** 20);
  await expect(send(call)).rejects.toThrow("the body exceeds 1048576 bytes");
});
