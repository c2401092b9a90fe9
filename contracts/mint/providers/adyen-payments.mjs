import { hmacValidator as HmacValidator } from "@adyen/api-library";

export const secrets = {
  a: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
  b: "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00",
};

const validator = new HmacValidator();
const itemsOf = (body) =>
  JSON.parse(body).notificationItems.map((one) => one.NotificationRequestItem);

export const sign = ({ body, secret }) => {
  const message = JSON.parse(body);
  for (const { NotificationRequestItem: item } of message.notificationItems)
    (item.additionalData ??= {}).hmacSignature = validator.calculateHmac(item, secret);
  return { body: JSON.stringify(message) };
};

export const judge = ({ body, secret }) =>
  itemsOf(body).every((item) => validator.validateHMAC(item, secret));
