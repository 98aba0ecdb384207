import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useMatch, useNavigate, useRouter } from '@tanstack/react-router';
import { BookOpen, ChevronsUpDown, CircleUser, LogOut, Menu as MenuIcon, Plus, Search, SquarePen } from 'lucide-react';
import { lazy, type MouseEvent, Suspense, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { actFor, useActiveBusiness } from '../api/business.ts';
import { auth } from '../api/client.ts';
import { retried } from '../api/lazy.ts';
import { useLive } from '../api/live.ts';
import { useReading } from '../api/queries.ts';
import { ButtonLink, IconButton } from '../ui/button.tsx';
import { useIsNavBeside } from '../ui/media.ts';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx';
import { Name, visible } from '../ui/name.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { holdKeys } from '../ui/type-ahead.ts';
import { Notifications } from './notifications.tsx';
import { type Entry, SETUP } from './pages.ts';
import { ViewsNav } from './views-nav.tsx';
import { WebhookAlarm } from './webhook-alarm.tsx';

const ShortcutHelp = lazy(retried(async () => ({ default: (await import('./shortcut-help.tsx')).ShortcutHelp })));
const Palette = lazy(retried(async () => ({ default: (await import('./palette.tsx')).Palette })));

const PADDED = 'mx-auto max-w-5xl px-4 py-6 outline-none sm:px-8 lg:py-10 2xl:max-w-7xl';

export function Frame() {
  useLive();
  const isMailbox = useMatch({ from: '/app/mailbox', shouldThrow: false }) !== undefined;
  const isNavBeside = useIsNavBeside();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  usePaletteKey(() => setPaletteOpen(true));
  useFrameKeys(setHelpOpen);
  return (
    <div className="min-h-dvh lg:pl-60 print:pl-0">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50 focus:rounded-lg focus:bg-paper focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <div className="flex h-14 items-center gap-2 border-b border-line px-3 lg:hidden print:hidden">
        <IconButton
          label={isMenuOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <MenuIcon className="size-5" aria-hidden />
        </IconButton>
        <div className="min-w-0 grow">
          <BusinessSwitcher />
        </div>
        {isNavBeside ? null : <Notifications />}
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links in it take the keys; this only closes the menu after them */}
      <aside
        id="navigation"
        onClick={() => setMenuOpen(false)}
        className={`${isMenuOpen ? 'flex' : 'hidden'} inset-y-0 left-0 w-full flex-col gap-1 overflow-y-auto border-line bg-tint p-3 max-lg:border-b print:hidden lg:fixed lg:z-30 lg:flex lg:w-60 lg:overflow-visible lg:border-r`}
      >
        <div className="mb-2 hidden items-center gap-1 lg:flex">
          <div className="min-w-0 grow">
            <BusinessSwitcher />
          </div>
          {isNavBeside ? <Notifications /> : null}
        </div>
        <div className="mb-3 flex gap-2">
          <ButtonLink
            to="/compose"
            look="primary"
            className="grow"
            onClick={holdUnlessNewTab}
            icon={<SquarePen className="size-4" aria-hidden />}
          >
            New message
          </ButtonLink>
          <Link
            to="/search"
            aria-label="Search"
            title="Search (/)"
            className="grid size-9 shrink-0 place-items-center rounded-lg border border-line bg-paper text-soft hover:text-ink aria-[current=page]:text-ink"
          >
            <Search className="size-4" aria-hidden />
          </Link>
        </div>
        <nav aria-label="Main" className="flex min-h-0 shrink flex-col gap-0.5 overflow-y-auto">
          <ViewsNav />
          <div className="my-2 h-px bg-line" />
          {SETUP.map((entry) => (
            <NavLink key={entry[1]} entry={entry} />
          ))}
        </nav>
        <div className="grow" />
        <AccountMenu onHelp={() => setHelpOpen(true)} />
      </aside>
      <main id="content" tabIndex={-1} className={isMailbox ? 'outline-none' : PADDED}>
        <Outlet />
        <ComposeInReach />
      </main>
      <Suspense fallback={null}>
        {isPaletteOpen ? <Palette onClose={() => setPaletteOpen(false)} /> : null}
        {isHelpOpen ? <ShortcutHelp onClose={() => setHelpOpen(false)} /> : null}
      </Suspense>
    </div>
  );
}

function useFrameKeys(showHelp: (isOpen: boolean) => void): void {
  const navigate = useNavigate();
  useShortcuts(
    useMemo(
      () => ({
        c: () => {
          holdKeys('compose');
          void navigate({ to: '/compose' });
        },
        'g i': () => void navigate({ to: '/inbox', search: {} }),
        'g m': () => void navigate({ to: '/inbox', search: { view: 'mine' } }),
        'g u': () => void navigate({ to: '/inbox', search: { view: 'unassigned' } }),
        'g d': () => void navigate({ to: '/inbox', search: { view: 'done' } }),
        'g o': () => void navigate({ to: '/inbox', search: { view: 'sent' } }),
        'g a': () => void navigate({ to: '/inbox', search: { view: 'all' } }),
        'g c': () => void navigate({ to: '/contacts' }),
        'g w': () => void navigate({ to: '/webhooks' }),
        '/': () => {
          holdKeys('search');
          void navigate({ to: '/search' });
        },
        '?': () => showHelp(true),
      }),
      [navigate, showHelp],
    ),
  );
}

/** Keys typed while the page loads go into its recipient field. */
function holdUnlessNewTab({ ctrlKey, metaKey, shiftKey }: MouseEvent): void {
  if (!ctrlKey && !metaKey && !shiftKey) holdKeys('compose');
}

function usePaletteKey(open: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    open();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function ComposeInReach() {
  const isList = useLocation({ select: ({ pathname }) => /^\/(inbox|contacts)$/.test(pathname) });
  if (!isList) return null;
  return (
    <nav aria-label="In reach" className="lg:hidden print:hidden">
      <Link
        to="/compose"
        aria-label="Write a message"
        className="fixed right-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-30 grid size-14 place-items-center rounded-full bg-ink text-paper shadow-xl"
      >
        <SquarePen className="size-5" aria-hidden />
      </Link>
    </nav>
  );
}

function NavLink({ entry: [to, label, Icon] }: { entry: Entry }) {
  return (
    <Link
      to={to}
      className="flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-soft transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <Icon className="size-4" aria-hidden />
      {label}
      {to === '/webhooks' ? <WebhookAlarm /> : null}
    </Link>
  );
}

function BusinessSwitcher() {
  const active = useActiveBusiness();
  const navigate = useNavigate();
  const { data: account } = useReading('GET /v1/account', {});
  const current = account?.businesses.find(({ handle }) => handle === active);
  return (
    <Menu
      className="flex w-full min-w-0 items-center gap-2.5 rounded-lg p-1.5 text-left hover:bg-hover"
      label={
        <>
          <span
            aria-hidden
            className="grid size-7 shrink-0 place-items-center rounded-md bg-ink text-sm font-semibold text-paper uppercase"
          >
            {visible(current?.display_name ?? '').at(0)}
          </span>
          <span className="min-w-0 grow leading-tight">
            <Name className="block truncate font-medium">{current?.display_name}</Name>
            <span className="block truncate text-xs text-soft">@{active}</span>
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-soft" aria-hidden />
          <span className="sr-only">Switch business</span>
        </>
      }
    >
      <MenuLabel>Your businesses</MenuLabel>
      {account?.businesses.map(({ handle, display_name, role }) => (
        <MenuItem
          key={handle}
          onSelect={() => {
            actFor(handle);
            void navigate({ to: '/inbox', search: {} });
          }}
        >
          <Name className="grow truncate">{display_name}</Name>
          <span className="text-xs text-soft">{role}</span>
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => void navigate({ to: '/claim' })}>
        <Plus className="size-4" aria-hidden />
        Claim another handle
      </MenuItem>
    </Menu>
  );
}

function AccountMenu({ onHelp }: { onHelp(): void }) {
  const navigate = useNavigate();
  const router = useRouter();
  const queries = useQueryClient();
  const { data: account } = useReading('GET /v1/account', {});
  const signOut = async () => {
    await auth('POST', 'sign-out');
    queries.clear();
    await router.invalidate();
    await navigate({ to: '/sign-in' });
  };
  return (
    <Menu
      isUpward
      className="flex w-full min-w-0 items-center gap-2.5 rounded-lg px-2.5 py-2 text-left text-soft hover:bg-hover hover:text-ink"
      label={
        <>
          <CircleUser className="size-4 shrink-0" aria-hidden />
          <Name className="min-w-0 grow truncate">{account?.name || account?.email}</Name>
        </>
      }
    >
      <MenuItem onSelect={() => void navigate({ to: '/account' })}>
        <CircleUser className="size-4" aria-hidden />
        Account
      </MenuItem>
      <MenuItem onSelect={() => location.assign('/docs')}>
        <BookOpen className="size-4" aria-hidden />
        Documentation
      </MenuItem>
      <MenuItem onSelect={onHelp}>
        <kbd className="w-4 text-center text-xs" aria-hidden>
          ?
        </kbd>
        Keyboard shortcuts
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={() => void signOut()}>
        <LogOut className="size-4" aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  );
}
