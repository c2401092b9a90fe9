import { standard } from "../sign.mjs";

export const secrets = {
  a: "whsec_9UnCmAOhBdTvktozdrLIj87RC+Js8hjhG2pr+cBYmXs=",
  b: "whsec_hhpmstIKgy+vNSqDlWxaJnZ0NS6NUW/Npbjszdw8w1A=",
};

export const sign = standard();
