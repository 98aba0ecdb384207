import { useSyncExternalStore } from 'react';
import { activeBusiness } from '../../api/business.ts';
import type { DraftContent } from './draft.ts';

/** Templates are stored in this browser, for each business. */
export interface Template extends DraftContent {
  name: string;
}

const TEMPLATES_MAX = 50;
const listeners = new Set<() => void>();
const keyNow = (): string => `waybill.templates.${activeBusiness()}`;

let known: { key: string; text: string; list: readonly Template[] } | undefined;

/** Returns the same array until a template changes. */
function templates(): readonly Template[] {
  const key = keyNow();
  const text = localStorage.getItem(key) ?? '[]';
  if (known?.key !== key || known.text !== text) known = { key, text, list: parsed(text) };
  return known.list;
}

function parsed(text: string): Template[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isTemplate) : [];
  } catch {
    return [];
  }
}

const FIELDS = ['name', 'to', 'type', 'subject', 'note', 'json'] as const;

/** The storage may hold data of an older version. */
function isTemplate(value: unknown): value is Template {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map(Object.entries(value));
  return FIELDS.every((name) => typeof fields.get(name) === 'string');
}

function store(list: readonly Template[]): boolean {
  try {
    localStorage.setItem(keyNow(), JSON.stringify(list));
  } catch {
    return false;
  }
  for (const listener of listeners) listener();
  return true;
}

/** Replaces a template of the same name. False: the browser has no room for it. */
export function saveTemplate(template: Template): boolean {
  const others = templates().filter(({ name }) => name !== template.name);
  return others.length < TEMPLATES_MAX && store([...others, template].toSorted((a, b) => a.name.localeCompare(b.name)));
}

export function removeTemplate(name: string): void {
  store(templates().filter((template) => template.name !== name));
}

export function useTemplates(): readonly Template[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, templates);
}
