import type { SignatureErrorCode } from "./codes.ts";
import type { Refused, Verification, Verified } from "./scheme.ts";

export function refused(code: SignatureErrorCode): Refused {
  return { ok: false, code };
}

/**
 * The last step, once the signature is known to be genuine: until then the timestamp is the
 * stranger's to choose, and an answer about its age would tell the clock.
 */
export function judgeAge(
  verified: Verified & { readonly timestamp: number },
  clock: { readonly nowSeconds: number; readonly toleranceSeconds: number },
): Verification {
  const ahead = verified.timestamp - clock.nowSeconds;
  if (ahead < -clock.toleranceSeconds) return refused("CS_SIGNATURE_TIMESTAMP_TOO_OLD");
  if (ahead > clock.toleranceSeconds) return refused("CS_SIGNATURE_TIMESTAMP_TOO_NEW");
  return verified;
}
