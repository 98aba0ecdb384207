import { LayoutTemplate, Save, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../ui/menu.tsx';
import { Name } from '../../ui/name.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { type Draft, isEmpty } from './draft.ts';
import { removeTemplate, saveTemplate, type Template, useTemplates } from './templates.ts';

const TEMPLATE_NAME_MAX_CHARS = 100;

interface TemplateMenuProps {
  draft: Draft;
  onUse(template: Template): void;
  onDone(): void;
}

export function TemplateMenu({ draft, onUse, onDone }: TemplateMenuProps) {
  const templates = useTemplates();
  const [isSaving, setSaving] = useState(false);
  const closeDialog = () => {
    // This comes first, because a dialog that closes gives the focus back to the menu.
    flushSync(() => setSaving(false));
    onDone();
  };
  const chosen = templates.find(({ name }) => name === draft.subject);
  return (
    <>
      <Menu
        className="inline-flex h-9 items-center gap-2 rounded-lg border border-line bg-paper px-3.5 font-medium hover:bg-hover"
        isLeftward
        label={
          <>
            <LayoutTemplate className="size-4" aria-hidden />
            Templates
          </>
        }
      >
        <MenuLabel>{templates.length === 0 ? 'No templates yet' : 'Begin with'}</MenuLabel>
        {templates.map((template) => (
          <MenuItem key={template.name} onSelect={() => onUse(template)}>
            <Name className="truncate">{template.name}</Name>
          </MenuItem>
        ))}
        <MenuLine />
        {isEmpty(draft) ? null : (
          <MenuItem onSelect={() => setSaving(true)}>
            <Save className="size-4" aria-hidden />
            Save as template
          </MenuItem>
        )}
        {chosen ? (
          <MenuItem
            isDangerous
            onSelect={() => {
              removeTemplate(chosen.name);
              onDone();
            }}
          >
            <Trash2 className="size-4" aria-hidden />
            Delete this template
          </MenuItem>
        ) : null}
        <MenuLabel>Kept in this browser</MenuLabel>
      </Menu>
      {isSaving ? <SaveDialog draft={draft} onClose={closeDialog} /> : null}
    </>
  );
}

function SaveDialog({ draft, onClose }: { draft: Draft; onClose(): void }) {
  const form = useForm({
    initial: { name: draft.subject || draft.type },
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name.' } : {}),
    submit: async ({ name }) => {
      say(saveTemplate({ ...draft, name: name.trim() }) ? 'Template saved' : 'This browser has no room for another template');
      onClose();
    },
  });
  return (
    <FormDialog title="Save as template" action="Save template" form={form} onClose={onClose}>
      <TextField label="Name" hint="Files are not part of it." maxLength={TEMPLATE_NAME_MAX_CHARS} {...form.field('name')} />
    </FormDialog>
  );
}
