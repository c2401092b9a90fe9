/** What the calls to try are about. */
export interface FirstCalls {
  readonly url: string;
  /** What the shell makes the token of. */
  readonly token: string;
  /** A SUCCEEDED payment of which 1.00 and more can be refunded; `undefined` where there is none. */
  readonly paymentId: string | undefined;
  /** Whether events go to an address already. */
  readonly isSubscribed: boolean;
}

/**
 * What somebody may try first: a subscription, a refund, and the time that it waits for. The token stays
 * out of the lines, and so out of the shell's history. `-H` and `-d` alone: `--json` came with curl 7.82.
 */
export function firstCalls({ url, token, paymentId, isSubscribed }: FirstCalls): string[] {
  const curl = 'curl -H "authorization: Bearer $TOKEN"';
  const send = (json: string): string => `-H "content-type: application/json" -d '${json}'`;
  const subscription = JSON.stringify({
    url: "http://localhost:3000/webhooks",
    secretKey: "a-secret-of-your-own-choice",
    subscriptionDetails: { type: "ALL" },
  });
  // The key is another one at each call; the amount keeps its digits.
  const refund = `{"paymentId":"${paymentId}","amount":{"currency":"USD","value":1.00},"requestKey":"'$(date +%s)'"}`;
  const calls = [
    `${curl} ${url}/sandbox/payments`,
    ...(isSubscribed ? [] : [`${curl} ${send(subscription)} ${url}/v1/webhook/subscribe`]),
    ...(paymentId === undefined ? [] : [`${curl} ${send(refund)} ${url}/v1/refunds`]),
    `${curl} -X PUT ${send('{"advance":"P7D"}')} ${url}/sandbox/clock`,
    `${curl} ${url}/sandbox/deliveries`,
  ];
  const hint = "          (or start with --deliver-to http://localhost:3000/webhooks to subscribe)";
  return [
    `try       TOKEN=${token}`,
    ...calls.map((line) => `          ${line}`),
    ...(isSubscribed ? [] : [hint]),
  ];
}
