// A small sender of Standard Webhooks: sends one event, and repeats it until it is answered 2xx. SENDER_FAULT names its mistake.
import { createHmac, randomUUID } from "node:crypto";
import { env } from "node:process";
import { setTimeout } from "node:timers/promises";

const { COUNTERSIGN_SECRET: secret = "", COUNTERSIGN_EVENT_TYPE: type, SENDER_FAULT: fault } = env;
// Some senders know one URL only.
const url = env.SENDER_URL ?? env.COUNTERSIGN_URL ?? "";
const key = Buffer.from(secret.replace("whsec_", ""), "base64");
const firstTime = Math.floor(Date.now() / 1000);
// Of an hour and an address, so that a busy machine changes nothing.
const hour = `${new URL(url).pathname.slice(1)}-${Math.floor(firstTime / 3600)}`;
let id = `msg_${fault === "time-id" ? hour : randomUUID()}`;
let data = { name: "Zoë" };

/** The lines that a type becomes in a header. */
const typeLines = () => `x-type: ${type}`.split("\r\n").map((line) => line.split(": "));

/** Milliseconds until a date of Retry-After. Some senders read numbers only, or take GMT for their own zone. */
const msUntil = (date) => {
  if (fault === "no-dates") return 0;
  return Date.parse(fault === "local-dates" ? date.replace("GMT", "-0500") : date) - Date.now();
};

/** Sends one attempt. Returns true if the event needs no other one, else the milliseconds to wait. */
async function attempt(delay) {
  const body = JSON.stringify({ type, timestamp: new Date(firstTime * 1000).toISOString(), data });
  const time = String(fault === "old-time" ? firstTime : Math.floor(Date.now() / 1000));
  const text = fault === "unsigned-id" ? `${time}.${body}` : `${id}.${time}.${body}`;
  const signature = createHmac("sha256", key).update(text).digest("base64");
  try {
    const response = await fetch(fault === "decodes-url" ? url.replace(/\?.*/s, "") : url, {
      method: "POST",
      redirect: fault === "follows" ? "follow" : "manual",
      signal: AbortSignal.timeout(5000),
      body,
      headers: {
        "content-type": fault === "media" ? "text/plain" : "application/json",
        "webhook-id": id,
        "webhook-timestamp": time,
        "webhook-signature": `v1,${signature}`,
        ...(fault === "debug" && { "x-debug": secret }),
        // As clients do that let line breaks through.
        ...(fault === "type-header" && Object.fromEntries(new Headers(typeLines()))),
        ...(fault === "decodes-url" &&
          url.includes("injected") && { "x-countersign-injected": "1" }),
      },
    });
    if (response.ok || response.status === 410) return true;
    if (fault === "drops-4xx" && response.status < 500) return true;
    const after = response.headers.get("retry-after") ?? "";
    if (fault === "hurries") return delay;
    const asked = /^\d*$/.test(after) ? after * 1000 : msUntil(after);
    return Math.max(
      delay,
      fault === "obeys" || fault === "local-dates" ? asked : Math.min(asked, 6000),
    );
  } catch {
    return fault === "never-retries" ? true : delay;
  }
}

const growth = fault === "even" || fault === "loop" ? 1 : 2;
// Even delays are long enough that a busy machine does not make them look uneven.
let delay = { loop: 50, even: 2000 }[fault] ?? 1000;
for (let made = 0; made < (growth === 1 ? 12 : 4); made += 1, delay *= growth) {
  const next = await attempt(delay);
  if (next === true || fault === "never-retries") break;
  await setTimeout(next);
  if (fault === "new-id") id = `msg_${randomUUID()}`;
  if (fault === "new-body") data = { name: "Zoë", retry: true };
}
