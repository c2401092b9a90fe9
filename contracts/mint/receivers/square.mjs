import { WebhooksHelper } from "square";

export default {
  host: "express",
  genuine({ bytes, header }, signatureKey) {
    return WebhooksHelper.verifySignature({
      requestBody: bytes.toString(),
      signatureHeader: header("x-square-hmacsha256-signature"),
      signatureKey,
      notificationUrl: this.publicUrl,
    });
  },
  event({ bytes }) {
    const body = JSON.parse(bytes.toString());
    return { id: body.event_id, type: body.type, data: body.data?.object, body };
  },
  handlers: {
    "payment.updated": ({ data }) => String(data?.payment?.amount_money?.amount ?? 0),
    "refund.created": ({ data }) => String(data?.refund?.amount_money?.amount ?? 0),
  },
};
