import { schemeOf } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { hmacPresets } from "../src/hmac-presets.ts";

describe("a scheme that a profile states", () => {
  it("is Standard Webhooks by its name", () => {
    expect(schemeOf({ scheme: "standard-webhooks" }).name).toBe("standard-webhooks");
  });

  it("is an HMAC by its description", () => {
    const { xSignature: description } = hmacPresets;
    expect(schemeOf({ scheme: "hmac", description }).name).toBe(description.name);
  });

  it("is a TypeError where the description is unusable", () => {
    const description = { ...hmacPresets.xSignature, signed: [] };
    expect(() => schemeOf({ scheme: "hmac", description })).toThrow(TypeError);
  });
});
