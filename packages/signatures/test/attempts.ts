import type { Message, Secret, SignatureScheme } from "../src/index.ts";

/** A clock, in seconds, and in milliseconds as `verify` takes it. */
export const NOW_SECONDS = 1_614_265_330;
export const now: number = NOW_SECONDS * 1000;

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
/** For the schemes that use text unchanged. */
export const TEXT_SECRET = "only-the-two-of-us-know-it";

export const PRIVATE_KEY =
  "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==";
export const PUBLIC_KEY = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";

export function messageOf(body = '{"test": 2432232314}'): Message {
  return { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: NOW_SECONDS, body: Buffer.from(body) };
}

export function signed(
  scheme: SignatureScheme,
  secrets: readonly Secret[],
  message: Message = messageOf(),
): { readonly headers: Record<string, string>; readonly body: Uint8Array } {
  return { headers: scheme.sign(message, secrets).headers, body: message.body };
}

/** The error that a call throws, or `undefined`. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}
