import { createHash } from "node:crypto";
import bolt from "@slack/bolt";

export default {
  host: "express",
  deadlineMs: 2_500,
  media: ["application/json", "application/x-www-form-urlencoded"],
  async verify({ bytes, headers, header }) {
    const body = bytes.toString();
    await this.trySecrets((signingSecret) => {
      bolt.verifySlackRequest({ body, headers, signingSecret });
      return true;
    });
    if (header("content-type").startsWith("application/json")) return this.event(JSON.parse(body));
    const form = new URLSearchParams(body);
    if (form.has("ssl_check")) return { answer: this.success };
    if (form.has("command")) return { id: form.get("trigger_id"), type: form.get("command") };
    const { type } = JSON.parse(form.get("payload"));
    return { id: createHash("sha256").update(bytes).digest("hex"), type };
  },
  event(body) {
    if (body.type === "url_verification") {
      return { answer: { status: 200, body: JSON.stringify({ challenge: body.challenge }) } };
    }
    return { id: body.event_id, type: body.event?.type ?? body.type, body };
  },
  handlers: {
    message: () => undefined,
    app_mention: () => undefined,
    app_uninstalled: () => undefined,
  },
};
