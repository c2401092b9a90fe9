import net, { type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Cuttable {
  readonly port: number;
  /** Breaks every connection and takes no other until it is mended. */
  readonly cut: () => void;
  readonly mend: () => void;
}

/** A way to a port of this machine that can be cut, as long as the test. */
export async function cuttable(to: number): Promise<Cuttable> {
  const open = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = net.connect(to, "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      // A connection that breaks is what it is for.
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { port, cut, mend: () => (isCut = false) };
}
