import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, syntaxTree } from '@codemirror/language';
import { EditorState, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { problemMarks, setProblems } from './problem-marks.ts';
import type { Problem } from './problems.ts';

export interface CodeEditor {
  mark(problems: readonly Problem[]): void;
  replace(text: string): void;
  goTo(range: Pick<Problem, 'from' | 'to'>): void;
  focus(): void;
  remove(): void;
}

interface Options {
  text: string;
  label: string;
  describedBy: string;
  onChange(text: string): void;
}

/** A JSON editor in the colours of the page, loaded on demand: it is larger than the rest of the page. */
export function openEditor(parent: HTMLElement, { text, label, describedBy, onChange }: Options): CodeEditor {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        // Checkers of accessibility do not see that an editable element takes the focus, unless it has a tabindex.
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-describedby': describedBy, tabindex: '0' }),
        EditorView.lineWrapping,
        lineNumbers(),
        history(),
        json(),
        colours,
        bracketMatching(),
        indentOnInput(),
        problemMarks,
        typedOver,
        // CodeMirror leaves Tab to the page after Escape. Forms are sent with Ctrl+Enter.
        keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap, indentWithTab]),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
        theme,
      ],
    }),
  });
  return {
    mark: (problems) => view.dispatch({ effects: setProblems.of(problems) }),
    replace: (changed) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: changed } }),
    goTo: ({ from, to }) => {
      const end = view.state.doc.length;
      view.dispatch({ selection: { anchor: Math.min(from, end), head: Math.min(to, end) }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    remove: () => view.destroy(),
  };
}

/**
 * Inserts text over a selection itself. The browser would copy the style of the replaced text inline, which the Content-Security-Policy of the page
 * forbids.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { main } = view.state.selection;
    if (inputType !== 'insertText' || data === null || main.empty || view.composing) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

const COLOURS: Record<string, Decoration> = {
  PropertyName: Decoration.mark({ class: 'font-medium' }),
  String: Decoration.mark({ class: 'text-good' }),
  Number: Decoration.mark({ class: 'text-accent' }),
  True: Decoration.mark({ class: 'text-warn' }),
  False: Decoration.mark({ class: 'text-warn' }),
  Null: Decoration.mark({ class: 'text-warn' }),
};

/** Uses the classes of the page, so that light and dark have their contrast. */
const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = coloursIn(view);
    }

    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate) {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state)) this.decorations = coloursIn(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function coloursIn({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const range of visibleRanges)
    syntaxTree(state).iterate({
      ...range,
      enter: ({ name, from, to }) => {
        const colour = COLOURS[name];
        if (colour) builder.add(from, to, colour);
      },
    });
  return builder.finish();
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--text-sm)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '0.625rem 0', caretColor: 'var(--color-ink)' },
  '.cm-line': { padding: '0 0.75rem 0 0.25rem' },
  '.cm-gutters': { background: 'transparent', color: 'var(--color-soft)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2rem' },
  '&.cm-focused .cm-matchingBracket, &.cm-focused .cm-nonmatchingBracket': { background: 'var(--color-accent-tint)', outline: 'none' },
  '.cm-problem': {
    backgroundColor: 'var(--color-bad-tint)',
    textDecoration: 'underline wavy var(--color-bad) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    background: 'var(--color-paper)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line)',
    borderRadius: '0.5rem',
    overflow: 'hidden',
  },
  '.cm-problem-message': { padding: '0.375rem 0.75rem', font: 'var(--text-sm) / 1.5 var(--font-sans)', maxWidth: '24rem' },
});
