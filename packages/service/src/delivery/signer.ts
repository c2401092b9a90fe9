/**
 * Signs one attempt with a subscription's `secretKey` as it is stored. `undefined` where the secret
 * cannot sign: it was taken under another profile.
 *
 * @param message `id` is the event's id, `timestamp` real time in seconds.
 */
export type Signer = (
  message: { readonly id: string; readonly timestamp: number; readonly body: Uint8Array },
  secretKey: string,
) => Record<string, string> | undefined;
