import type { ReactNode } from 'react';
import { Title } from '../ui/name.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { Brand } from './brand.tsx';

interface PlainProps {
  title: string;
  children: ReactNode;
  isWide?: boolean;
  mark?: ReactNode;
}

export function Plain({ title, children, isWide = false, mark }: PlainProps) {
  usePageTitle(title);
  return (
    <div className="flex min-h-dvh flex-col px-5 py-8">
      <header className={`mx-auto w-full ${isWide ? 'max-w-2xl' : 'max-w-sm'}`}>
        <Brand />
      </header>
      <main className={`mx-auto w-full grow pb-16 print:pt-4 print:pb-0 ${isWide ? 'max-w-2xl pt-10' : 'max-w-sm pt-[10vh]'}`}>
        {mark}
        <h1 className="mb-2 text-2xl font-semibold tracking-tight wrap-anywhere">
          <Title>{title}</Title>
        </h1>
        {children}
      </main>
    </div>
  );
}
