import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, hoverTooltip } from '@codemirror/view';
import type { Problem } from './problems.ts';

export const setProblems = StateEffect.define<readonly Problem[]>();

/** The marks move with the text until new problems are set. */
const places = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects, state }) =>
    effects.reduce((before, effect) => (effect.is(setProblems) ? marksOf(effect.value, state.doc.length) : before), marks.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
});

function marksOf(problems: readonly Problem[], end: number): DecorationSet {
  const within = problems.filter(({ from, to }) => from < to && to <= end);
  return Decoration.set(
    within.map(({ from, to, message }) => Decoration.mark({ class: 'cm-problem', message }).range(from, to)),
    true,
  );
}

const messages = hoverTooltip(({ state }, at) => {
  const found: { from: number; to: number; message: string }[] = [];
  state.field(places).between(at, at, (from, to, { spec }) => void found.push({ from, to, message: String(spec.message) }));
  const [first] = found;
  if (!first) return null;
  const create = () => {
    const dom = document.createElement('div');
    dom.className = 'cm-problem-message';
    dom.append(...found.map(({ message }) => Object.assign(document.createElement('p'), { textContent: message })));
    return { dom };
  };
  return { pos: first.from, end: first.to, above: true, create };
});

const invalidState = EditorView.contentAttributes.of(({ state }) => ({ 'aria-invalid': String(state.field(places).size > 0) }));

export const problemMarks = [places, messages, invalidState];
