import { connect } from "node:net";

/** Resolves when the port takes a connection. */
export async function listening(port: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.unref();
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
