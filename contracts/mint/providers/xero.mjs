import { hmac } from "../sign.mjs";

export const secrets = {
  a: "Wuc1e9lQkNRB6CvlGWqN7WFpdga/kqK3z/hnQghOrP0wGGPTvv/YgftezIMDQ6PxQwtfG/pE4GRSoj3qI5ZKOQ==",
  b: "Wa7oC6xZ34nPPuFH9WN9ovLxuQX3RHh+Yws+TxcCNgwluvBeLSwpiKIsPfjswf7sewn0KMTLLtQefDgSLXzXGA==",
};

export const sign = ({ body, secret }) => ({
  headers: { "x-xero-signature": hmac(secret, body, "base64") },
});
