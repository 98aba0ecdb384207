import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { isDay, today } from './day.ts';
import { addDays, addMonths, weekdayOf, weeksOf } from './days.ts';
import { utcMonth, utcWeekday } from './format.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const SUNDAY = 6;
const MARGIN_PX = 8;

interface CalendarProps {
  label: string;
  value: string;
  onChoose(day: string): void;
  onClose(): void;
}

/** A month to choose a day from, with the keyboard behaviour of the WAI-ARIA practices for date pickers. */
export function Calendar({ label, value, onChoose, onClose }: CalendarProps) {
  const [day, setDay] = useState(() => (isDay(value) ? value : today()));
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const focusDay = () => panel.current?.querySelector<HTMLElement>('td [tabindex="0"]')?.focus();
  useEffect(focusDay, []);
  useLayoutEffect(() => {
    const { current: box } = panel;
    const over = (box?.getBoundingClientRect().right ?? 0) - (document.documentElement.clientWidth - MARGIN_PX);
    if (box && over > 0) box.style.translate = `${-over}px`;
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') onClose();
  };
  const onGridKey = (event: KeyboardEvent) => {
    const next = dayByKey(day, event);
    if (next === undefined) return;
    event.preventDefault();
    setDay(next);
    requestAnimationFrame(focusDay);
  };
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={`Choose a day: ${label}`}
      onKeyDown={onKeyDown}
      className="absolute top-full left-0 z-40 mt-1 w-68 rounded-xl border border-line bg-paper p-3 text-base text-ink shadow-xl"
    >
      <div className="mb-2 flex items-center justify-between">
        <IconButton label="Previous month" onClick={() => setDay(addMonths(day, -1))}>
          <ChevronLeft className="size-4" aria-hidden />
        </IconButton>
        <p id={titleId} aria-live="polite" className="font-medium">
          {utcMonth(new Date(day))}
        </p>
        <IconButton label="Next month" onClick={() => setDay(addMonths(day, 1))}>
          <ChevronRight className="size-4" aria-hidden />
        </IconButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of days, as in the WAI-ARIA practices */}
      <table role="grid" aria-labelledby={titleId} onKeyDown={onGridKey} className="w-full table-fixed">
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" abbr={name} className="h-7 text-xs font-medium text-soft">
                {name.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(day).map((week) => (
            <tr key={week[0]}>
              {week.map((one) => (
                <Day key={one} day={one} month={day.slice(0, 7)} isChosen={one === value} isCurrent={one === day} onChoose={onChoose} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function dayByKey(day: string, { key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): string | undefined {
  // Keys such as Alt+← are the browser's.
  if (altKey || ctrlKey || metaKey) return undefined;
  if (key === 'ArrowLeft') return addDays(day, -1);
  if (key === 'ArrowRight') return addDays(day, 1);
  if (key === 'ArrowUp') return addDays(day, -7);
  if (key === 'ArrowDown') return addDays(day, 7);
  if (key === 'Home') return addDays(day, -weekdayOf(day));
  if (key === 'End') return addDays(day, SUNDAY - weekdayOf(day));
  if (key === 'PageUp') return addMonths(day, shiftKey ? -12 : -1);
  if (key === 'PageDown') return addMonths(day, shiftKey ? 12 : 1);
  return undefined;
}

interface DayProps {
  day: string;
  month: string;
  isChosen: boolean;
  isCurrent: boolean;
  onChoose(day: string): void;
}

function Day({ day, month, isChosen, isCurrent, onChoose }: DayProps) {
  const isToday = day === today();
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: in a grid, a cell is a gridcell
    <td aria-selected={isChosen} className="p-0 text-center">
      <button
        type="button"
        tabIndex={isCurrent ? 0 : -1}
        aria-label={utcWeekday(new Date(day))}
        aria-current={isToday ? 'date' : undefined}
        disabled={!isDay(day)}
        onClick={() => onChoose(day)}
        className={`size-8 rounded-lg tabular-nums ${isChosen ? 'bg-accent font-medium text-paper' : 'hover:bg-hover'} ${isToday && !isChosen ? 'font-semibold text-accent' : ''} ${day.startsWith(month) || isChosen ? '' : 'text-soft'}`}
      >
        {Number(day.slice(8))}
      </button>
    </td>
  );
}
