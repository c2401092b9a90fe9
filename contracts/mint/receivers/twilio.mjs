import twilio from "twilio";

/** Reads a form; a field that is repeated becomes a list, as the library expects it. */
const fields = (text) => {
  const form = Object.create(null);
  for (const [name, value] of new URLSearchParams(text))
    form[name] = Object.hasOwn(form, name) ? [form[name], value].flat() : value;
  return form;
};

export default {
  host: "express",
  media: ["application/x-www-form-urlencoded"],
  success: { status: 200, body: "<Response/>", type: "text/xml" },
  genuine({ bytes, header }, token) {
    const signature = header("x-twilio-signature") ?? "";
    return twilio.validateRequest(token, signature, this.publicUrl, fields(bytes.toString()));
  },
  event({ bytes }) {
    const form = fields(bytes.toString());
    const [kind, sid, status] = form.RecordingSid
      ? ["recording", form.RecordingSid, form.RecordingStatus]
      : form.CallSid
        ? ["call", form.CallSid, form.CallStatus]
        : ["message", form.MessageSid, form.SmsStatus];
    const of = (...parts) => parts.filter(Boolean);
    return { id: of(sid, status).join(" "), type: of(kind, status).join("."), sid, body: form };
  },
  handlers: {
    "message.received": () => undefined,
    "message.delivered": () => undefined,
    "call.ringing": () => undefined,
  },
};
