import { useQueryClient } from '@tanstack/react-query';
import { Plus, Tag, UserRoundX } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { retried } from '../../../api/lazy.ts';
import { useReading } from '../../../api/queries.ts';
import type { Colleague } from '../../../api/schema.ts';
import { ColleagueMark } from '../../../parts/colleague-mark.tsx';
import { number } from '../../../ui/format.ts';
import type { Option } from '../../../ui/options.tsx';
import { Picker } from '../../../ui/picker.tsx';
import { decisionsOf } from './thread-cache.ts';
import type { Picking, Work } from './use-work.ts';

const AcceptDialog = lazy(retried(async () => ({ default: (await import('./accept-dialog.tsx')).AcceptDialog })));

const fits = (text: string, query: string): boolean => text.toLowerCase().includes(query.trim().toLowerCase());

export function WorkPicker({ picking, work }: { picking: Picking; work: Work }) {
  if (picking.verb === 'accept')
    return (
      <Suspense>
        <AcceptDialog ids={picking.ids} onClose={work.stopPicking} />
      </Suspense>
    );
  return picking.verb === 'assign' ? <AssignPicker ids={picking.ids} work={work} /> : <LabelPicker ids={picking.ids} work={work} />;
}

interface PickerProps {
  ids: readonly string[];
  work: Work;
}

function AssignPicker({ ids, work }: PickerProps) {
  const queries = useQueryClient();
  const [query, setQuery] = useState('');
  const { data: account } = useReading('GET /v1/account', {});
  const { data: assignees } = useReading('GET /v1/threads/assignees', {});
  const current = ids.length === 1 ? decisionsOf(queries, ids[0] ?? '')?.assignee : undefined;
  const choose = (assignee: Colleague | null) => {
    work.assign(ids, assignee);
    work.stopPicking();
  };
  const optionOf = (colleague: Colleague): Option => ({
    key: colleague.id,
    text: colleague.name,
    hint: colleague.id === account?.id ? 'You' : colleague.kind === 'agent' ? 'Agent' : undefined,
    icon: <ColleagueMark colleague={colleague} isNamed={false} />,
    isChecked: colleague.id === current?.id,
    choose: () => choose(colleague),
  });
  const colleagues = [...(assignees?.data ?? [])].sort((a, b) => Number(b.id === account?.id) - Number(a.id === account?.id));
  const nobody: Option = {
    key: 'nobody',
    text: 'Nobody',
    icon: <UserRoundX className="size-5 text-soft" aria-hidden />,
    isChecked: current === null,
    choose: () => choose(null),
  };
  const options = [...colleagues.map(optionOf), nobody].filter(({ text, hint = '' }) => fits(`${text} ${hint}`, query));
  return (
    <Picker
      label={ids.length === 1 ? 'Assign to' : `Assign ${number(ids.length)} threads to`}
      placeholder="Assign to…"
      query={query}
      onQuery={setQuery}
      options={options}
      empty={assignees ? 'No member or agent by that name' : 'Loading…'}
      onClose={work.stopPicking}
    />
  );
}

function LabelPicker({ ids, work }: PickerProps) {
  const queries = useQueryClient();
  const [query, setQuery] = useState('');
  const { data } = useReading('GET /v1/threads/labels', {});
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const known = ids.map((id) => decisionsOf(queries, id)?.labels ?? []);
  const isOn = (label: string) => toggled.get(label) ?? known.every((labels) => labels.includes(label));
  const toggle = (label: string) => {
    const isAdded = !isOn(label);
    setToggled(new Map([...toggled, [label, isAdded]]));
    work.relabel(ids, label, isAdded);
    setQuery('');
  };
  const labels = [...new Set([...(data?.data.map(({ label }) => label) ?? []), ...known.flat(), ...toggled.keys()])].sort();
  const options: Option[] = labels
    .filter((label) => fits(label, query))
    .map((label) => ({
      key: label,
      text: label,
      icon: <Tag className="size-4 text-soft" aria-hidden />,
      isChecked: isOn(label),
      choose: () => toggle(label),
    }));
  const typed = query.trim();
  if (typed !== '' && !labels.includes(typed))
    options.push({
      key: `new ${typed}`,
      text: `Create label “${typed}”`,
      icon: <Plus className="size-4 text-soft" aria-hidden />,
      choose: () => toggle(typed),
    });
  return (
    <Picker
      label={ids.length === 1 ? 'Labels' : `Labels of ${number(ids.length)} threads`}
      placeholder="Add or remove a label…"
      query={query}
      onQuery={setQuery}
      options={options}
      empty={data ? 'Type a name to create the first label' : 'Loading…'}
      onClose={work.stopPicking}
    />
  );
}
