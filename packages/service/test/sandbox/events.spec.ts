import { describe, expect, it } from "vitest";
import { openReceiver, shareSandbox, refusal, TOKEN, type Body } from "./open-sandbox.ts";

const open = shareSandbox();

describe("POST /sandbox/events", () => {
  it("keeps the numbers of the data that was sent digit for digit", async () => {
    const one = await open();
    const receiver = await openReceiver();
    await one.subscribe(receiver.url);
    const data =
      '{"paymentId":"pay_1","amount":{"currency":"USD","value":10.50},"list":[1.0,{"a/b":2e0}]}';
    const text = `{"type":"payment.created","data":${data}}`;
    const { body } = await one.call("POST", "/sandbox/events", { text });
    expect(body["payload"]).toContain(`"data":${data}`);
    await receiver.hasArrived(1);
    expect(receiver.arrived[0]?.body.toString()).toBe(body["payload"]);
    const listed = await one.list("/sandbox/events");
    expect(listed.filter(({ id }) => id === body["id"])).toEqual([body]);
  });

  it("rejects an unknown type, a missing type and malformed data", async () => {
    const one = await open();
    for (const [json, code] of [
      [{ type: "payment.unheard" }, "UNKNOWN_EVENT, /type UNKNOWN_EVENT"],
      [{ type: "toString" }, "UNKNOWN_EVENT, /type UNKNOWN_EVENT"],
      [{}, "INVALID_REQUEST, /type MISSING_MEMBER"],
      [{ type: "payment.created", data: [] }, "INVALID_REQUEST, /data INVALID_VALUE"],
    ] as const)
      expect(refusal(await one.post("/sandbox/events", json))).toBe(`400 ${code}`);
  });
});

it("GET /sandbox/events lists the newest first, up to a limit from 1 to 1,000", async () => {
  const one = await open();
  const token = await one.addNamespace();
  const ids: unknown[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.unshift((await one.emit("customer.created", token)).body["id"]);
  }
  const listed = (limit: string) => one.call("GET", `/sandbox/events?limit=${limit}`, { token });
  const { body } = await listed("2");
  expect((body["events"] as Body[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  for (const limit of ["0", "1001", "x", "-1", "1.5", ""])
    expect(refusal(await listed(limit))).toBe("400 INVALID_REQUEST, /limit INVALID_VALUE");
});

describe("GET /sandbox/inspect/events", () => {
  const inspected = shareSandbox({ inspector: { token: TOKEN, key: "key-of-this-run" } });

  it("pages through rows of deliveries, the newest first, and filters them with the counts of tabs", async () => {
    const one = await inspected();
    await one.post("/sandbox/reset");
    const [accepting, refusing] = [await openReceiver(204), await openReceiver(500)];
    await one.subscribe(accepting.url);
    const failing = await one.subscribe(refusing.url);
    for (const type of ["customer.created", "payment.created"]) await one.emit(type);
    // Answers once every delivery has been attempted.
    await one.move({ advance: "PT0S" });
    const read = async (query: string) => {
      const { body } = await one.call("GET", `/sandbox/inspect/events?${query}`);
      const rows = (body["rows"] as Body[]).map(({ type, status }) => [type, status]);
      return { rows, before: body["before"], counts: body["counts"] };
    };
    const counts = { delivered: 2, retrying: 2 };
    const all = await read("");
    expect(all).toMatchObject({ before: null, counts });
    expect(all.rows).toHaveLength(4);
    const paged = [];
    let before: unknown = "";
    for (let count = 0; count < 4; count += 1) {
      const page = await read(`limit=1&before=${String(before)}`);
      paged.push(...page.rows);
      before = page.before;
    }
    expect(paged).toEqual(all.rows);
    expect(await read(`before=${String(before)}`)).toMatchObject({ rows: [], before: null });
    const [created, retrying] = ["customer.created", "retrying"];
    expect(await read(`tab=failing&type=${created}`)).toMatchObject({
      rows: [[created, retrying]],
      counts: { delivered: 1, retrying: 1 },
    });
    for (const query of [`endpoint=${failing}`, "answer=5xx", "tab=failing&from=invalid"])
      expect([query, (await read(query)).rows]).toEqual([
        query,
        [
          ["payment.created", retrying],
          [created, retrying],
        ],
      ]);
    expect((await read("from=2999-01-01T00:00:00Z")).rows).toEqual([]);
  });
});
