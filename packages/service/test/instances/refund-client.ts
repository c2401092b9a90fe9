import { Agent, request } from "undici";
import { onTestFinished } from "vitest";

export type Asked = "created" | "known" | "unavailable" | "lost";

/** Asks a service for refunds of 0.01, and says what came of each. */
export function refundClient(token: string, paymentId: string) {
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  return async (url: string, requestKey: string): Promise<Asked> => {
    let answer;
    try {
      answer = await request(`${url}/v1/refunds`, {
        method: "POST",
        dispatcher,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ paymentId, amount: { currency: "USD", value: 0.01 }, requestKey }),
      });
      await answer.body.dump();
    } catch {
      return "lost";
    }
    switch (answer.statusCode) {
      case 201:
        return "created";
      case 409:
        return "known";
      case 503:
        return "unavailable";
      default:
        throw new Error(`refunds are answered ${answer.statusCode}`);
    }
  };
}
