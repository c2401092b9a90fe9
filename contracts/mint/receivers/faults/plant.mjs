import { createHmac } from "node:crypto";

/**
 * Reads a table of planted faults. A key is "STACK NAME | CLASS | REQUIREMENT… | description", and the value changes a
 * receiver's steps. One of the requirements should be reported; they were chosen before any run.
 */
export const table = (faults) =>
  Object.entries(faults).map(([key, plant]) => {
    const [title, group, expect, line] = key.split(" | ");
    const [stack, name] = title.split(" ");
    return { stack, name, group, expect: expect.split(" "), line, plant };
  });

/** Returns a plant that replaces a step by `change(receiver, next, ...values)`, where `next` is the step as it was. */
export const step = (name) => (change) => (receiver) => {
  const next = receiver[name].bind(receiver);
  receiver[name] = (...values) => change(receiver, next, ...values);
};
export const verify = step("verify");
export const once = step("once");
export const handle = step("handle");
export const respond = step("respond");
export const receive = step("receive");
export const effect = step("effect");

export const hmac = (key, text, encoding = "hex", hash = "sha256") =>
  createHmac(hash, key).update(text).digest(encoding);

/** Returns the MACs of a text by each secret of a receiver. */
export const macs = (receiver, text, encoding, hash) =>
  receiver.secrets.map((secret) => hmac(secret, text, encoding, hash));

/** Returns the MACs of an attempt in the scheme of Standard Webhooks, as base64. */
export const standardMacs = (receiver, { bytes, headers }, prefix, parts = ["id", "timestamp"]) => {
  const start = parts.map((part) => `${headers[`${prefix}-${part}`]}.`).join("");
  const keys = receiver.secrets.map((secret) => Buffer.from(secret.slice(6), "base64"));
  return keys.map((key) => hmac(key, `${start}${bytes}`, "base64"));
};

/** Returns an attempt with another value of a header. */
export const withHeader = (attempt, name, value) => {
  const headers = { ...attempt.headers, [name]: value };
  return { ...attempt, headers, header: (each) => headers[each] };
};

export const parsed = ({ bytes }) => JSON.parse(bytes.toString());
