import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { profiles } from "@countersign/schemas/profiles";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { HttpCall } from "../../src/http.ts";
import {
  controlNames,
  controlShapes,
  type ControlDocument,
} from "../../src/provider/control-file/control-document.ts";
import {
  controlledTarget,
  variablesOf,
} from "../../src/provider/control-file/controlled-target.ts";
import { readControl } from "../../src/provider/control-file/read-control.ts";
import type { ProviderControls, ProviderTarget } from "../../src/target.ts";

const schema = JSON.parse(
  readFileSync(
    fileURLToPath(new URL("../../schemas/control.schema.json", import.meta.url)),
    "utf8",
  ),
) as { properties: { controls: { properties: Record<string, { description: string }> } } };
const fits = new Ajv2020({ allErrors: true }).compile(schema);

const call = { method: "POST", path: "/fail/{{paymentId}}" };
const whole: ControlDocument = {
  url: "https://hooks.example/test",
  headers: { "x-key": "{{env.COUNTERSIGN_CONTROL_KEY}}" },
  controls: { failPayment: [call] },
};

/** Documents with one fault each, and where it is. */
const faulty: readonly (readonly [string, unknown, string])[] = [
  ["is no object", [], "/ "],
  ["has no controls", {}, "/controls "],
  ["maps nothing", { controls: {} }, "/controls "],
  ["has another member", { ...whole, hooks: [] }, "/hooks "],
  ["has a url of another kind", { ...whole, url: "ftp://hooks.example" }, "/url "],
  ["has a header that is no text", { ...whole, headers: { "x-key": 1 } }, "/headers/x-key "],
  ["maps what is no control", { controls: { pause: [call] } }, "/controls/pause "],
  ["has no calls", { controls: { failPayment: [] } }, "/controls/failPayment "],
  ["has a call that is none", { controls: { failPayment: ["/"] } }, "/controls/failPayment/0 "],
  [
    "has a call of another member",
    { controls: { failPayment: [{ ...call, query: "" }] } },
    "/controls/failPayment/0/query ",
  ],
  [
    "has a method that is none",
    { controls: { failPayment: [{ ...call, method: "TRACE" }] } },
    "/controls/failPayment/0/method ",
  ],
  [
    "has a path of another host",
    { controls: { failPayment: [{ ...call, path: "other.example" }] } },
    "/controls/failPayment/0/path ",
  ],
  [
    "takes by what is no pointer",
    { controls: { failPayment: [{ ...call, take: { id: "id" } }] } },
    "/controls/failPayment/0/take/id ",
  ],
  [
    "takes under what is no name",
    { controls: { failPayment: [{ ...call, take: { "an id": "/id" } }] } },
    "/controls/failPayment/0/take/an id ",
  ],
];

/** What only the reader sees: what the words of a document mean. */
const meaningless: readonly (readonly [string, unknown, string])[] = [
  [
    "names what nothing gives",
    { controls: { failPayment: [{ ...call, body: { id: "{{payment}}" } }] } },
    "/controls/failPayment/0/body/id has {{payment}}",
  ],
  [
    "names a variable that is not its own",
    { ...whole, headers: { "x-key": "{{env.HOME}}" } },
    "/headers/x-key has {{env.HOME}}",
  ],
  [
    "does not take what a payment is known by",
    { controls: { createPayment: [{ method: "POST", path: "/", take: { paymentId: "/id" } }] } },
    "/controls/createPayment must take paymentId and customerId",
  ],
  [
    "names what a later call takes",
    {
      controls: {
        emitEvent: [
          { method: "POST", path: "/{{eventId}}" },
          { method: "POST", path: "/", take: { eventId: "/id" } },
        ],
      },
    },
    "/controls/emitEvent/0/path has {{eventId}}",
  ],
];

describe("a control document", () => {
  it("is read as its schema says", () => {
    expect(fits(whole)).toBe(true);
    expect(readControl(whole)).toEqual({ ok: true, control: whole });
  });

  it.each(faulty)("that %s is refused with the place, by the schema too", (_what, json, place) => {
    expect(fits(json)).toBe(false);
    const reading = readControl(json);
    expect(reading.ok ? [] : reading.faults).toContainEqual(expect.stringMatching(`^${place}`));
  });

  it.each(meaningless)("that %s is refused with the place", (_what, json, fault) => {
    expect(fits(json)).toBe(true);
    const reading = readControl(json);
    expect(reading.ok ? [] : reading.faults).toContainEqual(expect.stringContaining(fault));
  });

  it("maps the controls that its schema describes, with what each is given and takes", () => {
    const { properties } = schema.properties.controls;
    expect(Object.keys(properties)).toEqual(controlNames);
    for (const name of controlNames) {
      const { given, takes } = controlShapes[name];
      for (const word of [...given, ...takes.flat()])
        expect(properties[name]?.description).toMatch(new RegExp(`\\b${word}\\b`));
    }
  });

  it("tells the variables that it names", () => {
    expect(variablesOf(whole)).toEqual(["COUNTERSIGN_CONTROL_KEY"]);
  });
});

function opened(
  control: ControlDocument,
  answers: readonly unknown[] = [],
): { readonly controls: ProviderControls; readonly calls: HttpCall[] } {
  const calls: HttpCall[] = [];
  const target: ProviderTarget = {
    role: "provider",
    url: "http://127.0.0.1:1",
    send: () => Promise.reject(new Error("not the hooks")),
    token: () => Promise.resolve("the-token"),
    profile: profiles.standard,
  };
  const controlled = controlledTarget(target, {
    control,
    url: "http://127.0.0.1:2",
    env: new Map([["COUNTERSIGN_CONTROL_KEY", "the-key"]]),
    send: (one) => {
      const body = Buffer.from(JSON.stringify(answers[calls.length] ?? {}));
      calls.push(one);
      return Promise.resolve({ status: 200, headers: {}, body });
    },
  });
  return { calls, controls: controlled.controls?.((send) => send) ?? {} };
}

describe("the controls of a document", () => {
  it("are those that it maps and no others", () => {
    const { controls } = opened(whole);
    expect(Object.keys(controls)).toEqual([]);
    const more = opened({
      controls: { createPayment: [], settlePayment: [], readClock: [], expireToken: [] },
    });
    expect(Object.keys(more.controls)).toEqual(["payments", "tokens"]);
    expect(Object.keys(more.controls.payments ?? {})).toEqual(["create", "settle"]);
  });

  it("fill paths, headers and bodies, an amount as the number that it is", async () => {
    const { controls, calls } = opened(
      {
        headers: { "x-key": "{{env.COUNTERSIGN_CONTROL_KEY}}", authorization: "Bearer {{token}}" },
        controls: {
          createPayment: [
            { method: "POST", path: "/people", take: { customerId: "/person/id" } },
            {
              method: "POST",
              path: "/people/{{customerId}}/debits",
              body: { amount: "{{number amount}}", text: "{{amount}} USD", list: [1, null, true] },
              take: { paymentId: "/id" },
            },
          ],
        },
      },
      [{ person: { id: "a/b" } }, { id: 7 }],
    );
    const made = await controls.payments?.create(9_007_199_254_740_993n);
    expect(made).toEqual({ paymentId: "7", customerId: "a/b" });
    expect(calls.map(({ path }) => path)).toEqual(["/people", "/people/a%2Fb/debits"]);
    expect(calls[1]?.headers).toMatchObject({
      "x-key": "the-key",
      authorization: "Bearer the-token",
    });
    expect(calls[1]?.body).toBe(
      '{"amount":90071992547409.93,"text":"90071992547409.93 USD","list":[1,null,true]}',
    );
  });

  it("read a clock of either form", async () => {
    const clock = (now: unknown) =>
      opened(
        {
          controls: {
            readClock: [{ method: "GET", path: "/clock", take: { now: "/now" } }],
            advanceClock: [{ method: "PUT", path: "/clock", body: "{{to}} {{duration}}" }],
          },
        },
        [{ now }],
      );
    expect(await clock("2026-11-20T15:00:00.000Z").controls.clock?.now()).toBe(1_795_186_800_000);
    expect(await clock(1500).controls.clock?.now()).toBe(1500);
    await expect(clock("noon").controls.clock?.now()).rejects.toThrow('"noon" is no time');
    const { controls, calls } = clock(0);
    await controls.clock?.advance(1500);
    expect(calls[1]?.body).toBe('"1970-01-01T00:00:01.500Z PT2S"');
  });

  it("say which call did not do as it was asked", async () => {
    const control = {
      controls: { emitEvent: [{ method: "POST", path: "/e", take: { eventId: "/id" } }] },
    };
    await expect(opened(control, [{}]).controls.events?.emit("x")).rejects.toThrow(
      "emitEvent: POST /e answered nothing at /id",
    );
  });
});
