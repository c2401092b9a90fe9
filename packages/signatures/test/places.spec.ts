import { describe, expect, it } from "vitest";
import { schemeOf } from "../src/index.ts";
import { parsePlace, Places } from "../src/places.ts";
import { provider } from "./samples.ts";

const read = (type: string, body: string, ...places: readonly string[]): unknown[] => {
  const source = { headers: { "Content-Type": type }, body: Buffer.from(body) };
  const reader = new Places(source);
  return [...places.map((place) => reader.any(parsePlace(place))), reader.problem?.reason];
};
const FORM = "application/x-www-form-urlencoded; charset=utf-8";

describe("places of a form", () => {
  it("point into a field whose text is JSON", () => {
    const body = `payload=${encodeURIComponent('{"action":"opened","id":9007199254740993}')}`;
    const values = read(FORM, body, "form:payload#/action", "form:payload#/id", "form:payload#/no");
    expect(values).toEqual(["opened", "9007199254740993", undefined, undefined]);
    expect(read(FORM, body, "form:payload#")[0]).toMatchObject({ action: "opened" });
  });

  it("are a problem if the field they point into is not JSON", () => {
    expect(read(FORM, "payload={", "form:payload#/action")).toEqual([undefined, "invalid"]);
  });

  it("are absent from a JSON body that contains an ampersand", () => {
    const body = '{"text":"&payload=1&100%"}';
    expect(read("application/json", body, "form:payload")).toEqual([undefined, undefined]);
  });
});

it("a body that is no form is refused where the form's fields are signed", () => {
  const form = { form: "sorted", pair: "", join: "" } as const;
  const scheme = schemeOf(provider({ signed: ["url", form], ambiguous: "a" }));
  const [secrets, url] = [["0123456789abcdefghijklmn"], "https://example.com/hooks"];
  const options = { now: 1_790_000_000_000 };
  // The sender has signed a request without a form.
  const { headers } = scheme.sign({ body: Buffer.from(""), url }, secrets);
  expect(scheme.verify({ headers, body: Buffer.from(""), url }, secrets, options).ok).toBe(true);
  const attempt = {
    headers: { ...headers, "content-type": "application/json" },
    body: Buffer.from('{"unsigned":true}'),
    url,
  };
  expect(scheme.verify(attempt, secrets, options)).toMatchObject({
    code: "CS_SIGNATURE_PLACE_INVALID",
    facts: { place: "form:" },
  });
});
