import type { Problem } from './problems.ts';

export function ProblemList({ label, problems, onGo }: { label: string; problems: readonly Problem[]; onGo(problem: Problem): void }) {
  if (problems.length === 0) return null;
  return (
    <ul aria-label={label} className="mt-2 max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line text-sm">
      {problems.map((problem) => (
        <li key={`${problem.path} ${problem.from} ${problem.message}`}>
          <button
            type="button"
            onClick={() => onGo(problem)}
            className="grid w-full grid-cols-[auto_1fr] gap-x-3 px-3 py-2 text-left -outline-offset-2 hover:bg-tint"
          >
            <span className="text-soft tabular-nums">Line {problem.line}</span>
            <span className="min-w-0">
              <bdi className="text-bad">{problem.message}</bdi>
              {problem.path !== undefined && problem.path !== '' ? (
                <code className="block font-mono text-xs break-all text-soft">{problem.path}</code>
              ) : null}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
