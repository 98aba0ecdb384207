import { useState } from 'react';
import { Switch } from '../../ui/field.tsx';
import { Section } from '../../ui/parts.tsx';
import { areShortcutsOn, turnShortcuts } from '../../ui/shortcuts.ts';
import { applyTheme, chosenTheme, type Theme } from '../../ui/theme.ts';

const THEMES: [theme: Theme, label: string][] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function ThisBrowser() {
  const [theme, setTheme] = useState(chosenTheme);
  const [hasShortcuts, setShortcuts] = useState(areShortcutsOn);
  const choose = (chosen: Theme) => {
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <Section title="This browser">
      <fieldset className="mb-5">
        <legend className="mb-1.5 text-sm font-medium">Appearance</legend>
        <div className="inline-flex rounded-lg border border-line p-0.5">
          {THEMES.map(([value, label]) => (
            <label
              key={value}
              className="rounded-md px-3 py-1 text-soft has-checked:bg-hover has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input type="radio" name="theme" className="sr-only" checked={theme === value} onChange={() => choose(value)} />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <Switch
        label="Keyboard shortcuts"
        hint="Single keys, such as c for a new message. Press ? to see all."
        checked={hasShortcuts}
        onChange={({ target }) => {
          turnShortcuts(target.checked ? 'on' : 'off');
          setShortcuts(target.checked);
        }}
      />
    </Section>
  );
}
