import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpAnswer, HttpCall } from "../../src/http.ts";
import { httpSend } from "../../src/http-send.ts";
import { clientToken } from "../../src/provider/client-token.ts";
import { hostReceiver } from "../../src/provider/hosted-receiver.ts";
import { pacedSend } from "../../src/provider/paced-send.ts";

const call: HttpCall = { method: "GET", path: "/", headers: {} };
const answer = (status: number, json: unknown = {}, headers = {}): HttpAnswer => ({
  status,
  headers,
  body: Buffer.from(JSON.stringify(json)),
});

describe("paced calls", () => {
  function paced(answers: readonly HttpAnswer[]) {
    const [slept, sent] = [new Array<number>(), new Array<number>()];
    let now = 0;
    const send = pacedSend(
      () => {
        sent.push(now);
        return Promise.resolve(answers[sent.length - 1] ?? answer(200));
      },
      {
        perSecond: 10,
        now: () => now,
        sleep: (ms) => {
          slept.push(ms);
          now += ms;
          return Promise.resolve();
        },
      },
    );
    return { send, sent, slept };
  }

  it("are as many a second as they may be, and no more", async () => {
    const { send, sent } = paced([]);
    for (const _ of [1, 2, 3]) {
      // oxlint-disable-next-line no-await-in-loop -- the order is what is looked at
      await send(call);
    }
    expect(sent).toEqual([0, 100, 200]);
  });

  it("are made again where the target has no room, after as long as it asks for", async () => {
    const { send, slept } = paced([answer(429, {}, { "retry-after": "7" }), answer(429)]);
    expect((await send(call)).status).toBe(200);
    expect(slept).toContain(7000);
  });

  it("end with the refusal where it stays", async () => {
    const { send, sent } = paced(Array.from({ length: 9 }, () => answer(429)));
    expect((await send(call)).status).toBe(429);
    expect(sent.length).toBe(4);
  });
});

describe("a client's tokens", () => {
  it("are asked for once for as long as they are good", async () => {
    let [now, asked] = [0, 0];
    const token = clientToken({
      send: () =>
        Promise.resolve(answer(200, { access_token: `token-${asked++}`, expires_in: 100 })),
      path: "/v1/tokens",
      client: { id: "a client", secret: "s:%" },
      now: () => now,
    });
    expect([await token(), await token()]).toEqual(["token-0", "token-0"]);
    now = 70_000;
    expect(await token()).toBe("token-1");
  });

  it("go by HTTP Basic, each part encoded, and are asked for again after a refusal", async () => {
    const sent: HttpCall[] = [];
    const token = clientToken({
      send: (one) => {
        sent.push(one);
        return Promise.resolve(answer(401, { error: "invalid_client" }));
      },
      path: "/v1/tokens",
      client: { id: "a client", secret: "s:%" },
    });
    await expect(token()).rejects.toThrow("POST /v1/tokens → 401 invalid_client");
    await expect(token()).rejects.toThrow("401");
    const encoded = sent[0]?.headers["authorization"]?.replace("Basic ", "") ?? "";
    expect(Buffer.from(encoded, "base64").toString()).toBe("a%20client:s%3A%25");
    expect(sent.length).toBe(2);
  });
});

describe("the kit's receiver", () => {
  it("keeps the bytes of each attempt at its place, and answers as it is told", async () => {
    const receiver = await hostReceiver();
    onTestFinished(receiver.close);
    const place = receiver.open(() => ({ status: 410, headers: { "x-one": "1" } }));
    const url = new URL(place.url);
    const { send, close } = httpSend(url.origin);
    onTestFinished(close);
    const body = Buffer.from([0x7b, 0xff, 0x7d]);
    const got = await send({ method: "POST", path: url.pathname, headers: { "x-a": "b" }, body });
    expect(got).toMatchObject({ status: 410, headers: { "x-one": "1" } });
    expect(place.attempts[0]).toMatchObject({ method: "POST", headers: { "x-a": "b" }, body });
    expect((await send({ ...call, path: "/elsewhere" })).status).toBe(404);
    place.close();
    expect((await send({ ...call, path: url.pathname })).status).toBe(404);
  });

  it("is found behind a proxy's path, says when what it waits for has not come, and lets go", async () => {
    const receiver = await hostReceiver();
    onTestFinished(receiver.close);
    const place = receiver.open(() => "silence");
    const url = new URL(place.url);
    const { send, close } = httpSend(url.origin);
    onTestFinished(close);
    expect(await place.until((all) => all.length > 0, 1)).toBe(false);
    const waiting = send({ ...call, method: "POST", path: `/hooks${url.pathname}` });
    expect(await place.until((all) => all.length > 0, 5000)).toBe(true);
    place.close();
    expect((await waiting).status).toBe(204);
  });

  it("names the address that it is called by", async () => {
    const receiver = await hostReceiver({ callbackUrl: "https://ci.example/hooks/" });
    onTestFinished(receiver.close);
    expect(receiver.open().url).toMatch(/^https:\/\/ci\.example\/hooks\/place-\d+$/);
  });
});

describe("a sender that stays on this machine", () => {
  it("refuses another one before anything is looked up", () => {
    expect(() => httpSend("http://192.0.2.1", { isLoopbackOnly: true })).toThrow("--i-own");
  });
});
