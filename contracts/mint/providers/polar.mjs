import { webhooks } from "@polar-sh/sdk/2026-10";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "polar_whs_3TYPQWxICmBma6VcGHaWnnqUVTzXQSPU",
  b: "polar_whs_3dTCaUXmn3VeDP5akwmQaEVDtgyRtE7C",
};

export const sign = standard("webhook", { format: "raw" });

export const judge = ({ body, headers, secret }) => webhooks.validateEvent(body, headers, secret);
