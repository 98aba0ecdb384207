import type { DropPage } from '../api/schema.ts';
import { visible } from '../ui/name.tsx';

export function BusinessSign({ name, shown }: { name: string; shown: DropPage | undefined }) {
  if (shown && shown.logo_path !== null)
    return <img src={shown.logo_path} alt="" className="mb-4 h-12 max-w-48 rounded-xl object-contain" />;
  const accent = shown?.accent ?? null;
  return (
    <span
      aria-hidden
      style={accent === null ? undefined : { backgroundColor: accent, color: '#ffffff' }}
      className="mb-4 grid size-12 place-items-center rounded-xl bg-ink text-xl font-semibold text-paper uppercase"
    >
      {visible(name).at(0)}
    </span>
  );
}
