import { describe, expect, it } from "vitest";
import { sourceOf } from "../../src/http/source-of.ts";

describe("the source of a call", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "20010db800010002::/64"],
    ["2001:db8:1:2:ffff::1", "20010db800010002::/64"],
    ["2001:db8:1:3::1", "20010db800010003::/64"],
    ["not an address", "unknown"],
    [undefined, "unknown"],
  ])("of %s is %s", (ip, source) => {
    expect(sourceOf({ ip })).toBe(source);
  });
});
