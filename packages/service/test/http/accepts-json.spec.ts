import { describe, expect, it } from "vitest";
import { acceptsJson } from "../../src/http/accepts-json.ts";
import { mediaTypeOf } from "../../src/http/media-type.ts";

describe("T-19 an Accept field", () => {
  it.each([
    [undefined, true],
    ["", true],
    ["*/*", true],
    ["application/*", true],
    ["application/json", true],
    ["Application/JSON; charset=utf-8", true],
    ["text/html, application/json;q=0.1", true],
    ["application/json;q=0, */*", false],
    ["*/*, application/json;q=0.0", false],
    ["application/*;q=0, application/json", true],
    ["text/html", false],
    ["application/problem+json", false],
    ["application/json;q=x", false],
    ["json", false],
  ])("%j takes JSON: %s", (field, expected) => {
    expect(acceptsJson(field)).toBe(expected);
  });
});

describe("a Content-Type field", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["application/json", "application/json"],
    [" Application/JSON ; charset=UTF-8;", "application/json"],
    ["application/json; charset=utf-8; charset=latin1", undefined],
    ["application/json; boundary=x", undefined],
    ["application/json, text/plain", undefined],
    ["application", undefined],
  ])("%j is %j", (field, expected) => {
    expect(mediaTypeOf(field)).toBe(expected);
  });
});
