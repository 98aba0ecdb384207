import type { ReactNode } from 'react';

export function Mono({ children }: { children: ReactNode }) {
  return <code className="font-mono text-sm break-all select-all">{children}</code>;
}
