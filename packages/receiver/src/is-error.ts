/** True for errors of any realm: test runners such as Jest run an app in another realm than Node's own errors. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
