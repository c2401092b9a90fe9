// Both builds in one process, as where a library of a merchant requires what the app imports.
const assert = require("node:assert/strict");
const { mkdtempSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");

const ENTRIES = ["", "/fetch", "/providers", "/sqlite", "/testing", "/signatures"];
const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
const commonJs = Object.assign(
  {},
  ...ENTRIES.map((entry) => require(`@countersign/receiver${entry}`)),
);

async function modules() {
  const loaded = await Promise.all(ENTRIES.map((entry) => import(`@countersign/receiver${entry}`)));
  return Object.assign({}, ...loaded);
}

/** Sends an event twice and a forgery, with the receiver of one build and everything else of the other. */
async function receives(own, other) {
  assert.notEqual(own.createReceiver, other.createReceiver);
  const inbox = other.sqliteInbox(join(mkdtempSync(join(__dirname, "inbox-")), "inbox.db"));
  const handled = [];
  const receiver = own
    .createReceiver({ provider: other.reference, secrets, inbox, fallback: () => undefined })
    .on("refund.failed", (event) => void handled.push(event.id));
  const event = other.eventFactories()["refund.failed"]();
  const attempt = () => own.signedAttempt({ provider: other.reference, secrets, event });

  await other.expectHandled(receiver, attempt());
  assert.equal((await receiver.receive(attempt())).kind, "duplicate");
  assert.deepEqual(handled, ["evt_1"]);

  const { headers } = attempt();
  const request = new Request("http://127.0.0.1/", { method: "POST", headers, body: "{}" });
  assert.equal((await other.toFetch(receiver)(request)).status, 401);
  assert.equal(
    (await receiver.receive({ headers, body: Buffer.from("{}") })).code,
    "CS_SIGNATURE_MISMATCH",
  );
}

test("the ECMAScript receiver works with CommonJS inboxes, adapters and schemes", async () => {
  await receives(await modules(), commonJs);
});

test("the CommonJS receiver works with ECMAScript inboxes, adapters and schemes", async () => {
  await receives(commonJs, await modules());
});
