/** The text of a payment's event `evt_payment1` with an amount as it stands, also one that JSON.parse would change. */
export const paymentWith = (value: string): string =>
  '{"id":"evt_payment1","type":"payment.succeeded","category":"PAYMENT",' +
  '"timestamp":"2026-11-24T05:00:00.000Z","data":{"paymentId":"pay_1","direction":"DEBIT",' +
  `"customerId":"cus_1","amount":{"currency":"USD","value":${value}},"paymentStatus":"SUCCEEDED",` +
  '"clientReferenceId":null,"creationDate":"2026-11-24T05:00:00.000Z","covered":false}}';
