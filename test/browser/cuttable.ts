import net, { type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Cuttable {
  readonly port: number;
  /** Ends every connection and refuses new ones until `restore`. */
  readonly cut: () => void;
  readonly restore: () => void;
}

/** Opens a way to a port of this machine that can be cut. It lasts as long as the test. */
export async function openCuttable(to: number): Promise<Cuttable> {
  const open = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((near) => {
    const far = net.connect(to, "127.0.0.1");
    const end = (): void => [near, far].forEach((socket) => void socket.destroy());
    for (const socket of [near, far]) {
      open.add(socket);
      // Connections break here on purpose.
      socket.on("error", end).on("close", end);
    }
    if (isCut) end();
    else near.pipe(far).pipe(near);
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
  return { port: (server.address() as AddressInfo).port, cut, restore: () => (isCut = false) };
}
