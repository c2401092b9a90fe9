/** `refund.authorized` is `RefundAuthorized`, `paymentStatus` is `PaymentStatus`; no name begins with a digit. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")
    .replace(/^(?=\d)/, "Of");
}
