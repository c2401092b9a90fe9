/** Tests as a merchant writes them, without imports, which differ by runner. The last one writes the file `ran`. */
export const tests = `const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
const openSqlite = () => sqliteInbox(join(mkdtempSync(join(tmpdir(), "inbox-")), "inbox.db"));

function shop(options = {}) {
  const statuses = new Map();
  const receiver = createReceiver({ secrets, ...options, fallback: () => undefined }).on(
    "PAYMENT",
    (event) => void statuses.set(event.data.paymentId, event.data.paymentStatus),
  );
  return { statuses, receiver };
}

it("marks a failed refund once, and rejects an attempt that is too old", async () => {
  const clock = fakeClock();
  const { statuses, receiver } = shop({ inbox: openSqlite(), now: clock.now });
  const event = eventFactories({ now: clock.now })["refund.failed"]({ data: { paymentId: "r_7" } });
  const attempt = signedAttempt({ secrets, event, now: clock.now() });

  await expectHandled(receiver, attempt);
  equal((await receiver.receive(attempt)).kind, "duplicate");
  deepEqual([...statuses], [["r_7", "TERMINAL_FAILED"]]);
  clock.advance(301_000);
  equal((await receiver.receive(attempt)).kind, "rejected");
});

// Outside the test: fast-check takes most of a second for its first arbitrary.
const payments = eventArbitraries(fc)["payment.succeeded"];

it("handles every event that the provider may send", async () => {
  const property = fc.asyncProperty(payments, async (event) => {
    const { receiver } = shop({ inbox: memoryInbox() });
    await expectHandled(receiver, signedAttempt({ secrets, event }));
  });
  await fc.assert(property, { numRuns: 10 });
});

for (const { name, run } of inboxConformance({ open: openSqlite })) it(name, run);

it("runs all of these tests", () => writeFileSync("ran", ""));
`;
