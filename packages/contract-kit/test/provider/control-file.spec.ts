import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { HttpCall } from "../../src/http.ts";
import {
  controlNames,
  controlShapes,
  type ControlDocument,
} from "../../src/harness/control-file/control-document.ts";
import { controlledTarget, variablesOf } from "../../src/harness/control-file/controlled-target.ts";
import { readControl } from "../../src/harness/control-file/read-control.ts";
import { unreachable } from "../fake-provider.ts";

const schema = JSON.parse(
  readFileSync(new URL("../../schemas/control.schema.json", import.meta.url), "utf8"),
) as { properties: { controls: { properties: Record<string, { description: string }> } } };
const fits = new Ajv2020({ allErrors: true }).compile(schema);

const call = { method: "POST", path: "/fail/{{paymentId}}" };
const whole: ControlDocument = {
  url: "https://hooks.example/test",
  headers: { "x-key": "{{env.COUNTERSIGN_CONTROL_KEY}}" },
  controls: { failPayment: [call] },
};
const failing = (...calls: readonly unknown[]) => ({ controls: { failPayment: calls } });

describe("a control document", () => {
  it("is valid by its schema and its reader", () => {
    expect(fits(whole)).toBe(true);
    expect(readControl(whole)).toEqual({ ok: true, control: whole });
    expect(variablesOf(whole)).toEqual(["COUNTERSIGN_CONTROL_KEY"]);
  });

  const at = "/controls/failPayment/0";
  it.each([
    ["an array", [], "/ "],
    ["no controls", {}, "/controls "],
    ["no mapped control", { controls: {} }, "/controls "],
    ["an unknown member", { ...whole, hooks: [] }, "/hooks "],
    ["a URL of another scheme", { ...whole, url: "ftp://hooks.example" }, "/url "],
    ["a header that is not text", { ...whole, headers: { "x-key": 1 } }, "/headers/x-key "],
    ["an unknown control", { controls: { pause: [call] } }, "/controls/pause "],
    ["no calls", failing(), "/controls/failPayment "],
    ["a call that is not an object", failing("/"), `${at} `],
    ["a call with an unknown member", failing({ ...call, query: "" }), `${at}/query `],
    ["an unsupported method", failing({ ...call, method: "TRACE" }), `${at}/method `],
    ["a path of another host", failing({ ...call, path: "other.example" }), `${at}/path `],
    ["an invalid pointer", failing({ ...call, take: { id: "id" } }), `${at}/take/id `],
    ["an invalid name", failing({ ...call, take: { "an id": "/id" } }), `${at}/take/an id `],
  ])(
    "is refused with %s, by its schema and its reader, which names the place",
    (_what, json, place) => {
      expect(fits(json)).toBe(false);
      const reading = readControl(json);
      expect(reading.ok ? [] : reading.faults).toContainEqual(expect.stringMatching(`^${place}`));
    },
  );

  const taking = { method: "POST", path: "/", take: { paymentId: "/id" } };
  const emitting = [
    { method: "POST", path: "/{{eventId}}" },
    { method: "POST", path: "/", take: { eventId: "/id" } },
  ];
  // Only the reader knows the meaning of names.
  it.each([
    [
      "an unknown value",
      failing({ ...call, body: { id: "{{payment}}" } }),
      `${at}/body/id has {{payment}}`,
    ],
    [
      "a foreign variable",
      { ...whole, headers: { a: "{{env.HOME}}" } },
      "/headers/a has {{env.HOME}}",
    ],
    [
      "an id that is never taken",
      { controls: { createPayment: [taking] } },
      "/controls/createPayment must take paymentId and customerId",
    ],
    [
      "a value of a later call",
      { controls: { emitEvent: emitting } },
      "/controls/emitEvent/0/path has {{eventId}}",
    ],
  ])("is refused by its reader with %s, and the place", (_what, json, fault) => {
    expect(fits(json)).toBe(true);
    const reading = readControl(json);
    expect(reading.ok ? [] : reading.faults).toContainEqual(expect.stringContaining(fault));
  });

  it("has a schema that describes each control with what it is given and takes", () => {
    const { properties } = schema.properties.controls;
    expect(Object.keys(properties)).toEqual(controlNames);
    for (const name of controlNames) {
      const { given, takes } = controlShapes[name];
      for (const word of [...given, ...takes.flat()])
        expect(properties[name]?.description).toMatch(new RegExp(`\\b${word}\\b`));
    }
  });
});

function opened(control: ControlDocument, answers: readonly unknown[] = []) {
  const calls: HttpCall[] = [];
  const send = (one: HttpCall) => {
    const body = Buffer.from(JSON.stringify(answers[calls.length] ?? {}));
    calls.push(one);
    return Promise.resolve({ status: 200, headers: {}, body });
  };
  const env = new Map([["COUNTERSIGN_CONTROL_KEY", "the-key"]]);
  const controlled = controlledTarget(unreachable, {
    control,
    url: "http://127.0.0.1:2",
    env,
    send,
  });
  return { calls, controls: controlled.controls?.((sent) => sent) ?? {} };
}

describe("a target with a control document", () => {
  it("has only the controls that the document maps completely", () => {
    expect(Object.keys(opened(whole).controls)).toEqual([]);
    const { controls } = opened({
      controls: { createPayment: [], settlePayment: [], readClock: [], expireToken: [] },
    });
    expect(Object.keys(controls)).toEqual(["payments", "tokens"]);
    expect(Object.keys(controls.payments ?? {})).toEqual(["create", "settle"]);
  });

  it("fills paths, headers and bodies, and writes an amount exactly", async () => {
    const people = { method: "POST", path: "/people", take: { customerId: "/person/id" } };
    const debits = {
      method: "POST",
      path: "/people/{{customerId}}/debits",
      body: { amount: "{{number amount}}", text: "{{amount}} USD", list: [1, null, true] },
      take: { paymentId: "/id" },
    };
    const { controls, calls } = opened(
      {
        headers: { "x-key": "{{env.COUNTERSIGN_CONTROL_KEY}}", authorization: "Bearer {{token}}" },
        controls: { createPayment: [people, debits] },
      },
      [{ person: { id: "a/b" } }, { id: 7 }],
    );
    const made = await controls.payments?.create(9_007_199_254_740_993n);
    expect(made).toEqual({ paymentId: "7", customerId: "a/b" });
    expect(calls.map(({ path }) => path)).toEqual(["/people", "/people/a%2Fb/debits"]);
    expect(calls[1]).toMatchObject({
      headers: { "x-key": "the-key", authorization: "Bearer the-token" },
      body: '{"amount":90071992547409.93,"text":"90071992547409.93 USD","list":[1,null,true]}',
    });
  });

  it("reads a clock in text or milliseconds, and rejects another", async () => {
    const controls = {
      readClock: [{ method: "GET", path: "/clock", take: { now: "/now" } }],
      advanceClock: [{ method: "PUT", path: "/clock", body: "{{to}} {{duration}}" }],
    };
    const clock = (now: unknown) => opened({ controls }, [{ now }]);
    expect(await clock("2026-11-20T15:00:00.000Z").controls.clock?.now()).toBe(1_795_186_800_000);
    expect(await clock(1500).controls.clock?.now()).toBe(1500);
    await expect(clock("noon").controls.clock?.now()).rejects.toThrow('"noon" is no time');
    const { controls: own, calls } = clock(0);
    await own.clock?.advance(1500);
    expect(calls[1]?.body).toBe('"1970-01-01T00:00:01.500Z PT2S"');
  });

  it("names the call that did not answer as described", async () => {
    const emitEvent = [{ method: "POST", path: "/e", take: { eventId: "/id" } }];
    await expect(
      opened({ controls: { emitEvent } }, [{}]).controls.events?.emit("x"),
    ).rejects.toThrow("emitEvent: POST /e answered nothing at /id");
  });
});
