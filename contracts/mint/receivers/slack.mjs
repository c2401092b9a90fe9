import { createHash } from "node:crypto";
import bolt from "@slack/bolt";

export default {
  host: "express",
  deadlineMs: 2_500,
  media: ["application/json", "application/x-www-form-urlencoded"],
  genuine({ bytes, headers }, signingSecret) {
    bolt.verifySlackRequest({ body: bytes.toString(), headers, signingSecret });
    return true;
  },
  event({ bytes, header }) {
    const text = bytes.toString();
    if (!header("content-type").toLowerCase().startsWith("application/json"))
      return this.ofForm(text);
    const body = JSON.parse(text);
    if (body.type === "url_verification")
      return { answer: { status: 200, body: JSON.stringify({ challenge: body.challenge }) } };
    return { id: body.event_id, type: body.event?.type ?? body.type, body };
  },
  ofForm(text) {
    const form = new URLSearchParams(text);
    if (form.has("ssl_check")) return { answer: this.success };
    if (form.has("command")) return { id: form.get("trigger_id"), type: form.get("command") };
    const { type } = JSON.parse(form.get("payload"));
    return { id: createHash("sha256").update(text).digest("hex"), type };
  },
  handlers: {
    message: () => undefined,
    app_mention: () => undefined,
    app_uninstalled: () => undefined,
  },
};
