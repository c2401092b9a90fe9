// Sends attempts that the vendors' SDKs sign to each honest receiver, and prints what differs from the expectation.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { heldOut } from "./faults/held-out.mjs";
import { faults } from "./faults/index.mjs";
import { createReceiver } from "./shared.mjs";

export const stacks =
  "stripe github svix standard-webhooks shopify slack twilio openai paddle square".split(" ");
const problems = [];

/** Returns a function that signs the provider's sample event and posts it to `url`. */
async function sender(stack, url) {
  const { sign, secrets } = await import(`../providers/${stack}.mjs`);
  const { events } = JSON.parse(readFileSync(new URL(`../events/${stack}.json`, import.meta.url)));
  const { id = "msg_1", headers = {}, body: sample } = events[0];
  const body = typeof sample === "string" ? sample : JSON.stringify(sample);
  const post = async ({ secret = "a", late = 0, change = (text) => text, drop = false } = {}) => {
    const seconds = Math.floor(Date.now() / 1000) - late;
    const given = { body, id, secret: secrets[secret] ?? secret, seconds, headers, url };
    const signed = await sign(given);
    const all = new Headers({ "content-type": "application/json" });
    const own = Object.entries({ ...headers, ...(drop ? {} : signed.headers) });
    for (const [name, value] of own) all.set(name, value);
    return (await fetch(url, { method: "POST", headers: all, body: change(body) })).status;
  };
  return { post, secrets };
}

async function check(stack, fault) {
  const vendor = (await import(`./${stack}.mjs`)).default;
  const { secrets } = await import(`../providers/${stack}.mjs`);
  const receiver = createReceiver(vendor, { secrets: [secrets.a, secrets.b], fault });
  receiver.server.listen(0, "127.0.0.1");
  await once(receiver.server, "listening");
  const origin = `http://127.0.0.1:${receiver.server.address().port}`;
  receiver.publicUrl = `${origin}/webhooks`;
  const { post } = await sender(stack, receiver.publicUrl);
  const expect = (fact, got, wanted) => {
    if (String(got) !== String(wanted)) problems.push(`${stack}: ${fact}: ${got}, not ${wanted}`);
  };
  const count = async () => {
    const list = await (await fetch(`${origin}/effects`)).json();
    return list.reduce((sum, { count: handled }) => sum + handled, 0);
  };
  const order = (body) => fetch(`${origin}/effects`, { method: "PUT", body: JSON.stringify(body) });

  expect("unsigned", await post({ drop: true }), 401);
  expect("changed", await post({ change: (text) => text.replace(/\d(?=\D*$)/, "x") }), 401);
  expect("effects", await count(), 0);
  await order({ failNext: 1 });
  expect("failing", await post(), 503);
  const both = await Promise.all([post(), post()]);
  // The second one may arrive when the first is finished.
  expect(
    "concurrent",
    both.map((status) => (status === 409 ? 200 : status)),
    [200, 200],
  );
  expect("again, by the second secret", await post({ secret: "b" }), 200);
  expect("effects", await count(), 1);
  expect("GET", (await fetch(receiver.publicUrl)).status, 405);
  const text = { method: "POST", headers: { "content-type": "text/plain" }, body: "x" };
  expect("text", (await fetch(receiver.publicUrl, text)).status, 415);
  if (receiver.tolerance) expect("late", await post({ late: 301 }), 401);
  receiver.server.closeAllConnections();
  receiver.server.close();
}

if (import.meta.main) {
  const [stack, name] = process.argv.slice(2);
  const fault = [...faults, ...heldOut].find((each) => each.stack === stack && each.name === name);
  for (const each of stack ? [stack] : stacks) await check(each, fault);
  for (const problem of problems) console.error(problem);
  console.log(`${stacks.length} receivers, ${problems.length} differences`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
