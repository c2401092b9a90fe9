import { Webhooks } from "@octokit/webhooks";

export default {
  host: "http",
  limit: 26_214_400,
  media: ["application/json", "application/x-www-form-urlencoded"],
  genuine: ({ bytes, header }, secret) =>
    new Webhooks({ secret }).verify(bytes.toString(), header("x-hub-signature-256")),
  event({ bytes, header }) {
    const text = bytes.toString();
    const isForm = header("content-type")
      .toLowerCase()
      .startsWith("application/x-www-form-urlencoded");
    const body = JSON.parse(isForm ? new URLSearchParams(text).get("payload") : text);
    const name = header("x-github-event");
    if (name === "ping") return { answer: this.success };
    const type = typeof body.action === "string" ? `${name}.${body.action}` : name;
    return { id: header("x-github-delivery"), type, body };
  },
  handlers: {
    push: () => undefined,
    "issues.opened": () => undefined,
    "pull_request.opened": () => undefined,
    "installation.created": () => undefined,
  },
};
