import {
  createReceiver,
  type EventFacts,
  memoryInbox,
  type Outcome,
  type ReceiverOptions,
} from "@countersign/receiver";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  bodyOf,
  type Vector,
  type VectorFile,
  vectorFiles,
} from "../../signatures/test/provider-files.ts";
import { nameOf } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";

/** A receiver of a vector's provider, at its time, and what its fallback gets. */
function receiverOf(
  { provider: name, secrets, claims }: VectorFile,
  vector: Vector,
  options: Partial<ReceiverOptions<unknown>> = {},
) {
  vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const provider = providersByName.get(name);
  if (provider === undefined) throw new Error(`no document of ${name}`);
  const seen: EventFacts[] = [];
  const receiver = createReceiver({
    provider,
    secrets: vector.secrets.map((label) => ({ secret: secrets[label], label })),
    fallback: (event, context) => {
      expect({ ...event, data: undefined }).toEqual({ ...context.event, data: undefined });
      seen.push(context.event);
    },
    inbox: memoryInbox(),
    log: false,
    explain: false,
    now: () => vector.now,
    ...(vector.url !== undefined && { url: vector.url.replace(/\?.*$/s, "") }),
    ...(claims && { claims }),
    ...(provider.signature.keyFrom && { keyOf: () => Promise.resolve(vector.key) }),
    ...options,
  });
  const { headers, url, method } = vector;
  return { receiver, seen, attempt: { headers, body: bodyOf(vector), url, method } };
}

const ended = (outcome: Outcome): readonly Outcome[] =>
  outcome.kind === "batch" ? outcome.outcomes : [outcome];

describe.each(vectorFiles.map((file) => [file.provider, file] as const))(
  "a receiver of %s",
  (_, file) => {
    const genuine = file.vectors.filter(
      ({ expected, handshake }) => expected === "accepts" && !handshake,
    );
    const forged = file.vectors.filter(({ expected }) => expected === "refuses");
    const handshakes = file.vectors.filter(({ handshake }) => handshake !== undefined);

    it.each(genuine.map((vector) => [vector.name, vector] as const))(
      "[R-VERIFY-RAW] acknowledges, and handles once unless each attempt is another event, the vector: %s",
      async (_name, vector) => {
        const { receiver, seen, attempt } = receiverOf(file, vector);
        const { outcome, response } = await receiver.answer(attempt);
        const kinds = ended(outcome).map(nameOf);
        expect(kinds).toEqual(kinds.map(() => "unrouted"));
        const { body = "" } = providersByName.get(file.provider)?.answer ?? {};
        const answered = [response.status < 300, response.body, seen.length];
        expect(answered).toEqual([true, body, kinds.length]);
        const { id, type, time } = vector.event ?? {};
        const [first] = seen;
        if (vector.event !== undefined)
          expect(first).toMatchObject({
            type,
            ...(id !== undefined && { id }),
            ...(time !== undefined && { time }),
          });

        const again = await receiver.answer(attempt);
        const { retries } = providersByName.get(file.provider) ?? {};
        const isOwn = retries === "none" && first?.id.startsWith("sha256:") === true;
        const repeated = isOwn ? "unrouted" : "duplicate";
        expect(ended(again.outcome).map(nameOf)).toEqual(kinds.map(() => repeated));
        const runs = isOwn ? 2 * kinds.length : kinds.length;
        expect([again.response.status < 300, seen.length]).toEqual([true, runs]);
      },
    );

    it.each(genuine.slice(0, 1).map((vector) => [vector.name, vector] as const))(
      "[R-ACK-STORED] stores and handles later the vector: %s",
      async (_name, vector) => {
        const inbox = sqliteInTest();
        const { receiver, seen, attempt } = receiverOf(file, vector, {
          inbox,
          acknowledge: "after-store",
        });
        const outcomes = ended(await receiver.receive(attempt));
        expect(outcomes.map(nameOf)).toEqual(outcomes.map(() => "stored"));
        receiver.start();
        await vi.waitUntil(() => seen.length === outcomes.length, { interval: 5 });
        await receiver.stop();
        const { seen: direct, receiver: other } = receiverOf(file, vector);
        await other.receive(attempt);
        expect(seen).toEqual(expect.arrayContaining(direct));
      },
    );

    it("[R-VERIFY-TAMPERED] refuses every forged vector with the same answer, and runs nothing", async () => {
      const answers = new Set<string>();
      for (const vector of forged) {
        const { receiver, seen, attempt } = receiverOf(file, vector);
        const { outcome, response } = await receiver.answer(attempt);
        expect([vector.name, outcome.kind, seen]).toEqual([vector.name, "rejected", []]);
        // Another method is refused before anything is verified.
        if (response.status !== 405) answers.add(JSON.stringify(response));
      }
      expect([...answers]).toHaveLength(Math.min(1, forged.length));
    });

    it.each(handshakes.map((vector) => [vector.name, vector] as const))(
      "answers after the proof, and records nothing of, the handshake: %s",
      async (_name, vector) => {
        const { receiver, seen, attempt } = receiverOf(file, vector);
        const { outcome, response } = await receiver.answer(attempt);
        const { status, text, json } = vector.handshake ?? {};
        expect([outcome.kind, seen]).toEqual(["handshake", []]);
        if (status !== undefined) expect(response.status).toBe(status);
        if (text !== undefined) expect(response.body).toBe(text);
        if (json !== undefined) expect(JSON.parse(response.body)).toEqual(json);
      },
    );
  },
);
