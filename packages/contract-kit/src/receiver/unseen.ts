/** Why a target does not show what its handlers do. */
export const NO_EFFECTS = "there is no --effects-url that shows what handlers do";

export const NO_FAILURES = 'its effects take no PUT {"failNext": n} that makes handlers fail';
