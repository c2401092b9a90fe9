import { hmac } from "../sign.mjs";

export const secrets = {
  a: "6+CoMYfxZcf7aYu6dQij4SsM0+Cqjz24U0Kymtd22VsItqh7pYtlg6mxJ6qrRGtH",
  b: "7GV96ufffTpatgYe7GyrF7WkWiRBDNrN9u33ikBYBPrrguYydUxikWLwfawcmaCU",
};

export const sign = ({ body, secret }) => ({
  headers: { "X-PagerDuty-Signature": `v1=${hmac(secret, body)}` },
});
