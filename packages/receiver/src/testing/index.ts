export { type SignedAttempt, signedAttempt, type SignedAttemptOptions } from "./signed-attempt.ts";
