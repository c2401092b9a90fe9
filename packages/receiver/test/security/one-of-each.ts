import {
  attemptOf,
  nameOf,
  otherSecret,
  recordingReceiver,
  refundAuthorized,
} from "../fixtures.ts";

// Runs in a separate process, with flags that remove features of the language.

const { receiver } = recordingReceiver();
const event = refundAuthorized();
const attempts = [
  attemptOf(event),
  attemptOf(event),
  attemptOf({ ...event, id: "evt_2", type: "constructor", category: "constructor" }),
  attemptOf({ ...event, id: "evt_3", data: { paymentId: 7 } }),
  attemptOf('{"id":"evt_4","__proto__":{}}', { id: "evt_4" }),
  attemptOf({ ...event, id: "evt_5" }, { secrets: [otherSecret] }),
];
const outcomes: string[] = [];
// oxlint-disable-next-line no-await-in-loop -- the second one is a duplicate of the first
for (const attempt of attempts) outcomes.push(nameOf(await receiver.receive(attempt)));
process.stdout.write(JSON.stringify(outcomes));
