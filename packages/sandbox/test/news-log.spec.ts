import { expect, it } from "vitest";
import { NewsLog } from "../src/news-log.ts";

it("a log of news continues after a known id, with everything since and nothing before", () => {
  const log = new NewsLog("run");
  const texts = ["a", "b", "c"].map((name) => log.add(name, { name }));
  expect(texts[0]).toBe('event: a\ndata: {"name":"a"}\nid: run.1\n\n');
  expect(log.after("run.1")).toBe(`${texts[1]}${texts[2]}`);
  expect(log.after("run.3")).toBe("");
  for (const id of ["run.9", "other.1", "run.", "run.x", "", "run.-1"])
    expect([id, log.after(id)]).toEqual([id, undefined]);
});

it("a log of news keeps the last 1,000, and fewer if they are long", () => {
  const log = new NewsLog("run");
  for (let count = 0; count < 1002; count += 1) log.add("a", {});
  expect(log.after("run.1")).toBeUndefined();
  expect(log.after("run.2")).toMatch(/^event: a\ndata: \{\}\nid: run\.3\n/);
  log.add("long", { text: "x".repeat(4_000_000) });
  expect(log.after("run.1002")).toBeUndefined();
  expect(log.after("run.1003")).toBe("");
});
