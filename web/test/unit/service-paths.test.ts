import { expect, test } from 'vitest';
import { api, forAgents, forOperators, forSigningIn, forVerifiers } from '../../../server/src/app.ts';
import { documentation } from '../../../server/src/modules/documentation/routes.ts';
import type { Pages } from '../../../server/src/modules/web/pages.ts';
import { pageRoutes } from '../../../server/src/modules/web/routes.ts';
import { SERVICE_PATHS } from '../../service-paths.ts';

const goesToService = (path: string) => new RegExp(SERVICE_PATHS).test(path);

test('`npm run dev` hands every path of the service on to it', () => {
  const paths = [...api, ...forSigningIn, ...forAgents, ...forOperators, ...forVerifiers, ...documentation(api, {} as Pages).routes].map(
    ([, path]) => path,
  );
  expect(paths).toEqual(expect.arrayContaining(['/v1/messages', '/docs', '/openapi.json', '/healthz']));
  expect([...paths, '/dev/mail', '/mail/unsubscribe/:token'].filter((path) => !goesToService(path))).toEqual([]);
});

test('`npm run dev` leaves every page to Vite', () => {
  const paths = pageRoutes({} as Pages).map(([, path]) => path);
  expect(paths).toContain('/inbox');
  expect(paths.filter(goesToService)).toEqual([]);
});
