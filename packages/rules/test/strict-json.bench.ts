import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

// Loaded by Node itself, as users load it: the test runner turns each call between two files into a
// look-up on a module object, and then two thirds of the time are the runner's.
// The cast repeats what the compiler sees of the same file.
const { readJson } = createRequire(import.meta.url)(
  "../src/strict-json.ts",
) as typeof import("../src/strict-json.ts");

const FLOOR = 0.35;
const READS = 200;

// About 1 KB each, of the kinds that a receiver meets.
const event = {
  timestamp: "2026-11-30T05:00:00.000Z",
  id: "evt_01J9ZQ7Q9T4C2F5M8K3N6P1R0S",
  type: "refund.authorized",
  data: {
    amount: { currency: "USD", value: 1250.5 },
    covered: false,
    lines: Array.from({ length: 10 }, (_, index) => ({
      sku: `B-${index}`,
      quantity: index,
      unit: 250.25,
      comment: null,
    })),
    address: { street: "221B Baker Street", city: "New York", zip: "10001", country: "US" },
    note: 'The customer wrote: "the second parcel never arrived", see the attachment.',
  },
};
const foreign = { ...event.data, note: "Crédit Coopératif de Nouvelle-Écosse. ".repeat(8) };

const bodies = {
  "a refund event": JSON.stringify(event),
  "the same, indented": JSON.stringify(event, undefined, 2),
  "the same with letters beyond ASCII": JSON.stringify({ ...event, data: foreign }),
};

// A text is encoded first, which costs 0.4 µs: as much as a quarter of JSON.parse.
const TEXT_FLOOR = 0.3;

describe.each(Object.entries(bodies))("reading %s strictly", (_, text) => {
  const bytes = new TextEncoder().encode(text);

  test(`is at least ${FLOOR} as fast as JSON.parse of its text`, async ({ bench }) => {
    let read = 0;
    const times = await bench.compare(
      bench("JSON.parse", () => {
        for (let count = 0; count < READS; count += 1) read += JSON.parse(text) === null ? 0 : 1;
      }),
      bench("readJson of the bytes", () => {
        for (let count = 0; count < READS; count += 1) read += readJson(bytes).ok ? 1 : 0;
      }),
      bench("readJson of the text", () => {
        for (let count = 0; count < READS; count += 1) read += readJson(text).ok ? 1 : 0;
      }),
      { time: 2000, warmupTime: 1000 },
    );

    expect(read % READS).toBe(0);
    const bare = times.get("JSON.parse").latency.p50;
    expect(bare / times.get("readJson of the bytes").latency.p50).toBeGreaterThanOrEqual(FLOOR);
    expect(bare / times.get("readJson of the text").latency.p50).toBeGreaterThanOrEqual(TEXT_FLOOR);
  });
});
