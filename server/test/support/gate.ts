import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server. Until it is opened, it accepts connections but reads nothing. */
export interface Gate {
  port: number;
  /** The number of connections that wait. */
  held(): number;
  /** Opens the gate for new connections. */
  open(): void;
  stop(): Promise<void>;
}

export async function startGate(serverPort: number): Promise<Gate> {
  const held: Socket[] = [];
  let isOpen = false;
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    if (!isOpen) {
      held.push(socket);
      return;
    }
    const onward = connect(serverPort, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    held: () => held.length,
    open: () => {
      isOpen = true;
    },
    stop: async () => {
      for (const socket of held) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
