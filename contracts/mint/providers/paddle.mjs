import { Paddle } from "@paddle/paddle-node-sdk";
import { hmac } from "../sign.mjs";

export const secrets = {
  a: "pdl_ntfset_01gwf75q8fgpa3eszd51tzd7k2w6085v2bp8r7274y",
  b: "pdl_ntfset_01xk1djh4q3dakwqq14q8b9s5j974cs02rfj1ma6m5",
};

const { webhooks } = new Paddle("made-up");

export const sign = ({ body, secret, seconds }) => ({
  headers: { "Paddle-Signature": `ts=${seconds};h1=${hmac(secret, `${seconds}:${body}`)}` },
});

export const judge = ({ body, header, secret }) =>
  webhooks.isSignatureValid(body, secret, header("Paddle-Signature"));
