import { Agent, buildConnector, setGlobalDispatcher } from 'undici';

const places = new Map<string, { port: number; ca: string }>();

export function findOnLoopback(host: string, port: number, ca: string): void {
  places.set(host, { port, ca });
  const plain = buildConnector({});
  setGlobalDispatcher(
    new Agent({
      connect: (options, callback) => {
        const place = places.get(options.hostname);
        if (!place) return plain(options, callback);
        const { port: placePort, ca: placeCa } = place;
        buildConnector({ ca: placeCa })(
          { ...options, hostname: '127.0.0.1', port: String(placePort), servername: options.hostname },
          callback,
        );
      },
    }),
  );
}
