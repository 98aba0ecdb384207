/** What a preview of a document type lists: groups of the layout, with the labels of their fields. */
export interface LabelGroup {
  name: string;
  labels: string[];
}

interface Part {
  title?: unknown;
  $ref?: unknown;
  properties?: unknown;
  items?: unknown;
}

const LABELS_MAX = 50;
const REFERENCES_MAX = 10;
const GROUPS: [member: string, name: string][] = [
  ['parties', 'Parties'],
  ['facts', 'Facts'],
  ['lines', 'Lines'],
  ['totals', 'Totals'],
  ['terms', 'Terms'],
  ['notes', 'Notes'],
];

/** Both are unchecked text that somebody types: what is not there yet has no labels. */
export function labelGroups(schemaText: string, layoutText: string): LabelGroup[] {
  const schema = parsed(schemaText);
  const layout = parsed(layoutText);
  const groups = GROUPS.flatMap(([member, name]): LabelGroup[] => {
    const given = memberOf(layout, member);
    const table = member === 'lines' ? memberOf(given, 'path') : undefined;
    const base = typeof table === 'string' ? table : '';
    const list = member === 'lines' ? memberOf(given, 'columns') : given;
    const paths = Array.isArray(list)
      ? list.slice(0, LABELS_MAX).map((one: unknown) => (typeof one === 'string' ? one : memberOf(one, 'path')))
      : [];
    const labels = paths.flatMap((path) => (typeof path === 'string' ? [labelOf(schema, base, path)] : []));
    return labels.length === 0 ? [] : [{ name, labels }];
  });
  if (groups.length > 0) return groups;
  const properties = memberOf(schema, 'properties');
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, LABELS_MAX) : [];
  return names.length === 0 ? [] : [{ name: 'All fields', labels: names.map((name) => labelOf(schema, '', `/${name}`)) }];
}

function labelOf(root: unknown, base: string, path: string): string {
  const row = base === '' ? root : resolved(root, memberOf(at(root, root, base), 'items'));
  const part: Part | undefined = objectIn(at(root, row, path));
  const last = path.split('/').at(-1) ?? '';
  return typeof part?.title === 'string' && part.title !== ''
    ? part.title
    : last.replaceAll('~1', '/').replaceAll('~0', '~').replaceAll('_', ' ');
}

/** The schema of the value that a pointer names. */
function at(root: unknown, start: unknown, path: string): unknown {
  let part = resolved(root, start);
  for (const step of path.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = memberOf(memberOf(part, 'properties'), name) ?? (/^\d+$/.test(name) ? memberOf(part, 'items') : undefined);
    part = next === undefined ? undefined : titled(root, next);
  }
  return part;
}

/** A title beside a reference stands before that of what it refers to. */
function titled(root: unknown, part: unknown): unknown {
  const target = resolved(root, part);
  const title = memberOf(part, 'title');
  return typeof title === 'string' && typeof target === 'object' ? { ...target, title } : target;
}

function resolved(root: unknown, part: unknown): unknown {
  let found = part;
  for (let i = 0; i < REFERENCES_MAX; i++) {
    const reference = memberOf(found, '$ref');
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return found;
    found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((inside, step) => memberOf(inside, step.replaceAll('~1', '/').replaceAll('~0', '~')), root);
  }
  return found;
}

function memberOf(value: unknown, name: string): unknown {
  const object = objectIn(value);
  return object !== undefined && Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;
}

function objectIn(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
