import { describe, expect, it } from "vitest";
import { endpointUrl } from "../../src/delivery/endpoint-url.ts";

const strict = { allowLoopback: false };
const sandbox = { allowLoopback: true };

describe("a subscription's URL", () => {
  it("is taken with https on any port, path and query", () => {
    const text = "https://merchant.example:8443/hooks/a?tenant=1";
    expect(endpointUrl(text, strict)?.href).toBe(text);
    expect(endpointUrl(text, sandbox)?.href).toBe(text);
  });

  it.each([
    ["http", "http://merchant.example/hooks"],
    ["http to loopback", "http://127.0.0.1:4020/hooks"],
    ["another scheme", "ftp://merchant.example/hooks"],
    ["a file", "file:///etc/passwd"],
    ["a user's name", "https://user@merchant.example/hooks"],
    ["a password", "https://user:secret@merchant.example/hooks"],
    ["a fragment", "https://merchant.example/hooks#a"],
    ["an empty fragment", "https://merchant.example/hooks#"],
    ["more than 2048 characters", `https://merchant.example/${"a".repeat(2048)}`],
    ["no host", "https://"],
    ["no scheme", "merchant.example/hooks"],
  ])("B7 is refused with %s", (_, text) => {
    expect(endpointUrl(text, strict)).toBeUndefined();
  });

  it.each([
    "http://localhost:4020/",
    "http://127.0.0.1:4020/",
    "http://127.1:4020/",
    "http://[::1]/",
  ])("may be %s in the sandbox", (text) => {
    expect(endpointUrl(text, sandbox)).toBeInstanceOf(URL);
  });

  it.each(["http://merchant.example/", "http://10.0.0.1/", "http://127.0.0.1.evil.test/"])(
    "may not be %s, even in the sandbox",
    (text) => {
      expect(endpointUrl(text, sandbox)).toBeUndefined();
    },
  );
});
