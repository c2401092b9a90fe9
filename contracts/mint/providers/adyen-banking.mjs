import { hmacValidator as HmacValidator } from "@adyen/api-library";

export const secrets = {
  a: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
  b: "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00",
};

const validator = new HmacValidator();

export const sign = ({ body, secret }) => ({
  headers: { HmacSignature: validator.calculateHmac(body, secret), Protocol: "HmacSHA256" },
});

export const judge = ({ body, header, secret }) =>
  validator.validateHMACSignature(secret, header("HmacSignature"), body);
