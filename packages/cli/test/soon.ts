/** For `expect.poll`: a loaded machine takes longer than vitest's second. */
export const SOON = { timeout: 30_000 };
