import { WebhooksHelper } from "square";

export default {
  host: "express",
  async verify({ bytes, header }) {
    const requestBody = bytes.toString();
    await this.trySecrets((signatureKey) =>
      WebhooksHelper.verifySignature({
        requestBody,
        signatureHeader: header("x-square-hmacsha256-signature"),
        signatureKey,
        notificationUrl: this.publicUrl,
      }),
    );
    const body = JSON.parse(requestBody);
    return { id: body.event_id, type: body.type, data: body.data?.object, body };
  },
  handlers: {
    "payment.updated": ({ data }) => String(data?.payment?.amount_money?.amount ?? 0),
    "refund.created": ({ data }) => String(data?.refund?.amount_money?.amount ?? 0),
  },
};
