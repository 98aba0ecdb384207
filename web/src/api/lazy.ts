import { canReach, pause, reportFailure } from './connection.ts';

const TRIES_MAX = 3;

/**
 * Loads a part of the pages, and retries while the service is away. If only the file is missing, a new version has replaced it: the error goes to the
 * router, which reloads the page.
 */
export function retried<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await load();
      } catch (error) {
        if (tries >= TRIES_MAX && (await canReach())) throw error;
        reportFailure();
        await pause();
      }
    }
  };
}
