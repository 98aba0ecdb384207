import type { Command } from './command.ts';
import { account } from './commands/account.ts';
import { completionCommand } from './commands/completion.ts';
import { documents } from './commands/document.ts';
import { listen } from './commands/listen.ts';
import { lists } from './commands/lists.ts';
import { log } from './commands/log.ts';
import { mcp } from './commands/mcp.ts';
import { proofs } from './commands/proofs.ts';
import { sending } from './commands/sending.ts';
import { signing } from './commands/signing.ts';
import { webhooks } from './commands/webhooks.ts';

/** The one table of commands: help, completion and dispatch are made from it. */
export const COMMANDS: readonly Command[] = [
  ...account,
  ...sending,
  ...signing,
  ...lists,
  ...documents,
  ...listen,
  ...webhooks,
  ...proofs,
  ...log,
  ...mcp,
  completionCommand(() => COMMANDS),
];
