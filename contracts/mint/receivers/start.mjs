// Starts one receiver: node start.mjs STACK [FAULT]. PORT, SECRETS (separated by spaces), PUBLIC_URL.
import { createReceiver } from "./shared.mjs";
import { heldOut } from "./faults/held-out.mjs";
import { faults } from "./faults/index.mjs";
import { unseen } from "./faults/unseen.mjs";
import { unseenFifth } from "./faults/unseen-fifth.mjs";
import { unseenFourth } from "./faults/unseen-fourth.mjs";
import { unseenSixth } from "./faults/unseen-sixth.mjs";
import { unusual } from "./unusual.mjs";

const [stack, name] = process.argv.slice(2);
const { PORT = "3000", SECRETS = "", PUBLIC_URL } = process.env;
const authors = [...unseen, ...unseenFourth, ...unseenFifth, ...unseenSixth];
const all = [...faults, ...heldOut, ...authors, ...unusual];
const fault = all.find((each) => each.stack === stack && each.name === name);
if (name && !fault) throw new Error(`unknown fault ${JSON.stringify(name)} of ${stack}`);
const secrets = SECRETS.split(" ").filter((secret) => secret !== "");
if (secrets.length === 0) throw new Error("missing SECRETS");
const vendor = (await import(`./${stack}.mjs`)).default;
const receiver = createReceiver(vendor, { secrets, fault });
receiver.server.listen(Number(PORT), "127.0.0.1", () => {
  const { port } = receiver.server.address();
  receiver.publicUrl = PUBLIC_URL ?? `http://127.0.0.1:${port}/webhooks`;
  console.log(`ready ${port}`);
});
