import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { WaybillError } from './api/client.ts';
import { onBack } from './api/connection.ts';
import { watchAccess } from './api/lost-access.ts';
import { ConnectionBanner } from './frame/connection-banner.tsx';
import { createPages } from './router.tsx';
import './styles.css';
import { applyTheme } from './ui/theme.ts';
import { Toasts } from './ui/toast.tsx';

/** A connection may come back, but a refusal of the API is final. */
const shouldRetry = (times: number, error: Error) =>
  times < 2 && error instanceof WaybillError && (error.status === 0 || error.status === 503);

// Not with a timer: until then, React shows a switch that was just clicked as it was before.
notifyManager.setScheduler(queueMicrotask);
const queries = new QueryClient({
  defaultOptions: { queries: { retry: shouldRetry, staleTime: 10_000 }, mutations: { retry: false } },
});

const pages = createPages(queries);
watchAccess(queries, () => pages.invalidate());

// Reloads queries that failed while the service was away.
onBack(() => {
  void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  if (pages.state.matches.some(({ status }) => status === 'error')) void pages.invalidate();
});

applyTheme();
const place = document.getElementById('root');
if (!place) throw new Error('The page has no root.');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={pages} />
      <ConnectionBanner />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
