import { useState } from 'react';

export type Tab = 'document' | 'json';

const KEY = 'waybill.message-tab';
/** By message, so that a message that scrolls out of sight and back is as it was left. */
const chosen = new Map<string, Tab>();

function lastChosen(): Tab {
  return sessionStorage.getItem(KEY) === 'json' ? 'json' : 'document';
}

/** The tab of a message. Messages that are opened later in the session begin with the tab that was chosen last. */
export function useChosenTab(messageId: string): [Tab, (tab: Tab) => void] {
  const [tab, setTab] = useState(() => chosen.get(messageId) ?? lastChosen());
  const choose = (next: Tab) => {
    chosen.set(messageId, next);
    sessionStorage.setItem(KEY, next);
    setTab(next);
  };
  return [tab, choose];
}
