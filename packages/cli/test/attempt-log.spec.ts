import { expect, it } from "vitest";
import { AttemptLog } from "../src/listen/attempt-log.ts";

const event = (eventId: string, type: string) => ({
  provider: "stripe",
  eventId,
  type,
  category: "",
});

it("the log of listen filters deliveries by answer, tab, time, type and text, and counts all tabs", () => {
  const log = new AttemptLog(":memory:", 10);
  const add = (id: string, type: string, status: number | null, at: number): void => {
    const request = { method: "POST", path: "/", headers: [], body: Buffer.from(`{"a":"${id}%"}`) };
    const error = status === null ? "CS_ATTEMPT_TIMEOUT" : null;
    const cause = status === 204 ? null : "cause";
    const facts = { isOwn: false, request, error, durationMs: 1, answerHeaders: [], answer: "" };
    const made = { ...facts, at, status, cause, explanations: undefined };
    log.add(event(id, type), "http://127.0.0.1/", made);
  };
  add("evt_1", "a.b", 204, 1000);
  add("evt_2", "a.c", 404, 2000);
  add("evt_3", "a.b", 503, 3000);
  add("evt_4", "a.b", null, 4000);
  const found = (query: string): readonly string[] =>
    log.list(new URLSearchParams(query), { limit: 9 }).map(({ eventId }) => eventId);
  expect(found("")).toEqual(["evt_4", "evt_3", "evt_2", "evt_1"]);
  expect(found("answer=2xx")).toEqual(["evt_1"]);
  expect(found("answer=4xx")).toEqual(["evt_2"]);
  expect(found("answer=5xx")).toEqual(["evt_3"]);
  expect(found("answer=none")).toEqual(["evt_4"]);
  expect(found("tab=delivered")).toEqual(["evt_1"]);
  expect(found("tab=failing&type=a.b&cause=cause")).toEqual(["evt_4", "evt_3"]);
  expect(found("from=1970-01-01T00:00:03Z")).toEqual(["evt_4", "evt_3"]);
  expect(found("q=evt_2%25")).toEqual(["evt_2"]);
  expect(found("endpoint=http://127.0.0.1/&provider=github")).toEqual([]);
  expect(log.counts(new URLSearchParams("tab=failing"))).toEqual({ delivered: 1, failed: 3 });
  log.close();
});
