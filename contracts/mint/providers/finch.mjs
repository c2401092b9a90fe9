import Finch from "@tryfinch/finch-api";
import { standard } from "../sign.mjs";

export const secrets = {
  a: "HvB5RwrXR2Q1D83ZKaG6ieWbnx6V27u2QbAZC01wE0Y=",
  b: "SLguIlCyls2DgBhMjks1k/XtBoklbThhAqbbtlEpR4g=",
};

export const sign = standard("finch", { id: "finch-event-id" });

const finch = new Finch({ accessToken: "made-up" });

export const judge = ({ body, headers, secret }) => {
  finch.webhooks.unwrap(body, headers, secret);
};
