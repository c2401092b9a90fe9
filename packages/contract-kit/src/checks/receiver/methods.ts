import type { ReceiverCheck } from "../../check.ts";
import { receiverCheck } from "../../harness/play.ts";

const METHOD = "R-METHOD";

/** Every other method, with nothing and with a whole attempt. */
export const methods: ReceiverCheck = receiverCheck({
  id: "receiver/methods",
  title: "methods other than POST are answered 405 with Allow, and carry no attempt",
  requirements: [METHOD],
  play: async (bench) => {
    const { docket } = bench;
    const bare = ["GET", "HEAD", "DELETE"].map((method) => ({
      method,
      headers: [],
      body: Buffer.alloc(0),
      ids: [],
    }));
    const whole = ["PUT", "PATCH", "DELETE"].map((method) => ({
      ...bench.attempt(bench.event()),
      method,
    }));
    const attempts = [...bare, ...whole];
    const replies = await bench.postAll(attempts);
    const last = bench.event();
    await bench.post(bench.attempt(last));
    const effects = await bench.effects([last.id]);
    attempts.forEach(({ method, body, ids }, index) => {
      const reply = replies[index];
      if (reply === undefined) return;
      const allowed = (reply.header("allow") ?? "").split(",").map((one) => one.trim());
      const what = body.length > 0 ? `${method} with a genuine attempt` : method;
      const ran = ids.some((id) => effects?.has(id));
      docket.judge(
        METHOD,
        reply.status === 405 && allowed.includes("POST") && !ran,
        () =>
          `${what}: 405 with Allow: POST expected, ${reply.said} ${reply.header("allow") === undefined ? "without Allow" : `with Allow: ${allowed.join(", ")}`} came${ran ? ", and a handler ran" : ""}`,
        () => [reply.exchange()],
      );
    });
  },
});
